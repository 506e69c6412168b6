"""Surprises: lanes that are not what one might expect, and what would make them otherwise."""
