"""The half of the feature for the terminal: the screen of a page."""
