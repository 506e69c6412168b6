"""Kernels: all threads of one, stepped through in the explorer."""

from ...feature import Feature, HelpPanel, Key, Service

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
    help_panels=(
        HelpPanel("listing", "", "F5 runs the kernel"),
        HelpPanel(
            "run",
            "listing",
            "type the arguments as for ptxscope run, with --grid --block --shared --steps --thread "
            "--expect, and Enter; with --expect, the run begins at the first wrong element, and x "
            "finds the change that gives all expected values; Enter shows the steps of the "
            "instruction under the cursor on the thread's values, and F5 returns to the run; Tab "
            "scrolls buffers and shared memory, which are those of this step",
            (f"{__package__}.terminal.run_screen:RunScreen",),
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
