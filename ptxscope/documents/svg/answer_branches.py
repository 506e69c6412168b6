"""Two answers side by side: a common trunk, and a branch for each from the point of divergence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...engine.micro_operations.stage import Stage
from ...engine.tracing.divergence import find_divergence, find_divergences
from ...engine.tracing.trace import Trace
from ...scene.row_pairs import Pair, find_differing_bits, iter_pairs
from ...scene.scene_model import Scene
from ..content.document import Document, ResultView, Section, StepView, build_document
from ..options import MachineRow, Options
from .machine_lines import draw_machine_rows
from .page_layout import EDGE, FIGURES, PAGE, WIDTH, Area, Sketch, build_visible_scene
from .result_shapes import draw_column_grounds, draw_remark, draw_results, draw_step_notes
from .step_layout import draw_rows, place_rows
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour

_PAGE = Area(EDGE, WIDTH - 2 * EDGE)
_GAP = 156
"""Space in px between the branches, for the words of both."""
_MIDDLE = Area(WIDTH / 2 - 62, 124)
LONGEST_OF_BRANCH = 5
"""Longest name in characters that is drawn in full; a branch has half the usual room."""
_FORK_HEIGHT = 72
"""Height of the fork in px."""


class Branch(NamedTuple):
    """One answer from the point of divergence."""

    trace: Trace
    scene: Scene
    name: str
    label: str
    steps: dict[Stage, StepView]
    results: tuple[ResultView, ...]
    is_own: bool
    """Whether it has the trace's own answer."""


class AnswerBranches(NamedTuple):
    """A trunk and its two branches, the documented one first."""

    trunk: tuple[StepView, ...]
    stage: Stage
    branches: tuple[Branch, Branch]

    def list_pairs(self, stage: Stage) -> list[Pair]:
        """Return the rows of a stage, paired by key."""
        isa_branch, other_branch = self.branches
        return list(iter_pairs(isa_branch.trace, other_branch.trace, stage))


def make_branches(doc: Document, trace: Trace, options: Options) -> AnswerBranches | None:
    """Return the branches of a document that shows both answers, or None."""
    divergence = (
        find_divergence(trace, find_divergences(trace))
        if doc.answers and doc.answers.other_trace
        else None
    )
    if divergence is None or doc.answers is None:
        return None
    order = list(Stage)
    start = order.index(divergence.stage)
    trunk = tuple(step for step in doc.steps if order.index(step.stage) < start)
    own_steps = {step.stage: step for step in doc.steps if order.index(step.stage) >= start}
    other_steps = {step.stage: step for step in doc.answers.steps}

    def make_branch(branch_trace: Trace, label: str) -> Branch:
        is_own = branch_trace.model == trace.model
        result_views = build_document(branch_trace, options._replace(both=False)).results
        return Branch(
            branch_trace,
            build_visible_scene(branch_trace, options),
            branch_trace.model.name,
            label,
            own_steps if is_own else other_steps,
            result_views,
            is_own,
        )

    ids = ", ".join(erratum.id for erratum in divergence.errata)
    name = divergence.other.model.name
    label = name if name == ids.replace(", ", "+") else f"{name}: {ids}"
    return AnswerBranches(
        trunk,
        divergence.stage,
        (make_branch(divergence.isa, "isa, as documented"), make_branch(divergence.other, label)),
    )


def draw_branches(section: Section, branches: AnswerBranches, trunk: Sketch, y: float) -> float:
    """Draw the point of divergence, and both branches to their results; return the end."""
    canvas = trunk.canvas
    areas = _PAGE.split_columns(2, _GAP)
    stages = [stage for stage in Stage if any(stage in x.steps for x in branches.branches)]
    own_branch = next(branch for branch in branches.branches if branch.is_own)
    marked_stages = [stage for stage in stages if stage in own_branch.steps]
    if marked_stages:  # the words about the divergence appear with the first step that differs
        canvas.add_mark(f"step-{marked_stages[0]}", y)
    start_name = canvas.marks[-1].name
    top = y + _FORK_HEIGHT
    _draw_split(branches, canvas, areas, y, top)
    sketches = [_make_branch_sketch(section, branch, area, canvas) for branch, area in
             zip(branches.branches, areas, strict=True)]  # fmt: skip
    for sketch, branch in zip(sketches, branches.branches, strict=True):
        _draw_name(sketch, branch, top)
    y = top + 34
    for stage in stages:
        if stage in marked_stages[1:]:
            canvas.add_mark(f"step-{stage}", y)
        pairs = branches.list_pairs(stage)
        for sketch in sketches:
            sketch.differing_lanes = {pair.key: pair.lanes for pair in pairs}
        is_alike = not any(pair.is_different for pair in pairs)
        words_end = _draw_words(sketches, branches, stage, y, is_alike=is_alike)
        y = max(
            words_end,
            *(
                _draw_band(
                    sketch, branch, stage, y, _take_machine_rows(section, trunk, branch, stage)
                )
                for sketch, branch in zip(sketches, branches.branches, strict=True)
            ),
        )
    canvas.add_mark("result", y)
    bottoms = []
    for sketch, branch, other_branch in zip(
        sketches, branches.branches, branches.branches[::-1], strict=True
    ):
        draw_column_grounds(sketch, top, y, start_name)
        bottoms.append(draw_results(section, branch.results, sketch, y, other_branch.results))
    return _draw_differences(branches, canvas, max(bottoms))


