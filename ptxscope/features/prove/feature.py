"""Proofs: two computations for all operands, operands for a condition, and backward edits."""

from ...feature import Command, Feature, Key, Service

FEATURE = Feature(
    "prove",
    commands=(
        Command(
            "prove",
            "decide whether two computations agree for all operands",
            f"{__package__}.commands.prove",
            after="sweep",
            group="debug",
            old_spellings={"--json": "-f json"},
        ),
        Command(
            "find",
            "find operands that meet a condition",
            f"{__package__}.commands.find",
            after="prove",
            group="debug",
            old_spellings={"--json": "-f json", "explain --next": "ptxscope find --next"},
        ),
        Command(
            "vectors",
            "generate operands for tests, with the results of every model",
            f"{__package__}.commands.vectors",
            after="find",
            group="debug",
        ),
    ),
    keys=(
        Key(
            "prove",
            "See",
            "pin",
            "",
            "prove",
            "Prove this instruction equal to the pinned one, or show where it differs",
            f"{__package__}.transitions:prove",
            f"{__package__}.transitions:check_proof",
        ),
    ),
    services={
        Service.ASK_COMPUTED_VALUE: f"{__package__}.transitions:ask_computed_value",
        Service.FOLLOW_EXPLANATION: f"{__package__}.next_report:iter_follow_up_blocks",
        Service.SEPARATE_EXPLANATIONS: f"{__package__}.next_report:find_next_blocks",
        Service.LOAD_PROVER: f"{__package__}.equivalence:load_prover",
    },
    exports={
        "OperandSearch": f"{__package__}.operand_search:OperandSearch",
        "Proof": f"{__package__}.proof:Proof",
        "find": f"{__package__}.operand_search:find",
        "prove": f"{__package__}.equivalence:prove",
    },
)
