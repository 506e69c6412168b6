"""The report of a fault as an issue: its values, its kernel, its Markdown, what it leaves out."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ptxscope import export, trace
from ptxscope.documents.options import Options
from ptxscope.features.check.compiler_fault import make_example_fault
from ptxscope.features.check.erratum_texts import load_texts
from ptxscope.features.check.fault_report import render_erratum
from ptxscope.features.check.known_errata import (
    KNOWN_ERRATA,
    KnownErratum,
    find_erratum,
    find_replacement,
)
from ptxscope.features.check.recorded_code import load_code
from tests.driving.command_line import run
from tests.features.check.test_erratum_report import RESULTS
from tests.tiers import ci_only

E3 = "vadd.u32.s32.s32.sat d.b0, a, b, c"
IDS = [x.id for x in KNOWN_ERRATA]
ROWS = [
    "Documented", "Compiled", "Operands", "Wrong", "Affected forms", "First wrong release",
    "Fixed in", "Releases tried", "Targets tried", "Optimization", "Not tried", "Found by",
    "Severity",
]  # fmt: skip
INTERNAL_KEY = re.compile(
    r"\b(select|extend|operate|saturate|secondary|merge|write|field|guard|sum|scale)\.[a-z]"
)


@pytest.fixture(autouse=True)
def _without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxscope.features.check.compiler_fault.find_services", lambda _: ())


def read(text: str) -> list[Token]:
    return MarkdownIt().enable("table").parse(text)


def read_table(tokens: list[Token]) -> dict[str, str]:
    """The verdict: the first table, each row with the text of its second cell."""
    cells = []
    for first, second in pairwise(tokens):
        if first.type == "td_open":
            cells.append(second.content)
        if first.type == "table_close":
            break
    return dict(zip(cells[::2], cells[1::2], strict=True))


@pytest.mark.parametrize("x", KNOWN_ERRATA, ids=IDS)
def test_the_verdict_has_the_documented_and_the_compiled_result(x: KnownErratum) -> None:
    table = read_table(read(render_erratum(x)))
    assert [*table] == ROWS
    documented, compiled = RESULTS[x.id]
    assert table["Documented"].startswith(f"`d = {documented}` (PTX ISA ")
    assert table["Compiled"].startswith(f"`d = {compiled}` (ptxas 13.0.88, sm_")
    assert all(table.values())
    # of no release it is known that it is the first
    assert table["First wrong release"].startswith("unknown: ")
    assert "run on a GPU" in table["Found by"] or "result of a GPU" in table["Found by"]


@pytest.mark.parametrize("x", KNOWN_ERRATA, ids=IDS)
def test_the_issue_is_markdown_with_a_title_and_folded_steps(x: KnownErratum) -> None:
    text = render_erratum(x)
    tokens = read(text)
    headings = [token.tag for token in tokens if token.type == "heading_open"]
    assert headings[0] == "h1"
    assert {*headings[1:]} == {"h2"}
    html = [token.content for token in tokens if token.type == "html_block"]
    assert sum(block.startswith("<details>") for block in html) == 1
    assert sum(block.startswith("</details>") for block in html) == 1
    assert sum(token.type == "table_open" for token in tokens) == 2
    # no model has the results of constants
    assert ("| step | documented | compiled |" in text) == (x.id[0] == "E")
    languages = [token.info for token in tokens if token.type == "fence"]
    assert languages[:3] == ["ptx", "sh", "text"]


@pytest.mark.parametrize("x", KNOWN_ERRATA, ids=IDS)
def test_a_stranger_can_read_it(x: KnownErratum) -> None:
    *lines, last = render_erratum(x).splitlines()
    text = "\n".join(lines)
    assert "ptxscope" not in text
    assert not re.search(r"(?<![.\w])[EFH]\d{1,2}(?![.\w])", text)
    assert not INTERNAL_KEY.search(text)
    assert not re.search(r"\bisa\b|\bNone\b", text)
    assert f"ptxscope errata {x.id} -f issue" in last


@pytest.mark.parametrize("x", KNOWN_ERRATA, ids=IDS)
def test_the_recorded_code_ends_with_the_compiled_result(x: KnownErratum) -> None:
    rows = load_code()[x.id]
    if x.id == "E17":  # it has branches
        assert not any(row.value or row.mark for row in rows)
        return
    stores = [row for row in rows if row.text.startswith("STG")]
    assert stores[-1].value == RESULTS[x.id][1]
    assert stores[-1].documented == RESULTS[x.id][0]
    marked = [row for row in rows if row.mark]
    assert len(marked) == (x.id != "F2")  # the steps of F2 are folded
    before = rows[: rows.index(marked[0])] if marked else ()
    assert not any(row.documented for row in before)


def test_the_marked_instructions_are_those_that_were_found_by_hand() -> None:
    # the sign extension of c or of the sum, the product, the choice of the bound, the insertion
    expected = {
        "E1": "PRMT", "E3": "SEL", "E4": "PRMT", "E7": "SEL", "E9": "SHF.R.S32.HI",
        "E10": "IMAD.WIDE", "E11": "SHF.R.S32.HI", "E14": "I2FP.F32.S32", "E15": "MOV",
        "E20": "PRMT",
    }  # fmt: skip
    for id_, opcode in expected.items():
        (marked,) = (row for row in load_code()[id_] if row.mark)
        assert marked.text.split()[0] == opcode


def test_every_erratum_has_texts() -> None:
    assert [*load_texts()] == IDS
    for id_, texts in load_texts().items():
        assert texts.title
        assert texts.wrong
        assert texts.argument
        assert texts.impact
        assert bool(texts.tried) == (id_ == "E17")


def test_the_history_is_that_of_the_tables() -> None:
    # SEMANTICS.md, PLAIN.md: E1 is repaired in 13.3, E15 in 13.5, F1 in 13.4; F2 begins with 12.8
    for id_, release, last in (
        ("E1", "13.3.73", "13.2.86"),
        ("E15", "13.5.37", "13.4.92"),
        ("F1", "13.4.92", "13.3.73"),
    ):
        table = read_table(read(render_erratum(find_erratum(id_))))
        assert table["Fixed in"].startswith(f"{release} ({last}, the newest one tried before it")
    table = read_table(read(render_erratum(find_erratum("F2"))))
    assert table["First wrong release"].startswith("unknown: 12.8.93, the oldest one tried for")
    assert table["Targets tried"].startswith("sm_120, 121 are wrong, sm_75, ")
    table = read_table(read(render_erratum(find_erratum("E3"))))
    assert table["First wrong release"] == "unknown: 11.8.89, the oldest one tried, is wrong"
    assert table["Fixed in"] == "no release: 13.5.37, the newest one tried, is wrong"


def test_the_kernel_is_one_thread_with_the_values() -> None:
    ptx = make_example_fault(find_erratum("E3")).kernel.ptx
    assert "%tid" not in ptx
    assert "[from+4];  // b = 0x00000000" in ptx
    assert "[from];    // a = 0xffffffff, that is -1" in ptx
    assert f"    {E3};\n" in ptx
    assert "// documented: 0x11223300; compiled: 0x112233ff" in ptx
    constants = make_example_fault(find_erratum("F2")).kernel.ptx
    assert "mov.b32 b, 0x7f800002;" in constants
    assert "ld.global" not in constants


# --- of a line ---------------------------------------------------------------------------------


def test_a_line_has_the_report_of_its_fault() -> None:
    words = ("trace", "vadd.s32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=5", "--both")
    text = run(*words, "-f", "issue").stdout
    table = read_table(read(text))
    # -1 is in -128..127; the errata's table: negative results become the lane's maximum, 0x7f
    assert table["Documented"].startswith("`d = 0x000000ff`")
    assert table["Compiled"].startswith("`d = 0x0000007f` (not compiled here")
    assert table["Wrong"] == "for these operands; for others unknown"
    assert table["Tried with"].startswith(f"`{E3}`")
    assert "a = 0xffffffff, that is -1" in text
    assert "There is no machine code: " in text
    assert "%1" not in text.splitlines()[0]


def test_two_faults_of_a_line_are_told_apart() -> None:
    line = "vadd.s32.s32.s32.sat d.h1, a, b, c"
    shown = export(trace(line, {"a": 0xFFFFFFFB, "b": 1, "c": 7}, model="ptxas-13.0"), "issue")
    assert shown.startswith(f"# ptxas: 2 faults in `{line}`\n")
    table = read_table(read(shown))
    assert table["Fixed in"].startswith("fault 1: 13.3.73 ")
    assert "fault 2: no release" in table["Fixed in"]
    assert table["Documented"].startswith("`d = 0xfffc0007`")
    # E3 gives 0x7fff, E1 its bits 31:16
    assert table["Compiled"].startswith("`d = 0x00000007`")


@pytest.mark.parametrize(
    ("a", "options", "reason"),
    [(1, Options(), "no fault is known"), (-1, Options(result=False), "which is hidden")],
)
def test_no_fault_no_report(a: int, options: Options, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        export(trace(E3, {"a": a, "b": 0, "c": 0}), "issue", options)


def test_the_commands_say_what_is_missing() -> None:
    done = run("trace", E3, "a=1", "b=0", "c=0", "-f", "issue")
    assert done.stderr.startswith("error: no fault is known for these operands")
    block = "{ vadd.u32.s32.s32.sat d.b0, a, b, c; add.u32 d, d, d; }"
    assert "here are several" in run("trace", block, "a=-1", "b=0", "c=0", "-f", "issue").stderr
    assert "E1 to E25" in run("errata", "-f", "issue").stderr
    assert run("errata", "e3", "-f", "issue").stdout == render_erratum(find_erratum("E3"))


@ci_only
@pytest.mark.parametrize("x", KNOWN_ERRATA, ids=IDS)
def test_the_replacement_is_proved(x: KnownErratum) -> None:
    pytest.importorskip("ptxscope.features.prove.equivalence")
    pytest.importorskip("bitwuzla")
    if lines := find_replacement(x):
        assert "for all operands" in render_erratum(x)
        assert run("prove", x.example[0], " ".join(lines)).returncode == 0


def test_machine_code_is_recorded_where_no_tools_are() -> None:
    text = render_erratum(find_erratum("E3"))
    assert "Recorded code of ptxas 13.0.88, `-arch=sm_90`" in text
    # found by hand: the choice of the bound is the first that departs
    (marked,) = re.findall(r"^>.*$", text, re.M)
    assert marked.startswith(">0100  SEL R0, R0, 0xff, !P0 ")
    assert marked.endswith("(saturate), not 0x00000000")


def test_the_steps_of_several_statements_stand_below_each() -> None:
    steps = render_erratum(find_erratum("E18")).partition("<details>")[2]
    assert re.search(
        r"^\| `sub\.cc\.u32 x, a, b;` \|.*?^\| `addc\.u32 d, c, 0;` \|", steps, re.M | re.S
    )
    assert "| `vadd" not in render_erratum(find_erratum("E3")).partition("<details>")[2]
    # each place of the array has as many digits as its bits
    assert "`in = {0x00000000, 0x00000001, 0x00000005}`, 32 bits each" in render_erratum(
        find_erratum("E18")
    )
    assert "{0x123456789abcdef0, 0x0000000000000104, 0x0000000000000008}`, 64 bits" in (
        render_erratum(find_erratum("E16"))
    )
