"""How many bits of a result are one: an example of a feature in a package of its own."""
