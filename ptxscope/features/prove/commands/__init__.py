"""The commands ``prove``, ``find`` and ``vectors``."""