def _draw_split(
    branches: AnswerBranches, canvas: SvgCanvas, areas: list[Area], y: float, top: float
) -> None:
    """Draw the line that forks."""
    canvas.open_group("px-fork")
    canvas.draw_text(
        EDGE,
        y + 24,
        "The answers differ from here" if branches.trunk else "Two answers",
        15,
        SvgColour.INK,
        is_bold=True,
    )
    if branches.trunk:
        canvas.draw_text(EDGE, y + 41, "The steps above are the same for both.", 11, SvgColour.DIM)
    canvas.draw_dot(FIGURES.center, y + 6, SvgColour.MARK, size=5)
    for area in areas:
        canvas.draw_flow((FIGURES.center, y + 10), (area.center, top), SvgColour.MARK)
    canvas.close_group()


def _make_branch_sketch(section: Section, branch: Branch, area: Area, canvas: SvgCanvas) -> Sketch:
    """Return the sketch of a branch, without any part of the trunk."""
    layout, steps = PAGE._replace(figures=area), tuple(branch.steps.values())
    sketch = Sketch(canvas, branch.scene, section, steps, layout)
    sketch.branch = branch.name
    place_rows(sketch)
    return sketch


def _draw_name(sketch: Sketch, branch: Branch, y: float) -> None:
    canvas, area = sketch.canvas, sketch.figures
    canvas.draw_rect(area.x, y, area.width, 26, SvgColour.PAGE, SvgColour.INK, radius=8, line=1.6)
    canvas.draw_text(
        area.center,
        y + 17.5,
        branch.label,
        13,
        SvgColour.INK,
        anchor="middle",
        is_bold=True,
        width=area.width - 16,
    )


def _draw_words(
    sketches: list[Sketch], branches: AnswerBranches, stage: Stage, y: float, *, is_alike: bool
) -> float:
    """Draw number, title and sentence of a step between the branches; return the end."""
    sentences: list[str] = []
    title = y + 24
    end = title + 16
    for sketch, branch, x in zip(sketches, branches.branches, (_MIDDLE.x + 6, _MIDDLE.right - 6),
                                 strict=True):  # fmt: skip
        step, canvas = branch.steps.get(stage), sketch.canvas
        if step is None:
            continue
        canvas.open_group("px-words")
        canvas.draw_dot(x, y + 10, SvgColour.INK, is_hollow=True, size=9)
        canvas.draw_text(
            x, y + 13.8, str(step.number), 10.5, SvgColour.INK, anchor="middle", is_bold=True
        )
        about = step.about
        if not sentences:
            step_title = step.title[:1].upper() + step.title[1:]
            canvas.draw_text(
                _MIDDLE.center,
                title - 10,
                step_title,
                13,
                SvgColour.INK,
                anchor="middle",
                is_bold=True,
                width=_MIDDLE.width - 34,
            )
            if is_alike:
                canvas.draw_text(
                    _MIDDLE.center, end - 8, "both alike", 11, SvgColour.DIM, anchor="middle"
                )
                end += 14
        if about not in sentences:
            has_both = all(x.steps.get(stage) for x in branches.branches)
            is_same = has_both and len({x.steps[stage].about for x in branches.branches}) == 1
            if not is_same:
                canvas.draw_text(_MIDDLE.x, end, branch.name, 11, SvgColour.INK, is_bold=True,
                         width=_MIDDLE.width)  # fmt: skip
                end += 14.5
            lines = canvas.wrap_text(about, _MIDDLE.width, 11)
            end = canvas.draw_lines(_MIDDLE.x, end, lines, 11, SvgColour.DIM, step=14.5)
        sentences.append(about)
        canvas.close_group()
    return end


def _take_machine_rows(
    section: Section, trunk: Sketch, branch: Branch, stage: Stage
) -> list[MachineRow]:
    """Return the machine instructions of a stage, if they compute what this branch has."""
    code = section.machine_code
    is_followed = code is not None and branch.trace.model.name in code.models
    return trunk.take_machine_rows((stage,)) if is_followed else []


def _draw_band(
    sketch: Sketch, branch: Branch, stage: Stage, y: float, machine_rows: Sequence[MachineRow]
) -> float:
    """Draw the rows of a step of one answer; return the end."""
    step = branch.steps.get(stage)
    if step is None:
        return y
    canvas = sketch.canvas
    canvas.open_group(*_format_group(branch, stage))
    end = draw_rows(sketch, next(x for x in sketch.scene.steps if x.stage is stage), y, y)
    end = draw_step_notes(canvas, step, end, sketch.figures)
    end = draw_machine_rows(canvas, machine_rows, end, sketch.figures)
    canvas.close_group()
    return end


def _format_group(branch: Branch, stage: Stage) -> tuple[str, str]:
    """Return the class and the name of a step of an answer."""
    if branch.is_own:
        return f"px-step px-{stage}", f"step-{stage}"
    return f"px-step px-{stage} px-other", f"other-{stage}"


def _draw_differences(branches: AnswerBranches, canvas: SvgCanvas, y: float) -> float:
    """Draw the ranges of bits in which the results differ."""
    isa_branch, other_branch = branches.branches
    differences = []
    for (name, bits, _), (_, other_bits, _) in zip(
        isa_branch.results, other_branch.results, strict=True
    ):
        ranges = find_differing_bits(int(bits, 16), int(other_bits, 16))
        if ranges and len(bits) > 1:
            ranges_text = ", ".join(str(h) if h == low else f"{h}:{low}" for h, low in ranges)
            is_single_bit = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
            differences.append(f"{name} differs in bit{'' if is_single_bit else 's'} {ranges_text}")
    return (
        draw_remark(canvas, f"{'; '.join(differences)}.", y + 22, _PAGE) - 6 if differences else y
    )
