"""A Diagnosis as text and as plain objects: what was seen, what explains it, and how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ...engine.diagnosis.causes import CauseKind
from ...engine.diagnosis.findings import Diagnosis, Finding, count_of, find_lane_verdicts
from ...engine.diagnosis.observation import Observation
from ...engine.diagnosis.selector_problem import SelectorMatches
from ...engine.diagnosis.value_causes import format_changed_operands
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.values import format_hex
from ...engine.tracing.divergence import find_first_difference
from ...engine.tracing.lane_text import format_result, format_result_bits, join_by_destination
from ...engine.tracing.step_text import format_title
from ..content.document import iter_steps, list_command_words
from .text import WIDTH, command_lines, render, step_lines, wrap_text

SHOWN = 6
"""Groups of explanations of a size that are shown unless all are asked for."""
ALIKE = 3
"""Further explanations of a group that are."""
_SIZES = {1: "With one change", 2: "With two changes"}


def render_text(diagnosis: Diagnosis, *, with_all: bool = False, is_brief: bool = False) -> str:
    """What a person is told, in at most 80 columns: the answers, and unless brief the traces."""
    lines = [make_printable(str(diagnosis.instruction)), "", *observation_lines(diagnosis), ""]
    findings = diagnosis.findings
    if not findings:
        lines += unexplained_lines(diagnosis)
        return "\n".join(lines) + "\n"
    lines += wrap_text(make_printable(findings[0].sentence), "", "")
    lines += _detail_lines(diagnosis, findings[0], "  ")
    for size, group in groupby(findings[1:], key=lambda x: len(x.causes)):
        lines += ["", f"{_format_heading(diagnosis, size)}"]
        lines += _finding_lines(diagnosis, list(group), with_all)
    if not is_brief:
        which = f" of observation {diagnosis.shown + 1}" if len(diagnosis.seen) > 1 else ""
        lines += ["", f"The documented evaluation{which}", ""]
        lines += [
            *render(diagnosis.documented).splitlines(),
            *_divergence_lines(diagnosis, findings[0]),
        ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def diagnosis_to_json(diagnosis: Diagnosis) -> list[dict[str, object]]:
    """The findings as plain objects, best first: the shape of ``explain --json``."""
    return [_finding_to_json(finding) for finding in diagnosis.findings]


def _finding_to_json(finding: Finding) -> dict[str, object]:
    ins = finding.instruction
    fits = finding.fits
    return {
        "kind": str(finding.kind),
        "ptx": finding.ptx,
        "model": finding.model.name,
        "errata": [erratum.id for erratum in finding.errata],
        "sentence": finding.sentence,
        "matched": finding.matched,
        "causes": [
            {"kind": str(cause.kind), "weight": cause.cost, "phrase": cause.phrase}
            for cause in finding.causes
        ],
        "observation": finding.shown + 1,
        "operands": {
            x.name: format_hex(finding.operands[finding.shown][x.roles[0]], x.type.bits)
            for x in ins.inputs
        },
        "result": {
            name: format_hex(finding.get_result(finding.shown)[role], ins.type_of(role).bits)
            for role, name in ins.results.items()
        },
        "selectors": fits
        and {"fitting": fits.match_count, "by_lane": [list(x) for x in fits.lanes]},
    }


def format_observed(ins: Instruction, seen: Observation) -> str:
    """``0x??01??00``; several destinations as ``p = 1, q = 0``."""
    return join_by_destination(
        ins, {r: x.format_bits(ins.type_of(r).bits) for r, x in seen.observed.items()}
    )


def format_right_lanes(diagnosis: Diagnosis) -> str:
    """Which lanes are as documented; empty where there are none, or none is known to differ."""
    unit, *verdicts = find_lane_verdicts(diagnosis)
    right, wrong, unknown = (lanes[::-1] for lanes in verdicts)
    if not wrong:
        return ""
    name = "lane" if diagnosis.instruction.entry.lanes > 1 else {8: "byte", 16: "half-word"}[unit]

    def told(lanes: Sequence[int]) -> str:
        return f"{name}{'s' if len(lanes) > 1 else ''} {', '.join(map(str, lanes))}"

    if not right:
        said = f"{told(wrong)} {'differs' if len(wrong) == 1 else 'differ'}"
        said = said if unknown else f"every {name} differs"
    else:
        said = f"{told(right)} right, {told(wrong)} {'is' if len(wrong) == 1 else 'are'} not"
    if unknown:
        *most, last = map(str, unknown)
        are = f"{', '.join(most)} and {last} are" if most else f"{last} is"
        said += f"; {are} not known"
    return said


def observation_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """What was observed beside what is documented."""
    ins, lanes = diagnosis.instruction, format_right_lanes(diagnosis)
    documented = make_printable(format_result(diagnosis.documented))
    got = make_printable(format_observed(ins, diagnosis.seen[diagnosis.shown].observation))
    if len(diagnosis.seen) == 1:
        yield f"  got         {got}"
        yield f"  documented  {documented}" + (lanes and f"  {lanes}")
        return
    wrong = sum(not x.observation.matches(x.documented) for x in diagnosis.seen)
    differ = "1 differs" if wrong == 1 else f"{wrong} differ"
    yield f"  {len(diagnosis.seen)} observations; {differ} from the documentation"
    if wrong:
        yield f"  the first is number {diagnosis.shown + 1}: got {got}"
        yield f"  documented for it: {documented}"
    if lanes:
        yield f"  {lanes}"


def _format_heading(diagnosis: Diagnosis, size: int) -> str:
    if diagnosis.findings[0].kind is CauseKind.DOCUMENTED:
        return "These fit what was observed as well"
    return _SIZES[size]


def _finding_lines(diagnosis: Diagnosis, found: list[Finding], with_all: bool) -> Iterator[str]:
    """The explanations of one size; those that vary the same things stand together."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in found:
        groups.setdefault(tuple(cause.decided_axes for cause in finding.causes), []).append(finding)
    shown = list(groups.values())[: None if with_all else SHOWN]
    for first, *others in shown:
        yield from wrap_text(make_printable(format_causes(first)), "  - ", "    ")
        yield from _detail_lines(diagnosis, first, "    ")
        near = others if with_all else others[:ALIKE]
        for other in near:
            yield from wrap_text(make_printable(format_causes(other)), "    or ", "       ")
        if len(others) > len(near):
            yield f"    or {len(others) - len(near)} more of the kind (--all)"
    if len(groups) > len(shown):
        yield f"  … and {len(groups) - len(shown)} more (--all)"


