"""PTX in files of many kinds: a run and the explorer find what ``check`` finds in each."""

from __future__ import annotations

import pytest

from ptxscope.features.check.lint import check_text
from ptxscope.sources.embedded_ptx import find_ptx
from ptxscope.sources.source_language import Language
from ptxscope.sources.source_programs import load
from ptxscope.state.open_listing import open_listing
from tests.features.check.check_cases import CASES, Case
from tests.features.languages.test_sources import CALL, LLVM, RUST_ADD, RUST_LITERALS

FILES = {key: case for key, case in CASES.items() if key.startswith(("embedded.", "hosts."))}


FOREIGN = [key for key, case in CASES.items() if key.startswith("foreign_asm.") and not case.items]


def list_lines(case: Case, *rules: str) -> set[int]:
    """Return the lines of items with one of some rules; without any, of those with no finding."""
    return {
        item["line"] - case.start
        for item in case.items
        if item["ptx"]
        if {x["rule"] for x in item.get("findings", ())} & {*rules}
        or not (rules or "findings" in item)
    }


@pytest.mark.parametrize("key", FILES)
def test_a_run_and_check_agree_on_embedded_ptx(key: str) -> None:
    case = FILES[key]
    statements = [x for program in load(case.text, case.name) for x in program.statements]
    wrong = list_lines(case, "illegal", "register-type", "unseen")
    assert list_lines(case, "illegal") <= {x.line for x in statements if x.problems} <= wrong
    assert list_lines(case) - wrong <= {x.line for x in statements if x.explained_instruction}
    assert list_lines(case, "unread") <= {x.line for x in statements if x.omission}


@pytest.mark.parametrize("key", FILES)
def test_the_explorer_opens_every_line_that_check_finds(key: str) -> None:
    case = FILES[key]
    cursor = open_listing(case.text, case.name)
    rows = cursor.rows if cursor else ()
    count = len(cursor.listing.programs) if cursor else 0
    assert all(row.program < count for row in rows)
    known = list_lines(case) | list_lines(case, "illegal", "register-type", "unseen")
    assert {row.line for row in rows if row.is_explained} >= known


@pytest.mark.parametrize("key", FOREIGN)
def test_assembly_of_another_machine_is_not_found(key: str) -> None:
    assert not list(find_ptx(CASES[key].text, Language.C))


def test_replacements_for_rust_use_its_placeholders() -> None:
    text = RUST_ADD.replace(
        "OPERANDS", "in(reg16) y, d = out(reg32) d, x = in(reg32) x, z = const 7"
    )
    (item,) = check_text(text, "x.rs")
    assert item.message == "`{0}` is .b16 by its constraint, but operand a is .s32"
    assert item.ptx == "vadd.u32.s32.s32.sat {d}.b0, {0}, {x}, 7;"
    assert item.example
    assert set(item.example.values) <= {"{0}", "{x}"}
    assert item.replacement
    assert (item.replacement[0], item.replacement[-1]) == ("{{", "}}")
    assert "%" not in "".join(item.replacement)


def test_a_pasted_call_is_searched_for_strings() -> None:
    assert [x.is_unreadable for x in check_text(CALL, "x.txt")] == [True]


@pytest.mark.parametrize("operands", [operands for operands, _ in RUST_LITERALS])
def test_literals_of_rust_are_legal(operands: str) -> None:
    assert all(x.is_legal for x in check_text(RUST_ADD.replace("OPERANDS", operands), "x.rs"))


def test_literals_of_llvm_are_constants() -> None:
    (item,) = check_text(LLVM, "x.ll")
    assert item.example
    assert list(item.example.values) == ["$1"]
