"""Kernels run from their parameters to their stores, all threads of a wave at once."""
