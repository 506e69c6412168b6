"""What is drawn of a trace, derived from it once: the terminal and the SVG are two pens on it."""
