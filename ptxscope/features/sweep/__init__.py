"""Results over all values of one or two register parts, and their changes."""
