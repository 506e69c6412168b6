"""Changes of a block: explanations by a shared register, or by exchanged halves."""

from ...feature import Feature, Service

FEATURE = Feature(
    "block_changes",
    services={Service.EXPLAIN_BLOCK: f"{__package__}.block_changes:iter_explanations"},
)