def format_causes(finding: Finding) -> str:
    """Its causes in few words."""
    return " and ".join(cause.phrase for cause in finding.causes) or "as documented"


def _detail_lines(diagnosis: Diagnosis, finding: Finding, indent: str) -> Iterator[str]:
    """The changed line, the changed operands, the selectors that fit."""
    if finding.instruction != diagnosis.instruction:
        yield indent + make_printable(finding.ptx)
    swapped = any(cause.swap for cause in finding.causes)
    given = diagnosis.seen[finding.shown].observation.operands
    changed = format_changed_operands(diagnosis.instruction, given, finding.operands[finding.shown])
    if changed and not swapped:
        yield f"{indent}{changed}"
    fits = finding.fits
    if fits and fits.match_count > 1:
        solved = [
            role for role in "ab" if any(f"{role}sel" in x.decided_axes for x in finding.causes)
        ]
        listed = (
            f": {_format_digit_choices(fits, solved[0])}" if fits.lanes and len(solved) == 1 else ""
        )
        yield f"{indent}one of {count_of(fits)} that fit{listed}"


def _format_digit_choices(fits: SelectorMatches, role: str) -> str:
    """``a.b3[04]2*``: the digits that fit, lane by lane; ``*`` is any."""
    lanes = [sorted({pair["ab".index(role)] for pair in lane}) for lane in reversed(fits.lanes)]
    digits = (
        str(x[0]) if len(x) == 1 else "*" if len(x) == 2 * len(lanes) else f"[{_format_digits(x)}]"
        for x in lanes
    )
    return f"{role}.{'b' if len(lanes) == 4 else 'h'}{''.join(digits)}"


