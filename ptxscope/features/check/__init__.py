"""``check``: diagnostics for PTX in files, and their fixes."""
