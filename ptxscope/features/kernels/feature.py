"""Kernels: all threads of one, stepped through in the explorer."""

from ...feature import Feature, HelpPanel, Key

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
            f"{__package__}.transitions:check_listing",
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
)
