"""Sweeps as plots, maps, text and tables."""
