"""The dialogs, their common frame, and the placement of messages."""
