"""Blocks of several statements in every format, by the parts of an instruction's documents."""
