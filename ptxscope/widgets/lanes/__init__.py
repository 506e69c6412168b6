"""The lanes pane: cells, figures, links and the accordion of steps."""
