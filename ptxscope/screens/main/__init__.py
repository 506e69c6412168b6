"""The main screen and its mixins: editing, stepping, listings, prediction, lessons."""
