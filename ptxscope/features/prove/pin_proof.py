"""Whether the current instruction is equal to the pinned one."""

from __future__ import annotations

from ...engine.cancellation import IsStopped, never
from ...engine.semantics.models import parse_model
from ...engine.tracing.basic_block import make_block
from ...state.edits import with_registers
from ...state.setup import Setup
from .equivalence import prove_equal
from .proof import Proof

PROOF_SECONDS = 10.0
"""The time for a proof."""
ADVICE = (
    f"The explorer stops after {PROOF_SECONDS:.0f} s. In a shell, `ptxscope prove A B` allows more "
    "time with --timeout, and fewer operands with --where."
)


def prove_pin(pin: Setup, setup: Setup, is_stopped: IsStopped = never) -> Proof:
    """Decide whether two setups have equal results for all operands, each under its model.

    Registers of one name are the same; without any, registers of one role. Raise
    ValueError if operands or results can't be matched, ImportError without the solver, and Stopped
    when ``is_stopped`` returns true.
    """
    a, b = make_block(pin.instruction), make_block(setup.instruction)
    first = {role: x.name for x in a.inputs for role in x.roles}
    second = {role: x.name for x in b.inputs for role in x.roles}
    same = {first[role]: second[role] for role in first if role in second}
    if {x.removeprefix("%") for x in first.values()} & {
        name.removeprefix("%") for name in second.values()
    }:
        same = {}
    models = parse_model(pin.model), parse_model(setup.model)
    return prove_equal(a, b, same=same, models=models, timeout=PROOF_SECONDS, is_stopped=is_stopped)


def take_counterexample(proof: Proof, pin: Setup, setup: Setup) -> tuple[Setup, Setup]:
    """Return the pin and the setup on the operands for which their results differ."""
    return with_registers(pin, proof.get_values(0)), with_registers(setup, proof.get_values(1))
