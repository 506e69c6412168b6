"""What needs a terminal."""
