"""The web explorer's panel that explains an unexpected result."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...documents.elements import (
    Child,
    make_button,
    make_element,
    make_error,
    make_field,
    make_report,
)
from ...engine.syntax.errors import PtxError
from ...engine.tracing.trace import Trace
from ...state.edits import with_explanation
from ...state.explorer_state import ExplorerState
from ...state.setup import collect_operands
from .transitions import apply_setup

if TYPE_CHECKING:
    from ...diagnosis.explanations import Diagnosis

_MAX_EXPLAINED = 16
"""Maximum statements of a block that is explained: the time grows with their square."""


class ShownDiagnosis:
    """The explanations in the panel."""

    def __init__(self) -> None:
        self.diagnosis: Diagnosis | None = None


def make_panel(state: ExplorerState, text: str) -> list[Child]:
    """Return the content of the panel; its explanations are kept, to be opened."""
    block = state.block_trace
    operands = block.operands if block else collect_operands(state.setup)
    children, diagnosis = explain(state.shown_trace, operands, text)
    state.get_attached(ShownDiagnosis).diagnosis = diagnosis
    return children


def show_explanation(state: ExplorerState, arguments: Mapping[str, Any]) -> None:
    """Show the instruction, the operands and the model of an explanation."""
    diagnosis = state.get_attached(ShownDiagnosis).diagnosis
    if diagnosis is not None:
        explanation = diagnosis.explanations[int(arguments["index"])]
        apply_setup(state, with_explanation(state.setup, explanation))


def explain(
    trace: Trace, operands: Mapping[str, int], text: str
) -> tuple[list[Child], Diagnosis | None]:
    """Return the explanations of an observed result, or the command that finds them.

    ``operands`` may have values of registers that the line does not read.
    """
    from ...blocks.block_explanations import explain_block
    from ...diagnosis.observation import Observation, parse_got
    from ...documents.formats.diagnosis_report import format_causes, iter_diagnosis_blocks
    from ...documents.formats.report import make_block_element
    from ...engine.syntax.asm_bindings import find_reading_type

    ins = trace.block
    names = list(ins.results.values())
    hint = " ".join(f"{x}=1" for x in names) if len(names) > 1 else "0x11223344, -1, 0x??01??00"
    form = make_element(
        "form",
        make_field("I got", text, key="explain", hint=hint, has_focus=not text.strip()),
        make_element("button", "Explain", type="submit"),
        data_do="tool_text",
    )
    about = "Which result did you get instead? Write ? for unknown digits."
    if not text.strip():
        return [form, make_element("p", about)], None
    try:
        parts = text.split() if len(names) > 1 else [text]
        observed = dict(parse_got(ins, part, find_reading_type) for part in parts)
    except PtxError as error:
        return [form, make_error(error)], None
    observation = Observation(operands, observed)
    if len(trace.parts) > _MAX_EXPLAINED:
        values = (f"{x.name}={trace.operands[x.roles[0]]:#x}" for x in ins.inputs)
        words = ["ptxscope", "explain", str(ins), *values]
        words += [word for part in parts for word in ("--got", part)]
        command = make_element("pre", shlex.join(words))
        about = f"The web explorer explains up to {_MAX_EXPLAINED} statements. The command line:"
        return [form, make_element("p", about), make_report(command)], None
    diagnosis = explain_block(ins, [observation])
    buttons = [
        make_button(
            f"Show it {format_causes(explanation)}", "show_explanation", data_index=str(index)
        )
        for index, explanation in enumerate(diagnosis.explanations[:8])
        if len(trace.parts) == 1
    ]
    rows = make_element("p", *buttons, class_="choices") if buttons else ""
    blocks = iter_diagnosis_blocks(diagnosis, with_all=True, is_brief=True)
    return [form, rows, make_report(*(make_block_element(x, 2) for x in blocks))], diagnosis
