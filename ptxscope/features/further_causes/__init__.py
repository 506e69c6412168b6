"""Explanations by selectors out of millions, by shared registers, and by exchanged halves."""
