"""The widgets, one per module; they draw traces and compute nothing."""
