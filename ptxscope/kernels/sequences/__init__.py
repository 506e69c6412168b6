"""Sequences of instructions that compute what an intrinsic of CUDA does."""
