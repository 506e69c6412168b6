"""The lanes drawn as SVG."""
