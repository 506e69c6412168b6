"""Several statements: one evaluation, a run line by line, or the code of an intrinsic."""
