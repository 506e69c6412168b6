"""The content of every format: the document, effective options, hidden rows, ids."""
