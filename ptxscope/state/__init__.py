"""The explorer's state without widgets: session, open listing, actions, search, saved state."""
