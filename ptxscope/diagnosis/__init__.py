"""Explanations of an observed result: causes, their search, selector solvers."""
