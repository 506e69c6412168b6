"""The operation in the explorer: a pane of the column, and a dialog."""
