"""Sweeps as documents: as a picture, as text for a terminal, as words and as a table."""
