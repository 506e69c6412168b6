"""Pictures for slides, whose steps run from left to right."""
