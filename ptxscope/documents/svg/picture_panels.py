"""The parts of a picture: its statements, and those that stand beside each other.

Two answers of an instruction are the same drawing twice, from the first step that differs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from ...engine.micro_operations.properties import Stage
from ...engine.tracing.trace import Trace
from ...scene.row_pairs import find_differing_bits, iter_pairs
from ..content.document import Document, Section, make_section
from .page_layout import COMPACT, EDGE, Layout


class Panel(NamedTuple):
    """A statement as it is drawn, or the steps of it that two answers share."""

    section: Section
    layout: Layout
    stages: Collection[Stage] = tuple(Stage)
    """The stages whose steps it shows or omits."""
    has_result: bool = True
    rival: Section | None = None
    """The section beside it, to which its values are compared."""
    tops: Mapping[str, float] = {}
    """Least y of the steps, by stage, and of the result, so that those beside it are level."""

    @property
    def is_answer(self) -> bool:
        """Whether it is one of two answers, and not of two traces."""
        return self.rival is not None and self.section.answers is not None


def list_groups(doc: Document, layout: Layout) -> Iterator[tuple[Panel, ...]]:
    """Yield the parts that are beside each other; in a compact layout all are alone."""
    first, answers = doc.sections[0], doc.answers
    if answers and answers.other_trace:
        order = list(Stage)
        start = order.index(answers.stage)
        common, own = frozenset(order[:start]), frozenset(order[start:])
        if any(step.stage in common for step in first.steps):
            yield (Panel(first, layout, common, has_result=False),)
        yield from _arrange(
            _list_answers(first, answers.other_trace), layout, own, is_compared=True
        )
        return
    for _, group in groupby(doc.sections, lambda x: x.statement.number):
        yield from _arrange(tuple(group), layout, tuple(Stage), is_compared=first.is_only)


def _list_answers(section: Section, trace: Trace) -> tuple[Section, Section]:
    """Return an instruction under its model and another one, the documentation first."""
    options = section.options
    other = make_section(section.statement, trace, options, is_only=True)
    other = other._replace(answers=section.answers, is_other=True)
    other = other if options.sentences else other.without_sentences()
    isa, ptxas = sorted((section, other), key=lambda x: bool(x.trace.model.errata))
    names = [erratum.id for erratum in ptxas.trace.changed_by]
    label = ptxas.model + f": {', '.join(names)}" * (ptxas.model != "+".join(names))
    return isa._replace(heading="isa, as documented"), ptxas._replace(heading=label)


def _arrange(
    sections: tuple[Section, ...], layout: Layout, stages: Collection[Stage], *, is_compared: bool
) -> Iterator[tuple[Panel, ...]]:
    """Yield sections beside each other; in a compact layout one by one."""
    rivals = sections[::-1] if is_compared and len(sections) > 1 else (None,) * len(sections)
    layouts = [layout] * len(sections)
    if not layout.is_compact and len(sections) > 1:
        columns = layout.page.split_columns(len(sections), EDGE)
        layouts = [COMPACT._replace(page=x, figures=x, words=x.shrink(2)) for x in columns]
    panels = tuple(
        Panel(section, own_layout, stages, rival=rival)
        for section, own_layout, rival in zip(sections, layouts, rivals, strict=True)
    )
    yield from ((x,) for x in panels) if layout.is_compact else (panels,)


def align_parts(tops: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return y at which the parts that all panels have are level, from y in each panel."""
    levels: dict[str, float] = {}
    shared = [part for part in tops[0] if all(part in own for own in tops)]
    for before, part in zip(["", *shared], shared, strict=False):
        heights = (own[part] - own[before] if before else own[part] for own in tops)
        levels[part] = levels.get(before, 0) + max(heights)
    return levels


def find_differing_lanes(panel: Panel) -> Mapping[str, frozenset[int]]:
    """Return the lanes of each row that differ from those beside it."""
    if panel.rival is None:
        return {}
    trace, rival = panel.section.trace, panel.rival.trace
    lane_count = trace.instruction.entry.lanes
    pairs = (x for stage in panel.stages for x in iter_pairs(trace, rival, stage))
    # the one value of a word, drawn by lanes, does not say in which lane it differs
    return {x.key: x.lanes for x in pairs if x.isa and lane_count in (1, len(x.isa.values))}


def describe_differences(panel: Panel) -> Iterator[str]:
    """Yield a sentence with the bits in which the results of two answers differ."""
    differences = []
    if panel.rival and panel.is_answer:
        for x, y in zip(panel.section.results, panel.rival.results, strict=True):
            ranges = find_differing_bits(int(x.bits, 16), int(y.bits, 16))
            if ranges and len(x.bits) > 1:
                text = ", ".join(str(h) if h == low else f"{h}:{low}" for h, low in ranges)
                is_single = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
                differences.append(f"{x.name} differs in bit{'' if is_single else 's'} {text}")
    if differences:
        yield f"{'; '.join(differences)}."
