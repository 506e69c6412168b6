"""What it computes: micro-operations, plans, the rules and errata that vary them, runs."""
