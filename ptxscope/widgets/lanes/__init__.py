"""The lanes: cells, rows, figures and links, their layout, and the pane with its cursor."""
