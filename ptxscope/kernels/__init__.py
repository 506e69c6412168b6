"""Kernels that run, blocks and sequences of their statements."""
