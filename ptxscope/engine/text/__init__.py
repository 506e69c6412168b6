"""Pasted text to instructions, or to errors that point into it."""
