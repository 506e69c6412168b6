"""A diagnosis as a report and as JSON: the observations, and their explanations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...diagnosis.causes import Cause, CauseKind
from ...diagnosis.explanations import Diagnosis, Explanation, format_match_count
from ...diagnosis.observation import Observation
from ...diagnosis.selector_matches import SelectorMatches
from ...diagnosis.value_causes import format_changed_operands
from ...engine.isa.encodings import format_hex
from ...engine.semantics.rules import Erratum
from ...engine.syntax.instruction import Instruction, Signature
from ...engine.tracing.deviation import find_first_difference
from ...engine.tracing.step_text import (
    format_result,
    format_result_bits,
    format_title,
    join_by_destination,
)
from ...engine.tracing.trace import Trace
from ..content.command_words import list_command_words
from ..content.document_builder import iter_steps
from .json_text import Fields, convert_to_json
from .lane_verdicts import format_right_lanes
from .markup import (
    Block,
    Paragraph,
    Verbatim,
    make_heading,
    make_paragraph,
    make_points,
    make_text,
    make_verbatim,
)
from .report import write_text
from .text import WIDTH, iter_step_lines, render, wrap_command

MAX_EXPLANATIONS = 6
"""Default number of groups of explanations below a heading."""
ALIKE = 3
"""Default number of further explanations of a group."""
VALUE_INDENTS = ("  ", "      ", "")
"""In text, the blanks before a value and its explanation."""
MAX_BRIEF_LINES = 15
"""Maximum number of lines of a brief text."""
_MAX_BRIEF_LISTING = 4
"""Maximum number of lines of a block in a brief text."""
_SIZES = {1: "With one change", 2: "With two changes"}


def iter_diagnosis_blocks(
    diagnosis: Diagnosis, *, with_all: bool = False, is_brief: bool = False
) -> Iterator[Block]:
    """Yield the blocks of a diagnosis: the answers and, unless brief, the traces.

    A brief text without all answers has at most ``MAX_BRIEF_LINES``.
    """
    if is_brief and not with_all:
        yield from _choose_brief_blocks(diagnosis)
        return
    yield from _iter_full_blocks(diagnosis, with_all=with_all)
    explanations = diagnosis.explanations
    if explanations and not is_brief:
        documented, suffix = diagnosis.documented, ""
        if len(diagnosis.block.statements) > 1 and explanations[0].causes:
            documented = _get_part(diagnosis, explanations[0])
            suffix = f" of statement {explanations[0].statement}"
        if len(diagnosis.cases) > 1:
            suffix += f" of observation {diagnosis.shown_index + 1}"
        yield make_heading(f"The documented evaluation{suffix}")
        yield Verbatim(render(documented).rstrip("\n"))
        yield from _iter_divergence_blocks(diagnosis, explanations[0], WIDTH)


def _iter_full_blocks(diagnosis: Diagnosis, *, with_all: bool) -> Iterator[Block]:
    """Yield the answers, with the line of each change."""
    block = diagnosis.block
    yield make_verbatim(block.lines or [str(block)], "ptx")
    yield from _iter_answer_blocks(diagnosis)
    groups: dict[str, list[Explanation]] = {}
    for explanation in diagnosis.explanations[1:]:
        groups.setdefault(_format_heading(diagnosis, explanation), []).append(explanation)
    for heading, group in groups.items():
        yield make_heading(heading)
        yield from _iter_group_blocks(diagnosis, group, with_all)


def _iter_answer_blocks(diagnosis: Diagnosis, max_near_count: int | None = None) -> Iterator[Block]:
    """Yield the observation, and the best explanation or the nearest results."""
    yield make_verbatim(iter_observation_lines(diagnosis))
    if diagnosis.explanations:
        yield make_paragraph(diagnosis.explanations[0].sentence)
        yield from _iter_detail_blocks(diagnosis, diagnosis.explanations[0])
    else:
        yield from iter_unexplained_blocks(diagnosis, max_near_count)


def _choose_brief_blocks(diagnosis: Diagnosis) -> list[Block]:
    """Return as many answers as fit in ``MAX_BRIEF_LINES`` of text."""
    counts = reversed(range(MAX_BRIEF_LINES))
    shorter = ([*_iter_brief_blocks(diagnosis, count)] for count in counts)
    for blocks in ([*_iter_full_blocks(diagnosis, with_all=False)], *shorter):
        if len(write_text(blocks).splitlines()) <= MAX_BRIEF_LINES:
            break
    return blocks


def _iter_brief_blocks(diagnosis: Diagnosis, count: int) -> Iterator[Block]:
    """Yield the best answer and ``count`` others, without their lines."""
    listing = [*(diagnosis.block.lines or [str(diagnosis.block)])]
    if len(listing) > _MAX_BRIEF_LISTING:
        listing[2:] = [f"// … and {len(listing) - 2} more lines"]
    yield make_verbatim(listing, "ptx")
    yield from _iter_answer_blocks(diagnosis, count)
    yield from _iter_brief_alternatives(diagnosis, diagnosis.explanations[1:], count)


def _iter_brief_alternatives(
    diagnosis: Diagnosis, alternatives: Sequence[Explanation], count: int
) -> Iterator[Block]:
    """Yield a line for each explanation shown of one heading, and the number of others."""
    if not alternatives:
        return
    headings = [_format_heading(diagnosis, x) for x in alternatives]
    listed = alternatives[: min(count, headings.count(headings[0]))]
    if listed:
        yield make_heading(headings[0])
        yield make_points(([_format_alternative(diagnosis, x)] for x in listed), is_close=True)
    if len(alternatives) > len(listed):
        more = make_text(f"… and {len(alternatives) - len(listed)} more (--all)")
        yield Paragraph(more, "  ", "  ", bool(listed))


def _format_alternative(diagnosis: Diagnosis, explanation: Explanation) -> str:
    """Format an explanation in one line: its changes, and the model in which it fails."""
    return "; ".join(filter(None, (_format_change(diagnosis, explanation), explanation.failure)))


def diagnosis_to_json(diagnosis: Diagnosis) -> list[dict[str, object]]:
    """Return the explanations as JSON, the best first, like ``explain -f json``.

    In a block, each has its statement's number.
    """
    has_numbers = len(diagnosis.block.statements) > 1
    return [
        {
            **({"statement": explanation.statement} if has_numbers else {}),
            **explanation_to_json(explanation),
        }
        for explanation in diagnosis.explanations
    ]


def explanation_to_json(explanation: Explanation) -> dict[str, object]:
    """Return one explanation as JSON."""
    ins = explanation.instruction
    return {
        **convert_to_json(explanation, _FIELDS),
        "observation": explanation.shown_index + 1,
        "operands": {
            operand.name: format_hex(
                explanation.operands[explanation.shown_index][operand.roles[0]], operand.type.bits
            )
            for operand in ins.inputs
        },
        "result": {
            name: format_hex(
                explanation.get_result(explanation.shown_index)[role], ins.type_of(role).bits
            )
            for role, name in ins.results.items()
        },
        "selectors": convert_to_json(explanation.matches, _FIELDS),
    }


_FIELDS: Fields = {
    Explanation: "kind ptx model=model.name errata sentence matched=match_count failure causes",
    Cause: "kind weight=cost phrase",
    Erratum: lambda x: x.id,
    SelectorMatches: "fitting=match_count by_lane=lanes",
}


def format_observed(ins: Signature, observation: Observation) -> str:
    """Format observed bits: ``0x??01??00``, or ``p = 1, q = 0`` for several destinations."""
    return join_by_destination(
        ins, {r: x.format_bits(ins.type_of(r).bits) for r, x in observation.observed.items()}
    )


def iter_observation_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield the observed and the documented result."""
    lanes, documented_text = format_right_lanes(diagnosis), format_result(diagnosis.documented)
    observation = diagnosis.cases[diagnosis.shown_index].observation
    observed_text = format_observed(diagnosis.block, observation)
    if len(diagnosis.cases) == 1:
        yield f"  got         {observed_text}"
        yield f"  documented  {documented_text}" + (lanes and f"  {lanes}")
        return
    wrong_count = sum(not x.observation.matches(x.documented) for x in diagnosis.cases)
    count_text = "1 differs" if wrong_count == 1 else f"{wrong_count} differ"
    yield f"  {len(diagnosis.cases)} observations; {count_text} from the documentation"
    if wrong_count:
        yield f"  the first is number {diagnosis.shown_index + 1}: got {observed_text}"
        yield f"  documented for it: {documented_text}"
    if lanes:
        yield f"  {lanes}"


