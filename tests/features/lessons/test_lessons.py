"""Every lesson holds: its steps, anchors and questions exist, and what it says is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxscope import parse
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.semantics.models import PTXAS_MODELS
from ptxscope.engine.semantics.rules import ALL_ERRATA
from ptxscope.engine.tracing.step_text import interpret_bits
from ptxscope.engine.tracing.trace import make_trace
from ptxscope.features.lessons.lesson import (
    COST_ARCH,
    Card,
    Lesson,
    LessonError,
    LessonSource,
    list_files,
    list_headings,
    load_lesson,
)
from ptxscope.features.lessons.lesson_text import (
    describe_anchor,
    describe_question,
    format_answer,
    format_picture,
    format_solution,
    render,
    wrap_text,
)
from ptxscope.features.lessons.text_templates import TemplatePieceKind, strip_marks
from ptxscope.learn.grader import compute_expected, grade_answer, list_hints
from tests.features.lessons.quotes import missing_numbers
from tests.reference import reference
from tests.tiers import ci_only

LESSONS = [*list_files()]
CARDS = [(name, at) for name in LESSONS for at in range(len(load_lesson(name).cards))]
every_lesson = pytest.mark.parametrize("name", LESSONS)
HEAD = "# A title\nminutes: 4\nsummary: what it is about\ngroup: g\npurpose: p\nc: x = y;\n"
CARD = "## A card\n\n```card\nptx: vadd4.u32.u32.u32 d, a, b, c\nwith: a=1 b=2\n{}```\n\n{}\n"
ASKED = CARD.format("ask: operate.t lane 0\n", "How much?\n\n> So much.")


def written(fields: str = "", text: str = "Words.", last: str = ASKED) -> str:
    """A lesson of one card more than its predictions."""
    return "\n".join((HEAD, CARD.format(fields, text), last, ASKED, ASKED))


def parse_lesson(text: str) -> Lesson:
    return LessonSource(text, "x.md", "x").lesson


def cards(name: str) -> tuple[Card, ...]:
    return load_lesson(name).cards


def test_the_lessons_cover_every_subject() -> None:
    subjects = "register unpack lanes averages extension brighten clamping merging accumulating "
    subjects += (
        "selectors vset signedness setp floats slct shifts vmad dot-products smith-waterman "
    )
    subjects += "permuting truth-tables "
    assert [*subjects.split(), "fields", "errata"] == LESSONS
    assert all(3 <= head.minutes <= 8 for head in list_headings())
    assert all(x.title and x.summary and x.purpose and x.c_line for x in list_headings())
    assert [head.cards for head in list_headings()] == [len(cards(name)) for name in LESSONS]
    for head in list_headings():
        assert [*head.question_cards] == [x for x, card in enumerate(cards(head.name)) if card.ask]


@every_lesson
def test_the_anchor_of_a_card_is_shown_and_the_asked_value_is_hidden(name: str) -> None:
    for card in cards(name):
        assert 0 <= card.step <= len(card.trace.steps)
        shown = {row.key for step in card.trace.steps[: card.step] for row in step.rows}
        anchor = card.anchor
        assert anchor is not None, f"{card.title} points at nothing"
        if card.ask:
            assert card.ask.key not in shown
            assert card.ask.key not in card.trace.instruction.results or len(shown) < len(
                card.trace.rows
            )
        elif anchor.key in card.trace.rows:
            assert anchor.key in shown
            lanes = len(card.trace.rows[anchor.key].values)
            assert (anchor.lane or 0) < lanes
            assert lanes == 1 or anchor.lane is not None
        elif anchor.is_slot:
            assert anchor.key in {slot.name for slot in card.trace.instruction.entry.slots}
        else:
            assert anchor.key in card.trace.operands or anchor.key in card.trace.instruction.results
        assert card.ask or describe_anchor(card)


@every_lesson
def test_no_earlier_card_answers_a_question(name: str) -> None:
    for at, card in enumerate(cards(name)):
        if not card.ask:
            continue
        stages: list[Stage | None] = [step.stage for step in card.trace.steps]
        row = card.trace.rows.get(card.ask.key)
        asked = stages.index(row.stage) + 1 if row else len(stages)
        for other in cards(name)[:at]:
            of = (other.trace.instruction, other.trace.operands)
            if of != (card.trace.instruction, card.trace.operands):
                continue
            shown = other.step
            if other.ask:  # a right answer draws its step
                told = other.trace.rows.get(other.ask.key)
                shown = stages.index(told.stage) + 1 if told else len(stages)
            assert shown < asked, f"{other.title} shows what {card.title} asks"


@every_lesson
def test_no_operand_display_contains_the_asked_number(name: str) -> None:
    """An operand is shown with what its lanes mean: that must not be the answer."""
    for card in cards(name):
        if card.ask and card.ask.key.startswith("extend.") and card.ask.lane is not None:
            of, lane = card.trace, card.ask.lane
            sources = of.rows[card.ask.key.replace("extend", "select")].input_keys
            told = [interpret_bits(of.instruction, x, of.operands[x]).strip("[]") for x in sources]
            assert all(format_answer(card) != text.split(", ")[3 - lane] for text in told)


@every_lesson
def test_a_place_bears_the_title_of_its_step(name: str) -> None:
    for card in cards(name):
        if card.ask and card.ask.key in card.trace.rows:
            step, _, lane = describe_question(card).partition(", ")
            of = card.trace.rows[card.ask.key].name
            step = step.removesuffix(f" {of}")
            titles = [line for line in format_solution(card) if re.match(r"\d [a-zA-Z]", line)]
            assert re.match(rf"\d {step} ", titles[-1])
            assert re.fullmatch(r"(lane \d)?", lane)
        elif not card.ask and card.anchor and card.anchor.key in card.trace.rows:
            step = describe_anchor(card).partition(", ")[0]
            assert re.search(rf"^\d {step} ", "\n".join(format_picture(card)), re.MULTILINE)


def test_a_question_on_a_sum_names_the_add_step() -> None:
    assert describe_question(parse_lesson(written()).cards[-1]) == "add, lane 0"


@every_lesson
def test_a_lesson_has_three_questions_with_accepted_answers(name: str) -> None:
    asked = [card for card in cards(name) if card.ask]
    assert len(asked) >= 3
    assert all(card.ask for card in cards(name)[-3:])
    for card in asked:
        of = card.question
        assert grade_answer(of, str(compute_expected(of))).is_right
        assert grade_answer(of, format_answer(card)).is_right
        assert not grade_answer(of, "1" if compute_expected(of) == 0 else "0").is_right
        assert list_hints(of)
        assert card.remark


@pytest.mark.parametrize("path", list_files().values(), ids=LESSONS)
def test_lesson_files_are_ascii(path: Path) -> None:
    """What stands in for other characters where they can't be drawn may mean something else."""
    assert path.read_bytes().isascii()


