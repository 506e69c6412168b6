"""The half of the feature for the terminal: the dialog of a proof."""
