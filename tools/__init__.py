"""Programs for developers, started by dev.py."""
