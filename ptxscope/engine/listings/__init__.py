"""PTX in listings and sources: scanning, findings, counterexamples, replacements."""
