"""The intermediate representation: plans as straight lines of operations on exact integers."""
