"""The widgets, one module each; they draw traces and compute nothing."""
