"""Kernels compared: whether two leave the same bytes, for all parameters, threads and contents."""

from ...feature import Feature, Service

FEATURE = Feature(
    "compare",
    needs=("kernels", "prove"),
    services={Service.COMPARE_KERNELS: f"{__package__}.command:add_comparison"},
)
