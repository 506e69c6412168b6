"""Selectors: explanations by other selectors of a SIMD instruction, out of millions of pairs."""

from ...feature import Feature, Service

FEATURE = Feature(
    "selectors", services={Service.SOLVE_SELECTORS: f"{__package__}.lane_solver:solve_selectors"}
)
