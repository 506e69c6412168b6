"""Further causes: explanations by selectors, shared registers and exchanged halves."""

from ...feature import Feature, Service

FEATURE = Feature(
    "further_causes",
    services={
        Service.SOLVE_SELECTORS: f"{__package__}.lane_solver:solve_selectors",
        Service.EXPLAIN_BLOCK: f"{__package__}.block_changes:iter_explanations",
    },
)
