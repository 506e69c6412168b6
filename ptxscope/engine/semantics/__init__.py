"""The meaning of instructions: lowering to plans, micro-operations, rules, errata, models."""
