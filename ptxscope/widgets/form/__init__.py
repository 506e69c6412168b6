"""The widgets for modifiers: a table and a row."""
