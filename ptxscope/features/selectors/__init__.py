"""Selectors of SIMD instructions that explain a result."""
