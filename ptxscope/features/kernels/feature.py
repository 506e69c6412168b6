"""Kernels: all threads of one, stepped through in the explorer."""

from ...feature import Feature, Key, Service

FEATURE = Feature(
    "kernels",
    keys=(
        Key(
            "listing.run",
            "Listings",
            "listing.expect",
            "f5",
            "run",
            "Run a kernel with arguments, by threads",
            f"{__package__}.transitions:run_kernel",
            "ptxscope.state.listing_transitions:check_listing",
            footer="has_kernel",
        ),
    ),
    services={
        Service.MAKE_RUN_PARSER: f"{__package__}.command:make_parser",
        Service.RUN_KERNEL: f"{__package__}.command:launch_kernel",
    },
    exports={
        "KernelRun": f"{__package__}.launches.kernel_run:KernelRun",
        "LaunchError": f"{__package__}.launches.thread_state:LaunchError",
        "RunDiagnosis": f"{__package__}.launches.run_diagnosis:RunDiagnosis",
        "RunExplanation": f"{__package__}.launches.run_diagnosis:RunExplanation",
        "explain_kernel": f"{__package__}.launches.run_explanations:explain_kernel",
        "run_kernel": f"{__package__}.launches.kernel_run:run_kernel",
    },
)
