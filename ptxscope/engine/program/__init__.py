"""Programs of PTX: statements, their operands, and the functions that they make up."""
