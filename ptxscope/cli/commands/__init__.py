"""The commands, one module each, under the command's name."""
