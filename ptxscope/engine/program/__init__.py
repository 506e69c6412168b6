"""PTX programs: statements, their operands, and functions."""
