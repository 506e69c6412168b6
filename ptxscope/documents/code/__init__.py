"""Plans as functions in C and Python."""
