"""The text formats, one module each, and the code that they share."""
