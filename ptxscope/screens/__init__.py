"""The screens of the explorer; each puts widgets together."""
