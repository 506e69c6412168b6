"""Many lines: the statements of listings and sources, and what is wrong with them."""
