"""Sequences of PTX that compute a CUDA intrinsic."""
