"""Plans on arrays: recorded on a tape, and run as few calls in narrow types, or as machine code."""
