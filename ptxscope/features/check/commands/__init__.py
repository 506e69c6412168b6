"""The commands ``check`` and ``errata``."""
