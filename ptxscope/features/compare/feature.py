"""Kernels compared: whether two leave the same bytes, for all parameters, threads and contents."""

from ...feature import Feature, Key, Service

FEATURE = Feature(
    "compare",
    needs=("kernels", "prove"),
    keys=(
        Key(
            "listing.compare",
            "Listings",
            "listing.run",
            "f6",
            "compare",
            "Compare a kernel with another, and show both runs where they differ",
            f"{__package__}.transitions:compare",
            f"{__package__}.transitions:check_comparison",
        ),
    ),
    services={Service.COMPARE_KERNELS: f"{__package__}.command:add_comparison"},
    exports={
        "KernelComparison": f"{__package__}.comparison:KernelComparison",
        "prove_kernels": f"{__package__}.kernel_proof:prove_kernels",
    },
)
