"""The manual as text in the terminal, at the page about the panel that has the focus."""