def _format_digits(digits: Sequence[int]) -> str:
    return "".join(map(str, digits))


def unexplained_lines(diagnosis: Diagnosis, width: int = WIDTH) -> Iterator[str]:
    """That nothing explains it, what was tried, and what comes nearest."""
    ins = diagnosis.instruction
    lacking = _list_missing_roles(diagnosis)
    names = " or ".join(ins.format_operand(role) for role in lacking)
    that = f" that does not read {names}" if lacking else ""
    said = (
        f"Nothing within two changes explains it. {diagnosis.tried} combinations were tried: "
        f"the assemblers, other opcodes, every modifier, selector, mask and negation{that}, "
        "operands exchanged, missing, overwritten, misread, byte-reversed, and what people often "
        f"expect.{''.join(_format_not_tried(ins, role) for role in lacking)}"
    )
    yield from wrap_text(make_printable(said), "", "", width)
    count = len(diagnosis.seen)
    if diagnosis.nearest:
        yield from ("", "The nearest")
    for near in diagnosis.nearest:
        far = [f"explains {near.matched} of {count}"] if count > 1 else []
        if near.distance:
            far.append(f"{near.distance} bit{'s' if near.distance > 1 else ''} away")
        gives = format_result_bits(ins, near.get_result(near.shown))
        said = f"{gives}  {', '.join(far)}: {format_causes(near)}"
        yield from wrap_text(make_printable(said), "  ", "      ", width)


_READING_C = ("mask", "dsel", "secop")
"""Slots by which a c is read that was not."""


def _list_missing_roles(diagnosis: Diagnosis) -> list[str]:
    """The roles of registers that were not given, as the line reads none of them; each once."""
    given = {role for x in diagnosis.seen for role in x.observation.operands}
    lacking: dict[str, str] = {}
    for role, source in diagnosis.instruction.roles.items():
        if role not in given:
            lacking.setdefault(str(source), role)
    return list(lacking.values())


def _format_not_tried(ins: Instruction, role: str) -> str:
    """What was not tried because an operand was not given."""
    name = ins.format_operand(role)
    if role == "c":
        slots = [slot for each in _READING_C if (slot := ins.entry.find_slot(each))]
        words = {"mask": "a mask", "dsel": "a selector of the destination"}
        reading = [
            words.get(slot.name) or ", ".join(f"`.{slot.format_value(x)}`" for x in slot.values)
            for slot in slots
        ]
        why, such = "", f" ({', '.join(reading)})" if reading else ""
    else:
        why, such = ", as no lane is picked from it", " (other selectors, or exchanged operands)"
    return (
        f" {name} was not given{why}, so changes that read it{such} were not tried; give {name}=… "
        "to try them too."
    )


def explanation_lines(diagnosis: Diagnosis, finding: Finding, width: int = WIDTH) -> list[str]:
    """A finding's sentence, what it changes, and its steps from where they are others."""
    lines = wrap_text(make_printable(finding.sentence), "", "", width)
    lines += _detail_lines(diagnosis, finding, "  ")
    return [*lines, *_divergence_lines(diagnosis, finding, width)]


def _divergence_lines(diagnosis: Diagnosis, finding: Finding, width: int = WIDTH) -> Iterator[str]:
    """The steps of an explanation from where it and the documented trace part."""
    documented, trace = diagnosis.documented, finding.trace
    if not finding.causes:
        return
    if trace.result != documented.result or documented.plan != trace.plan:
        stage = find_first_difference(documented, trace)
        steps = (*trace.steps, *documented.steps)
        name = format_title(next(step for step in steps if step.stage is stage))
        said = f"What explains it, from the step `{name}` on, where the two part"
        yield from ("", *wrap_text(said, "", "", width), "")
        for step in iter_steps(trace, stage):
            yield from step_lines(step, width)
        yield from ("", f"It gives {make_printable(format_result(trace))}.")
    if any(cause.reading for cause in finding.causes):
        read = format_result_bits(trace.instruction, finding.get_result(finding.shown))
        yield f"It is read as {make_printable(read)}."
    yield from command_lines(list_command_words(trace), width)
