"""What can be written: types, forms, slots, the catalog, what is legal, how it is spelled."""