@ci_only
def test_the_costs_of_lessons_are_those_that_ptxas_makes() -> None:
    machine_code = pytest.importorskip("ptxscope.features.machine.machine_code")
    costs = [cost for head in list_headings() for cost in head.costs]
    for cost in costs:
        try:
            count = machine_code.count_machine_code(parse(cost.line), COST_ARCH)
        except ValueError as error:  # no tools
            pytest.skip(str(error))
        assert count == str(cost.instructions), cost.line


@every_lesson
def test_few_words_all_filled(name: str) -> None:
    for card in cards(name):
        text, remark = strip_marks(card.text), strip_marks(card.remark)
        assert 5 <= len(text.split()) <= 60, card.title
        assert len(remark.split()) <= 40, card.title
        written_ = "".join(
            x.text for x in (*card.text, *card.remark) if x.kind is TemplatePieceKind.PLAIN
        )
        assert not set("{}|*`") & set(written_), card.title
        assert "  " not in text + remark
    assert (
        sum(piece.kind is TemplatePieceKind.VALUE for card in cards(name) for piece in card.text)
        >= 5
    )


# bounds of types, bits of a value, ptxas versions, a literal of C or of a divisor, a year
KNOWN = {*"127 128 255 2017 0x80 13.2 13.3 1.0 2.0 -1.5 10 15 30 31 256 32767".split()}
NUMBER = re.compile(r"(?<![\w.])0x[0-9a-fA-F]+|(?<![\w.])\d+(?:\.\d+)?(?![\w])")


