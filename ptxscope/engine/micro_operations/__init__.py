"""The micro-operations that plans consist of: what each computes, says and looks like."""
