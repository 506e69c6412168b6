"""Changes of a block's text that explain its result."""