@pytest.mark.parametrize("path", list_files().values(), ids=LESSONS)
def test_lesson_texts_take_large_numbers_from_the_trace(path: Path) -> None:
    text = re.sub(r"```card.*?```|`[^`\n]*`|\{[^}\n]*\}", " ", path.read_text(), flags=re.S)
    text = "\n".join(text.split("\n## ")[1:])
    numbers = {x for x in NUMBER.findall(text) if x.startswith("0x") or float(x) > 64}
    assert numbers <= KNOWN, "take it from the trace: {operate.t[2]}, {d}, {a.b3}"


@pytest.mark.parametrize(("name", "at"), CARDS)
def test_a_second_formulation_agrees(name: str, at: int) -> None:
    trace = cards(name)[at].trace
    line = str(trace.instruction).removesuffix(";")
    ins = trace.instruction
    values = {register: trace.operands.get(role, 0) for role, register in ins.names.items()}
    values = {
        name: values.get(name, 0)
        for name in {*values, *re.findall(r"[a-z]+\b", line.split(" ", 1)[1])}
    }
    models = {"isa": "isa", "ptxas-13.5": "ptxas-13.5", "ptxas-13.0": "ptxas-13.0"}
    assert reference(line, values, models[trace.model.name]) == trace.result


def test_the_lesson_on_errata_names_some_and_says_how_many_there_are() -> None:
    text = " ".join(f"{card.title} {strip_marks(card.text)}" for card in cards("errata"))
    ids = [erratum.id for erratum in ALL_ERRATA]
    assert set(re.findall(r"E\d+", text)) == {"E1", "E2", "E3", "E10", ids[-1]}
    assert f"{ids[0]} to {ids[-1]}" in text
    assert len(ids) == 25
    assert "twenty-five" in load_lesson("errata").head.summary


@every_lesson
def test_questions_stand_in_the_middle_before_a_card_that_explains(name: str) -> None:
    marks = "".join("?" if card.ask else "-" for card in cards(name))
    assert re.fullmatch(r"-[-?]*\?-+\?{3,}", marks), marks
    assert marks.index("?") < len(marks) / 2


def test_the_lesson_on_errata_names_the_acting_errata() -> None:
    for card in cards("errata"):
        told = set(re.findall(r"\((E\d+)\)", strip_marks(card.text)))
        if told and card.trace.model.errata:
            assert told & set(card.trace.errata), card.title
    ptxas = PTXAS_MODELS[0]
    same = next(card for card in cards("errata") if card.title == "Where both agree")
    other = make_trace(same.trace.instruction, ptxas, same.trace.operands)
    assert other.result == same.trace.result


def test_the_kernel_lesson_agrees_with_arithmetic_by_hand() -> None:
    """Done again by hand: four lanes as lists, the highest first, clamped to a signed byte."""

    def clamped(lanes: list[int]) -> list[int]:
        return [max(-128, min(127, x)) for x in lanes]

    def packed(lanes: list[int]) -> int:
        return int.from_bytes(bytes(x % 256 for x in lanes))

    h = clamped([x + y for x, y in zip([0x7A, 12, 3, 5], [11, -4, -4, 5], strict=True)])
    e = [0x10, 9, -5, 1]
    h = [max(x) for x in zip(h, e, [-5, 10, -7, 4], [0] * 4, strict=True)]
    gone_on = clamped([x - 1 for x in e])
    opened = clamped([x - 3 for x in h])
    results = [next(iter(card.trace.result.values())) for card in cards("smith-waterman")]
    assert results[5] == packed(h)
    assert results[7] == packed(gone_on)
    assert results[8] == packed(opened)
    assert results[9] == packed([max(x) for x in zip(gone_on, opened, strict=True)])


