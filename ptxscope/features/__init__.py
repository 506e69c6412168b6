"""Features: each folder adds commands, actions, panes or panels, and can be deleted.

``feature.py`` in each says what it adds. Nothing outside of this package imports from it.
"""