def _format_heading(diagnosis: Diagnosis, explanation: Explanation) -> str:
    if diagnosis.explanations[0].kind is CauseKind.DOCUMENTED:
        return "These also fit the observation" + "s" * (len(diagnosis.cases) > 1)
    suffix = " that may fit by coincidence" if explanation.is_coincidence else ""
    return _SIZES[len(explanation.causes)] + suffix


def _iter_group_blocks(
    diagnosis: Diagnosis, explanations: list[Explanation], with_all: bool
) -> Iterator[Block]:
    """Yield the explanations of a heading, grouped by the varied part."""
    groups: dict[tuple[object, ...], list[Explanation]] = {}
    for explanation in explanations:
        aspects = (cause.changed_aspects for cause in explanation.causes)
        groups.setdefault((explanation.statement, *aspects), []).append(explanation)
    points = []
    for first, *alternatives in list(groups.values())[: None if with_all else MAX_EXPLANATIONS]:
        lines = [_format_change(diagnosis, first), *_list_details(diagnosis, first)]
        listed = alternatives if with_all else alternatives[:ALIKE]
        lines += (f"or {'; '.join(filter(None, (format_causes(x), x.failure)))}" for x in listed)
        if len(alternatives) > len(listed):
            lines.append(f"or {len(alternatives) - len(listed)} more of the kind (--all)")
        points.append(lines)
    yield make_points(points, is_close=True)
    if len(groups) > len(points):
        yield Paragraph(
            make_text(f"… and {len(groups) - len(points)} more (--all)"), "  ", "  ", True
        )


