"""Features: each folder adds commands, actions, panes or panels, and can be deleted.

Its ``feature.py`` lists its additions. Nothing outside of this package imports from it.
"""