@every_lesson
def test_a_complete_lesson_is_rendered_as_text_and_markdown(name: str) -> None:
    text, markdown = render(load_lesson(name)), render(load_lesson(name), "markdown")
    assert max(map(len, text.splitlines())) <= 80
    questions, _, answers = text.partition("\nAnswers\n")
    previous = None
    for at, card in enumerate(cards(name), 1):
        picture = "\n".join(format_picture(card, previous))
        parts = (f"{at}. {card.title}", picture, "\n".join(wrap_text(card.text)))
        assert questions.partition("\n\n".join(parts))[1], card.title
        assert f"{at}. {card.title}\n\n```text\n{picture}\n```\n" in markdown
        if card.ask:
            remark = "\n".join(wrap_text(card.remark, lead="   "))
            solved = "\n".join(format_solution(card))
            assert f"\n{at}. {format_answer(card)}\n{remark}\n\n{solved}\n" in answers
            assert f"```text\n{solved}\n```\n" in markdown
        previous = card
    assert questions.count("```") == 0


@every_lesson
def test_each_number_that_a_card_quotes_is_in_its_picture(name: str) -> None:
    """Or in what was shown of its trace before."""
    shown, previous = "", None
    for card in cards(name):
        picture = "\n".join(format_picture(card, previous))
        shown = f"{shown}\n{picture}" if previous and card.trace == previous.trace else picture
        assert missing_numbers(card.text, shown) == [], card.title
        assert "result is hidden" not in shown
        if card.ask:
            solved = "\n".join(format_solution(card))
            assert missing_numbers(card.remark, f"{shown}\n{solved}") == [], card.title
        previous = card


@every_lesson
def test_the_picture_of_a_question_hides_the_answer(name: str) -> None:
    for card in cards(name):
        if card.ask and card.ask.key in card.trace.instruction.results:
            shown = "\n".join(format_picture(card))
            assert f"-> {format_answer(card)}" not in shown
            assert f" = {format_answer(card)}" not in shown


# --- a file that is no lesson -------------------------------------------------------------


