"""Several statements: read as one evaluation, run line by line, found to compute an intrinsic."""
