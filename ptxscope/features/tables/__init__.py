"""Results for tables of operands: CSV files and the arrays of NumPy's files."""
