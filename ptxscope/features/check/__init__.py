"""``check``: what is wrong with PTX in files, or worth knowing, and what fixes it."""
