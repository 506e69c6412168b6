"""The machine instructions of typical forms, as they were recorded, and cheaper equal forms."""
