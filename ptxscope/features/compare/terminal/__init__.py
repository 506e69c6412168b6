"""The half of the feature for the terminal: panes, screens and their controllers."""
