"""Tools for language models: the commands, in the Model Context Protocol."""
