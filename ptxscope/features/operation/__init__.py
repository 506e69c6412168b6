"""The pseudocode of an instruction, made from its plans."""
