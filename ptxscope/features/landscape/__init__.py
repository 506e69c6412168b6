"""A line, or a block, as a function in C and in Python."""
