"""Two answers beside each other: one trunk, and from where they part a branch for each."""

from __future__ import annotations

from ...engine.records import NamedTuple
from ...engine.semantics.plan import Stage
from ...engine.tracing.divergence import find_divergence, find_divergences
from ...engine.tracing.trace import Trace
from ...scene.row_pairs import Pair, find_differing_bits, iter_pairs
from ...scene.scene_model import Scene
from ..content.document import Document, ResultView, StepView, build_document
from ..options import Options
from .cell_shapes import drop_hex_prefixes
from .page_layout import EDGE, FIGURES, PAGE, WIDTH, Area, Sketch, build_visible_scene
from .result_shapes import draw_column_grounds, draw_remark, draw_results, step_notes
from .step_layout import draw_rows, place_rows
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour

_PAGE = Area(EDGE, WIDTH - 2 * EDGE)
_APART = 156
"""Between the branches: the words of both stand there."""
_MIDDLE = Area(WIDTH / 2 - 62, 124)
LONGEST_OF_BRANCH = 5
"""Names with more characters are told once: a branch has half the room."""
_WAYS = 72
"""Height in which the trunk forks."""


class Branch(NamedTuple):
    """One answer from where they part."""

    trace: Trace
    scene: Scene
    name: str
    label: str
    steps: dict[Stage, StepView]
    results: tuple[ResultView, ...]
    own: bool
    """It is the answer that the trunk goes on to."""


class AnswerBranches(NamedTuple):
    """A trunk and its two branches, the documented one first."""

    trunk: tuple[StepView, ...]
    stage: Stage
    branches: tuple[Branch, Branch]

    def list_pairs(self, stage: Stage) -> list[Pair]:
        """The rows of a stage, those of both answers together."""
        isa, other = self.branches
        return list(iter_pairs(isa.trace, other.trace, stage))


def make_branches(doc: Document, trace: Trace, options: Options) -> AnswerBranches | None:
    """The fork of a document in which both answers are told and part; else None."""
    found = (
        find_divergence(trace, find_divergences(trace)) if doc.answers and doc.answers.of else None
    )
    if found is None or doc.answers is None:
        return None
    order = list(Stage)
    at = order.index(found.stage)
    trunk = tuple(step for step in doc.steps if order.index(step.stage) < at)
    own = {step.stage: step for step in doc.steps if order.index(step.stage) >= at}
    others = {step.stage: step for step in doc.answers.steps}

    def branch(of: Trace, label: str) -> Branch:
        mine = of.model == trace.model
        told = build_document(of, options._replace(both=False)).results
        return Branch(
            of,
            build_visible_scene(of, options),
            of.model.name,
            label,
            own if mine else others,
            told,
            mine,
        )

    ids = ", ".join(erratum.id for erratum in found.errata)
    name = found.other.model.name
    label = name if name == ids.replace(", ", "+") else f"{name}: {ids}"
    return AnswerBranches(
        trunk, found.stage, (branch(found.isa, "isa, as documented"), branch(found.other, label))
    )


def draw_branches(doc: Document, fork: AnswerBranches, pen: SvgCanvas, y: float) -> float:
    """Where the trunk parts, and both branches to their results; returns the end."""
    areas = _PAGE.split_columns(2, _APART)
    stages = [stage for stage in Stage if any(stage in x.steps for x in fork.branches)]
    own = next(branch for branch in fork.branches if branch.own)
    marked = [stage for stage in stages if stage in own.steps]
    if marked:  # what says that they part is seen with the first step in which they do
        pen.mark(f"step-{marked[0]}", y)
    since = pen.marks[-1].name
    top = y + _WAYS
    _draw_split(fork, pen, areas, y, top)
    drawn = [_make_branch_sketch(doc, branch, area, pen) for branch, area in
             zip(fork.branches, areas, strict=True)]  # fmt: skip
    for sketch, branch in zip(drawn, fork.branches, strict=True):
        _name(sketch, branch, top)
    y = top + 34
    for stage in stages:
        if stage in marked[1:]:
            pen.mark(f"step-{stage}", y)
        found = fork.list_pairs(stage)
        for sketch in drawn:
            sketch.differing = {pair.key: pair.lanes for pair in found}
        alike = not any(pair.is_different for pair in found)
        words = _draw_words(drawn, fork, stage, y, is_alike=alike)
        both = zip(drawn, fork.branches, strict=True)
        y = max(words, *(_draw_band(sketch, branch, stage, y) for sketch, branch in both))
    pen.mark("result", y)
    ends = []
    for sketch, branch, other in zip(drawn, fork.branches, fork.branches[::-1], strict=True):
        draw_column_grounds(sketch, top, y, since)
        ends.append(draw_results(doc, branch.results, sketch, y, other.results))
    return _draw_differences(fork, pen, max(ends))


