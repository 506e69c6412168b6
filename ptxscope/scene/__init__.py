"""The drawing model of a trace, without sizes or colours, for the terminal and SVG."""
