"""The dialogs, one module each, their common frame, and the placement of messages."""
