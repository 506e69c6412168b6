"""Plans on NumPy arrays: tape, rewrites, demand analysis, instruction selection."""
