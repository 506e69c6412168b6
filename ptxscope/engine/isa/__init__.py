"""The instruction set as data: types, slots, the catalog, legality, spelling."""
