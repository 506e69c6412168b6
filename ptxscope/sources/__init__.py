"""PTX in listings and sources: scanning, diagnostics, counterexamples, replacements."""
