"""PTX in listings and sources of many languages."""
