"""Kernels run statement by statement, and the statement behind a wrong value."""
