"""The commands ``lower`` and ``verify``."""