def _get_part(diagnosis: Diagnosis, explanation: Explanation) -> Trace:
    """Return the documented trace of an explanation's statement."""
    return diagnosis.documented.parts[explanation.statement - 1]


def _format_change(diagnosis: Diagnosis, explanation: Explanation) -> str:
    """Format the causes of an explanation, with the statement if there are several."""
    has_others = len(diagnosis.block.statements) > 1
    return f"statement {explanation.statement}, " * has_others + format_causes(explanation)


def format_causes(explanation: Explanation) -> str:
    """Format the causes of an explanation in few words."""
    return " and ".join(cause.phrase for cause in explanation.causes) or "as documented"


def _iter_detail_blocks(diagnosis: Diagnosis, explanation: Explanation) -> Iterator[Block]:
    for line in _list_details(diagnosis, explanation):
        yield make_paragraph(line, "  ", "  ", is_close=True)


def _list_details(diagnosis: Diagnosis, explanation: Explanation) -> Iterator[str]:
    """Yield the changed line, the changed operands, and the selectors that fit."""
    part = _get_part(diagnosis, explanation)
    if explanation.instruction != part.instruction:
        yield f"`{explanation.ptx}`"
    is_swapped = any(x.is_swap or x.is_other_computation for x in explanation.causes)
    changed_operands = format_changed_operands(
        part.instruction, part.operands, explanation.operands[explanation.shown_index]
    )
    if changed_operands and not is_swapped:
        yield changed_operands
    if explanation.failure:
        yield explanation.failure
    matches = explanation.matches
    if matches and matches.match_count > 1:
        solved_roles = [
            role
            for role in "ab"
            if any(f"{role}sel" in x.changed_aspects for x in explanation.causes)
        ]
        choices_text = (
            f": {_format_digit_choices(matches, solved_roles[0])}"
            if matches.lanes and len(solved_roles) == 1
            else ""
        )
        yield f"one of {format_match_count(matches)} that fit{choices_text}"


def _format_digit_choices(matches: SelectorMatches, role: str) -> str:
    """Format the digits that fit, lane by lane: ``a.b3[04]2*``; ``*`` is any digit."""
    lanes = [sorted({pair["ab".index(role)] for pair in lane}) for lane in reversed(matches.lanes)]
    digits_text = "".join(_format_digits(digits, 2 * len(lanes)) for digits in lanes)
    return f"{role}.{'b' if len(lanes) == 4 else 'h'}{digits_text}"


def _format_digits(digits: Sequence[int], count: int) -> str:
    """Format the digits that fit in a lane, out of ``count``."""
    if len(digits) == count:
        return "*"
    text = "".join(map(str, digits))
    return text if len(digits) == 1 else f"[{text}]"


