"""Operation: pseudocode of an instruction, made from its plans, in ``show`` and in the manual."""

from ...feature import Feature, Service

FEATURE = Feature(
    "operation",
    services={Service.DESCRIBE_ENTRY: f"{__package__}.pseudocode_report:iter_blocks"},
)
