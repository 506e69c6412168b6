"""A plan as a function in another language."""
