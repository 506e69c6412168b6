"""The dialog of ``check``."""
