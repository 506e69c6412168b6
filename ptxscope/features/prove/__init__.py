"""Proofs for all operands, and operands with a property: plans as formulas for a solver."""