def _draw_split(
    fork: AnswerBranches, pen: SvgCanvas, areas: list[Area], y: float, top: float
) -> None:
    """The line that forks."""
    pen.open("px-fork")
    pen.draw_text(
        EDGE,
        y + 24,
        "Here the answers part" if fork.trunk else "Two answers",
        15,
        SvgColour.INK,
        is_bold=True,
    )
    if fork.trunk:
        pen.draw_text(EDGE, y + 41, "Above, both are the same.", 11, SvgColour.DIM)
    pen.draw_dot(FIGURES.center, y + 6, SvgColour.MARK, size=5)
    for area in areas:
        pen.draw_flow((FIGURES.center, y + 10), (area.center, top), SvgColour.MARK)
    pen.close()


def _make_branch_sketch(doc: Document, branch: Branch, area: Area, pen: SvgCanvas) -> Sketch:
    """The sketch of a branch: nothing of the trunk is drawn in it yet."""
    layout, steps = PAGE._replace(figures=area), tuple(branch.steps.values())
    sketch = Sketch(pen, branch.scene, doc, steps, layout)
    sketch.branch = branch.name
    place_rows(sketch)
    return sketch


def _name(sketch: Sketch, branch: Branch, y: float) -> None:
    pen, area = sketch.pen, sketch.figures
    pen.draw_rect(area.x, y, area.width, 26, SvgColour.PAGE, SvgColour.INK, radius=8, line=1.6)
    pen.draw_text(
        area.center,
        y + 17.5,
        drop_hex_prefixes(branch.label),
        13,
        SvgColour.INK,
        anchor="middle",
        is_bold=True,
        width=area.width - 16,
    )


def _draw_words(
    drawn: list[Sketch], fork: AnswerBranches, stage: Stage, y: float, *, is_alike: bool
) -> float:
    """Between the branches: the numbers and the title of a step, and a sentence, or one each."""
    told: list[str] = []
    title = y + 24
    end = title + 16
    for sketch, branch, x in zip(drawn, fork.branches, (_MIDDLE.x + 6, _MIDDLE.right - 6),
                                 strict=True):  # fmt: skip
        step, pen = branch.steps.get(stage), sketch.pen
        if step is None:
            continue
        pen.open("px-words")
        pen.draw_dot(x, y + 10, SvgColour.INK, is_hollow=True, size=9)
        pen.draw_text(
            x, y + 13.8, str(step.number), 10.5, SvgColour.INK, anchor="middle", is_bold=True
        )
        about = drop_hex_prefixes(step.about)
        if not told:
            shown = step.title[:1].upper() + step.title[1:]
            pen.draw_text(
                _MIDDLE.center,
                title - 10,
                shown,
                13,
                SvgColour.INK,
                anchor="middle",
                is_bold=True,
                width=_MIDDLE.width - 34,
            )
            if is_alike:
                pen.draw_text(
                    _MIDDLE.center, end - 8, "both alike", 11, SvgColour.DIM, anchor="middle"
                )
                end += 14
        if about not in told:
            one = all(x.steps.get(stage) for x in fork.branches)
            same = one and len({x.steps[stage].about for x in fork.branches}) == 1
            if not same:
                pen.draw_text(_MIDDLE.x, end, branch.name, 11, SvgColour.INK, is_bold=True,
                         width=_MIDDLE.width)  # fmt: skip
                end += 14.5
            lines = pen.wrap_text(about, _MIDDLE.width, 11)
            end = pen.draw_lines(
                _MIDDLE.x, end, lines, 11, SvgColour.DIM, step=pen.compute_pitch(14.5, 11)
            )
        told.append(about)
        pen.close()
    return end


def _draw_band(sketch: Sketch, branch: Branch, stage: Stage, y: float) -> float:
    """The rows of a step of one answer; returns the end."""
    step = branch.steps.get(stage)
    if step is None:
        return y
    pen = sketch.pen
    pen.open(*_group(branch, stage))
    end = draw_rows(sketch, next(x for x in sketch.scene.steps if x.stage is stage), y, y)
    end = step_notes(pen, step, end, sketch.figures)
    pen.close()
    return end


def _group(branch: Branch, stage: Stage) -> tuple[str, str]:
    """Class and name of a step of an answer."""
    if branch.own:
        return f"px-step px-{stage}", f"step-{stage}"
    return f"px-step px-{stage} px-other", f"other-{stage}"


def _draw_differences(fork: AnswerBranches, pen: SvgCanvas, y: float) -> float:
    """The bits in which the results differ."""
    isa, other = fork.branches
    found = []
    for (name, bits, _), (_, theirs, _) in zip(isa.results, other.results, strict=True):
        ranges = find_differing_bits(int(bits, 16), int(theirs, 16))
        if ranges and len(bits) > 1:
            listed = ", ".join(str(h) if h == low else f"{h}:{low}" for h, low in ranges)
            one = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
            found.append(f"{name} differs in bit{'' if one else 's'} {listed}")
    return draw_remark(pen, f"{'; '.join(found)}.", y + 22, _PAGE) - 6 if found else y
