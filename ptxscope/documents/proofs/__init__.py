"""Answers of the solver: proofs, operands and sets of operands as text and in files."""
