"""Machine code: the instructions that ptxas generates, their values, and the model they follow."""

from ...feature import Command, Feature, Key, ScreenPanel, Service

FEATURE = Feature(
    "machine",
    needs=("prove",),
    commands=(
        Command(
            "lower",
            "show the machine instructions of a line",
            f"{__package__}.commands.lower",
            after="vectors",
            group="debug",
            old_spellings={
                "--json": "-f json",
                "trace --sass": "ptxscope lower PTX",
                "trace --ptxas": "ptxscope lower PTX --ptxas PATH",
                "trace --nvdisasm": "ptxscope lower PTX --nvdisasm PATH",
            },
        ),
        Command(
            "verify",
            "prove which model an assembler follows",
            f"{__package__}.commands.verify",
            after="lower",
            group="debug",
            old_spellings={
                "--json": "-f json",
                "--dry": "--write-inputs FOLDER",
                "--report": "-f issue",
            },
        ),
    ),
    keys=(
        Key(
            "machine_code",
            "See",
            "prove",
            "",
            "SASS",
            "Show the machine instructions, and what each computes",
            f"{__package__}.transitions:toggle",
        ),
    ),
    services={
        Service.COMPILE_CUDA: f"{__package__}.toolchain:compile_source",
        Service.FIND_FAULT_CODE: f"{__package__}.fault_code:find_fault_code",
        Service.VERIFY_FILES: f"{__package__}.commands.verified_files:verify_files",
    },
    screen_panels=(
        ScreenPanel("machine", "pin", f"{__package__}.terminal.column:MachineColumnPane", 160),
    ),
)
