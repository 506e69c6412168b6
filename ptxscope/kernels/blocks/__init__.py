"""Blocks: several statements as one evaluation, wired by the registers between them."""
