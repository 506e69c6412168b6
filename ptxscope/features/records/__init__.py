"""Documents in JSON, read back as traces."""
