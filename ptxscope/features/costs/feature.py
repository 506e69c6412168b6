"""Costs: machine instructions of typical forms, and a note on those with a cheaper equal one."""

from ...feature import Feature, Service

FEATURE = Feature(
    "costs",
    needs=("check",),
    services={
        Service.DESCRIBE_ENTRY: f"{__package__}.cost_report:iter_blocks",
        Service.LIST_RULES: f"{__package__}.cheaper_rule:list_rules",
        Service.LIST_NOTES: f"{__package__}.saving:list_notes",
    },
)
