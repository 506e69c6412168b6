"""The PTX parser: text to instructions, or to errors with their positions."""
