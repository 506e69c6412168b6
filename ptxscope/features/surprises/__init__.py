"""Surprises: lanes with unexpected values, and the changes that would give others."""
