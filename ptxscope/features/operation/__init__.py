"""What an instruction computes, as pseudocode that is made from its plans."""
