"""Pictures and findings where notebooks and pages show them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import html5lib
import markdown
import markdown_exec
import pytest
from markdown_it import MarkdownIt
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

import ptxscope
from ptxscope.cli.commands.trace import render_request
from ptxscope.documents.content.alt_text import format_alt_text
from ptxscope.documents.content.document_builder import build_document
from ptxscope.documents.options import Options
from ptxscope.documents.theme import Theme
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.tracing.trace import StepPlace
from tests.driving.samples import HOSTILE
from tests.tiers import ci_only

LINE = "vadd.u32.s32.s32.sat d.b0, a, b, c"
VALUES = {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344}
WORDS = [LINE, "a=-1", "b=0", "c=0x11223344", "-f", "svg"]
E3 = ptxscope.trace(LINE, VALUES)
QUAD = "vadd4.s32.s32.s32 d, a, b, c"
SUM = ptxscope.trace(QUAD, {"a": 1, "b": 2, "c": 3})


def test_a_figure_equals_the_picture_of_the_command() -> None:
    figure = E3.figure(
        title="T", caption="C", notes={"saturate": "n", "lane 0": "m"}, steps="2-5", both=True
    )
    more = ["--title", "T", "--caption", "C", "--note", "saturate=n", "--note", "lane 0=m"]
    assert figure.svg == render_request([*WORDS, *more, "--steps", "2-5", "--both"])
    assert E3.figure().svg == render_request(WORDS)
    assert E3.figure(notes=["saturate=n"], until=4).svg == render_request(
        [*WORDS, "--note", "saturate=n", "--until", "saturate"]
    )
    assert E3.figure(notes="saturate=n", result=False).svg == render_request(
        [*WORDS, "--note", "saturate=n", "--no-result"]
    )
    for options, words in (
        ({"standalone": True}, ["--standalone"]),
        ({"theme": "dark"}, ["--theme", "dark"]),
        ({"motion": "stepping"}, ["--stepping"]),
    ):
        assert E3.figure(**options).svg == render_request([*WORDS, *words])
    assert E3.figure().alt == format_alt_text(build_document(E3))


NOTES = r'notes is .*; pass texts by step or lane.*\["saturate=…"\]'
STEPS = 'steps are "2-4", a number, or a list'


@pytest.mark.parametrize(
    ("choices", "error", "said"),
    [
        ({"steps": "9"}, ValueError, "'9' is not a step"),
        ({"steps": 1, "until": 2}, ValueError, "one of them"),
        ({"notes": {"nothing": "x"}}, ValueError, "'nothing' is not a step"),
        ({"notes": ["x"]}, ValueError, "a note is STEP=TEXT"),
        ({"steps": "satur"}, ValueError, "'satur' is not a step.* 1 select, 2 extend"),
        ({"until": "pink"}, ValueError, "'pink' is not a step.* 1 select, 2 extend"),
        ({"theme": "pink"}, ValueError, "theme: 'pink' is not one of auto, light, dark"),
        ({"motion": "fast"}, ValueError, "motion: 'fast' is not one of still, stepping"),
        ({"id": "1 2"}, ValueError, "'1 2' is not an id: a letter"),
        ({"id": 5}, ValueError, "5 is not an id: a letter"),
        ({"scale": "2"}, ValueError, "scale is '2'; it is a number"),
        ({"colour": "red"}, TypeError, r"a figure takes no 'colour'; .*both, standalone"),
        ({"stages": None}, TypeError, "a figure takes no 'stages'"),
        ({"fold": "1"}, TypeError, "a figure of one instruction takes no 'fold'"),
        ({"title": 5}, TypeError, "title is 5; it is a text"),
        ({"caption": 5}, TypeError, "caption is 5; it is a text"),
        *(({"notes": notes}, TypeError, NOTES) for notes in (5, [5], {"add": 2}, {"add": None})),
        *(({"steps": x}, (TypeError, ValueError), STEPS) for x in (2.5, [1.5], None, [[1]], [])),
        ({"until": [1]}, TypeError, r"\[1\] is not a step; until is a step"),
    ],
)
def test_a_figure_refuses_invalid_options_with_a_message(
    choices: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        E3.figure(**choices)  # type: ignore[arg-type]


SIZES = [{"scale": -1}, {"scale": float("nan")}, {"width": 0}]
LEVEL = r"heading_level is .*; it is 1 to 6, or 0 for bold text"
IDS = ["1", 'a"', "a b", "-", "é", "a" * 101, "a\n", "<b>"]


@pytest.mark.parametrize(
    ("format_", "options", "said"),
    [
        ("docx", {}, "unknown format 'docx': it is one of text, markdown, rst"),
        (None, {}, "unknown format None"),
        ("json", {"theme": "pink"}, "theme: 'pink' is not one of auto, light, dark"),
        ("text", {"steps": frozenset({(1, "x")})}, "steps: 'x' is not one of select, flush"),
        *(("svg", {"id": x}, "is not an id: a letter, then") for x in IDS),
        *((x, size, "numbers above 0") for x in ("text", "svg", "html", "png") for size in SIZES),
        *(("markdown", {"heading_level": x}, LEVEL) for x in (-1, 7, 2.0, True, "2")),
    ],
)
def test_an_export_with_invalid_options_is_refused(
    format_: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        ptxscope.export(E3, format_, Options(**options))


def test_names_do_for_choices() -> None:
    named = Options(theme="dark", steps=frozenset({(1, "select")}))  # type: ignore[arg-type]
    typed = Options(theme=Theme.DARK, steps=frozenset({StepPlace(1, Stage.SELECT)}))
    assert ptxscope.export(E3, "html", named) == ptxscope.export(E3, "html", typed)
    with pytest.raises(TypeError, match="options must be an Options"):
        ptxscope.export(E3, "svg", {"theme": "dark"})  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("steps", "same"),
    [([1, 2], "1,2"), ((1, 3), "1,3"), (["select", 3], "1,3"), (range(1, 4), "1-3"), (2, "2")],
)
def test_steps_may_be_a_list(steps: object, same: str) -> None:
    assert SUM.figure(steps=steps).svg == SUM.figure(steps=same).svg  # type: ignore[arg-type]


def test_a_figure_of_a_block_equals_the_picture_of_the_command() -> None:
    line = "{ prmt.b32 t, a, b, 0x5410; vadd2.s32.s32.s32.sat d, t, c, c; }"
    block = ptxscope.trace_block(line, {"a": 0x11223344, "b": 0x8899AABB, "c": 0x7FFF})
    shown = block.figure(
        title="T", notes={"s2.saturate": "N"}, steps=["s1", 7], fold="1", compact=True
    )
    words = ["a=0x11223344", "b=0x8899aabb", "c=0x7fff", "--title=T", "--note=s2.saturate=N"]
    words += ["--steps=1-3,7", "--fold=1", "--compact"]
    assert shown.svg == render_request([line, *words, "-f", "svg"])
    assert "d = 0xaabb7fff" in shown.alt
    assert block._repr_mimebundle_()["text/html"] == ptxscope.export(block, "html")
    with pytest.raises(ValueError, match="'3' is not a statement"):
        _ = block.figure(fold="3").svg


def test_findings_are_a_tuple_and_a_list_in_markdown() -> None:
    found = ptxscope.diagnose(LINE, VALUES, 0x112233FF)
    assert isinstance(found, tuple)
    assert found[0].ptx == str(E3.instruction)
    assert type(found[:2]) is type(found)
    assert [*found[:2]] == [found[0], found[1]]
    tokens = MarkdownIt().parse(found[:5]._repr_mimebundle_()["text/markdown"])
    assert sum(token.type == "list_item_open" for token in tokens) == 5
    parts = [part for token in tokens for part in token.children or ()]
    assert {x.ptx for x in found[:5]} <= {x.content for x in parts if x.type == "code_inline"}
    none = ptxscope.diagnose("vset.u32.u32.eq d, a, b", {"a": 1, "b": 2}, 0x12345678)
    assert "Nothing within two changes" in none._repr_mimebundle_()["text/plain"]
    assert "<li>" not in (none._repr_html_() or "")


def test_an_operand_that_a_line_lacks_is_an_error_with_one_semicolon() -> None:
    given = {"a": 1, "b": 2, "c": 3}
    for wrong in (
        lambda: ptxscope.trace(QUAD, {**given, "e": 4}),
        lambda: ptxscope.evaluate(QUAD, {**given, "e": 4}),
        lambda: ptxscope.diagnose(QUAD, given, {"e": 4}),
    ):
        with pytest.raises(ValueError, match="e is not") as raised:
            wrong()
        assert ";;" not in str(raised.value)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_title_does_not_break_the_figure_element(text: str) -> None:
    html = E3.figure(title=text, caption=text).html
    tree = html5lib.parseFragment(html, namespaceHTMLElements=False)
    assert [x.tag for x in tree] == ["figure"]
    assert not [*tree.iter("script")]


@ci_only
def test_a_notebook_shows_traces_pictures_and_lists() -> None:
    cells = [
        f"import ptxscope\nptxscope.trace({LINE!r}, {VALUES!r})",
        f"ptxscope.trace({LINE!r}, {VALUES!r}).figure(title='T', both=True)",
        f"ptxscope.diagnose({LINE!r}, {VALUES!r}, 0x112233FF)[:3]",
    ]
    notebook = new_notebook(cells=[*map(new_code_cell, cells)])  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=60).execute()
    (traced,), (picture,), (listed,) = (cell.outputs for cell in notebook.cells)
    assert traced.data["text/html"].startswith('<article class="ptxscope px-auto"')
    assert "0x11223300" in traced.data["text/html"]
    assert "d = 0x11223300" in traced.data["text/plain"]
    assert picture.data["image/svg+xml"].startswith("<svg")
    assert "<svg" in picture.data["text/html"]
    assert "Result: d = 0x11223300" in picture.data["text/plain"]
    tree = html5lib.parseFragment(listed.data["text/html"], namespaceHTMLElements=False)
    first, second, _ = ("".join(x.itertext()) for x in tree.iter("li"))
    assert listed.data["text/plain"].startswith("  1. The instruction gives this as ptxas")
    assert "E3" in first
    assert "without .sat" in second
    assert second.endswith("vadd.u32.s32.s32 d.b0, a, b, c;")


def run_python_blocks(page: str) -> str:
    """The page in HTML, with what its blocks print."""
    fence = {
        "name": "python",
        "class": "python",
        "validator": markdown_exec.validator,
        "format": markdown_exec.formatter,
    }
    return markdown.markdown(
        page,
        extensions=["pymdownx.superfences", "tables"],
        extension_configs={"pymdownx.superfences": {"custom_fences": [fence]}},
    )


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "markdown.md").read_text(encoding="utf-8")
FIGURE = f"print(ptxscope.trace({LINE!r}, {VALUES!r}).figure(title='a < b'))"


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (PAGE.partition("````markdown\n")[2].partition("````\n")[0], "0x7fff0002"),
        *(
            (f"text\n\n```python {how}\nimport ptxscope\n{FIGURE}\n```\n\nmore", "0x11223300")
            for how in ('exec="on"', 'exec="on" html="on"')
        ),
    ],
    ids=["the recipe of the manual", "a figure", "a figure as HTML"],
)
def test_a_page_of_mkdocs_shows_the_picture(page: str, shown: str) -> None:
    built = run_python_blocks(page)
    assert "import ptxscope" not in built
    tree = html5lib.parseFragment(built, namespaceHTMLElements=False)
    assert shown in "".join(tree.itertext())
    for figure in tree.iter("figure"):
        assert shown in "".join(figure.itertext())
        assert not [*figure.iter("p")]
    assert "a < b" not in page or [*tree.iter("figure")]
