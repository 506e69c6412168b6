"""One operand lane, or two, through all their values: what a result lane becomes, and why."""
