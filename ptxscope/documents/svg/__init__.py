"""The picture of a trace as SVG."""