def iter_unexplained_blocks(
    diagnosis: Diagnosis, max_near_count: int | None = None
) -> Iterator[Block]:
    """Yield the blocks of an unexplained result: the causes tried, and the nearest results.

    If their number is limited, the causes are not listed.
    """
    if len(diagnosis.block.statements) > 1:
        sentence = (
            f"No single change in a statement explains it. {diagnosis.try_count} were tried. If "
            "the register of another statement is known, explain the statements up to there."
        )
        yield make_paragraph(sentence)
        return
    ins = diagnosis.block.instruction
    missing_roles = _list_missing_roles(diagnosis)
    names = " or ".join(ins.format_operand(role) for role in missing_roles)
    restriction = f" that does not read {names}" if missing_roles else ""
    not_tried = "".join(_format_not_tried(ins, role) for role in missing_roles)
    tried = (
        ": the assemblers, other opcodes, every modifier, selector, mask and "
        f"negation{restriction}, other literals, operands exchanged, missing, overwritten, "
        "misread, byte-reversed, and common misconceptions"
    )
    sentence = (
        f"Nothing within two changes explains it. {diagnosis.try_count} combinations were tried"
        f"{tried if max_near_count is None else ''}.{not_tried}"
    )
    yield make_paragraph(sentence)
    yield make_paragraph(_ADVICE)
    count = len(diagnosis.cases)
    points = []
    for explanation in diagnosis.near_misses[:max_near_count]:
        distances = [f"explains {explanation.match_count} of {count}"] if count > 1 else []
        if explanation.distance:
            distances.append(
                f"{explanation.distance} bit{'s' if explanation.distance > 1 else ''} away"
            )
        result_text = format_result_bits(ins, explanation.get_result(explanation.shown_index))
        sentence = f"{result_text}  {', '.join(distances)}: {format_causes(explanation)}"
        points.append([sentence])
    if points:
        yield make_heading("The nearest")
        yield make_points(points, VALUE_INDENTS, is_close=True)


_ADVICE = (
    "Check the operands as they are just before the line, write ? for digits that are not certain, "
    "or explain the line together with those before it, in braces."
)
"""Advice for an unexplained result."""
_READING_C = ("mask", "dsel", "secop")
"""Slots that make an instruction read c."""


def _list_missing_roles(diagnosis: Diagnosis) -> list[str]:
    """Return one role for each register that the line does not read and that has no value."""
    block, ins = diagnosis.block, diagnosis.block.instruction
    given_names = {
        block.names.get(role) for x in diagnosis.cases for role in x.observation.operands
    }
    missing_roles: dict[str, str] = {}
    for role in ins.roles:
        name = ins.names.get(role)
        if name and name not in given_names:
            missing_roles.setdefault(name, role)
    return list(missing_roles.values())


def _format_not_tried(ins: Instruction, role: str) -> str:
    """Describe the causes that were skipped because an operand has no value."""
    name = ins.format_operand(role)
    if role == "c":
        slots = [slot for slot_name in _READING_C if (slot := ins.entry.find_slot(slot_name))]
        words = {"mask": "a mask", "dsel": "a selector of the destination"}
        modifiers = [
            words.get(slot.name) or ", ".join(f"`.{slot.format_value(x)}`" for x in slot.values)
            for slot in slots
        ]
        reason, examples = "", f" ({', '.join(modifiers)})" if modifiers else ""
    else:
        reason, examples = (
            ", as no lane is picked from it",
            " (other selectors, or exchanged operands)",
        )
    return (
        f" {name} was not given{reason}, so changes that read it{examples} were not tried; they "
        f"need a value of {name}."
    )


def iter_explanation_blocks(
    diagnosis: Diagnosis, explanation: Explanation, width: int = WIDTH
) -> Iterator[Block]:
    """Yield an explanation's sentence, its changes, and its steps from the first difference."""
    yield make_paragraph(explanation.sentence)
    yield from _iter_detail_blocks(diagnosis, explanation)
    yield from _iter_divergence_blocks(diagnosis, explanation, width)


def _iter_divergence_blocks(
    diagnosis: Diagnosis, explanation: Explanation, width: int
) -> Iterator[Block]:
    """Yield the steps of an explanation from its first difference to the documented trace."""
    documented_trace, trace = _get_part(diagnosis, explanation), explanation.trace
    if not explanation.causes or any(x.is_other_computation for x in explanation.causes):
        return
    if trace.result != documented_trace.result or documented_trace.plan != trace.plan:
        stage = find_first_difference(documented_trace, trace)
        steps = (*trace.steps, *documented_trace.steps)
        name = format_title(next(step for step in steps if step.stage is stage))
        heading = f"The explanation, from the first step that differs, `{name}`"
        yield make_heading(heading)
        visible_steps = iter_steps(trace, stage)
        yield make_verbatim(line for step in visible_steps for line in iter_step_lines(step, width))
        yield make_paragraph(f"It gives {format_result(trace)}.")
    if any(cause.reading for cause in explanation.causes):
        result_text = format_result_bits(
            trace.instruction, explanation.get_result(explanation.shown_index)
        )
        yield make_paragraph(f"It is read as {result_text}.", is_close=True)
    yield make_verbatim(wrap_command(list_command_words(trace), width), "sh", is_close=True)
