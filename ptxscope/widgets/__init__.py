"""One widget a file; each draws what a Trace says and owns no semantics."""
