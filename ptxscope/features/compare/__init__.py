"""Kernels compared: the same bytes in memory for all parameters, threads and contents, or not."""