def test_the_smallest_lesson_is_parsed() -> None:
    found = parse_lesson(written(text="Lane 0 has {operate.t[0]|formula} in `d`."))
    assert strip_marks(found.cards[0].text) == "Lane 0 has 1 + 2 = 3 in d."
    assert [card.step for card in found.cards] == [5, 2, 2, 2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "x.md:1: a lesson begins with `# Its title`"),
        ("# A\n\nminutes: 4\n", "x.md:1: `summary: …` is missing below the title"),
        (
            "# A\n\nminutes: 4\nabout: b\n",
            "x.md:4: `about: b` is not one of minutes:, summary:, group:",
        ),
        (
            "# A\n\nminutes: 9\nsummary: b\ngroup: g\npurpose: p\nc: c\n",
            "x.md:3: minutes is `9`; allowed: 3 to 8",
        ),
        ("# A\n\nminutes: 4\nminutes: 4\nsummary: b\n", "x.md:4: minutes: is given twice"),
        (f"{HEAD}cost: x\n", "x.md:7: cost is `x`; write COUNT LINE; …"),
        (f"{HEAD}cost: 5 vadd5 d, a, b\n", "x.md:7: "),
        (HEAD, "x.md:1: the last 3 cards are predictions: `ask: …`"),
        (f"{HEAD}\n## B\n\nWords.\n", "x.md:8: the first card needs `ptx: …`"),
        (f"{HEAD}\n## B\n\n```card\nptx: vadd\n", "x.md:10: this block is not closed by ```"),
        (written("ask: d\n"), "x.md:8: a prediction needs a remark, `> …`"),
        (written(text="Words.\n\n> Right."), "x.md:8: only predictions have a remark"),
        (written(text=""), "x.md:8: the card says nothing"),
        (written(text="word " * 46), "x.md:8: the card has 46 words; the limit is 45"),
        (written("step: saturate\n"), "x.md:13: 'saturate' is not a step of this instruction; its"),
        (written("at: operate.t lane 4\n"), "x.md:13: operate.t has lanes 0 to 3: `operate.t lane"),
        (written("at: operate.t\n"), "x.md:13: operate.t has lanes 0 to 3: `operate.t lane 0`"),
        (written("at: satt\n"), "x.md:13: there is no `satt`; its rows are select.a, select.b"),
        (written("at: a b c\n"), "x.md:13: `a b c` is not a place; places are"),
        (written("step: 1\nat: operate.t lane 0\n"), "x.md:14: operate.t is not shown at this ste"),
        (written("model: gcc\n"), "x.md:13: unknown model 'gcc': isa, ptxas"),
        (written("with: a=1\n"), "x.md:13: with: is given twice"),
        (written(last=ASKED.replace("a=1", "e=1")), "`e=1` is not a value of d, a, b, c, as"),
        (written(last=ASKED.replace("a=1", "a=1.5")), "`1.5` is a float; the operand is `.u32`"),
        (written(last=ASKED.replace("vadd4", "vadd5")), "vadd5"),
        (written(last=ASKED.replace("ask:", "step: last\nask:")), "'last' is not a step"),
        (written(last=ASKED.replace("ask:", "step: merge\nask:")), "operate.t is shown already"),
        (
            written(last=ASKED.replace("operate.t lane 0", "a")),
            "a prediction asks for a lane of a row",
        ),
        (written(text="It is {e}."), "x.md:15: there is no `e`: operands are a, b, d; its rows"),
        (written(text="It is {operate.t}."), "x.md:15: operate.t has lanes 0 to 3: operate.t[0]"),
        (written(text="It is {d|words}."), "x.md:15: it can't be shown as `words`; ways to show"),
        (written(text="It is {operate.t[0]|low}."), "x.md:15: operate.t has no bound to show"),
        (written(text="It is {d"), "x.md:15: `{d` takes nothing from the trace; use {d}"),
        (written(text="A `word."), "x.md:15: a ` is not closed in this line"),
        ("x" * 300_000, "x.md:1: 300,000 characters; the limit is 262,144"),
    ],
)
def test_an_error_in_a_lesson_is_reported_with_its_line(text: str, said: str) -> None:
    with pytest.raises(LessonError) as caught:
        parse_lesson(text)
    assert said in str(caught.value)
    assert re.match(r"x\.md:\d+: ", str(caught.value))


def test_a_register_keeps_its_value_on_the_next_card() -> None:
    """As in a program: what an instruction wrote, the next may read."""
    double = "## B\n\n```card\nptx: vadd4.u32.u32.u32 e, d, d, c\n```\n\nIt is {e}.\n"
    found = parse_lesson("\n".join((HEAD, CARD.format("", "It is {d}."), double, *[ASKED] * 3)))
    assert [strip_marks(card.text) for card in found.cards[:2]] == [
        "It is 0x00000003.",
        "It is 0x00000006.",
    ]


def test_the_kernel_lesson_states_the_lines_per_cell() -> None:
    """Those that are told, up to the next cell's, and what f needs as e does."""
    *told, _ = (card.trace.instruction for card in cards("smith-waterman"))
    lines = list(dict.fromkeys(told))
    writes = [next(iter(line.results.values())) for line in lines]
    for_e = [line.opcode for line, name in zip(lines, writes, strict=True) if name in ("e", "open")]
    assert for_e == ["vsub4", "vsub4", "vmax4"]
    assert writes.count("f") == 0
    assert len(lines) + writes.count("e") == 10
    said = strip_marks(cards("smith-waterman")[9].remark)
    assert "two more lines" in said
    assert "ten for a cell" in said
    assert "in ten lines" in load_lesson("smith-waterman").head.summary


@every_lesson
def test_lessons_make_no_claim_on_cost(name: str) -> None:
    """Since sm_70 most of these are sequences: what one costs is not documented."""
    said = " ".join(
        f"{card.title} {strip_marks(card.text)} {strip_marks(card.remark)}" for card in cards(name)
    )
    assert not re.search(r"(?i)no cost|in one\s+instruction|\bfaster|cheap|cycle", said)
