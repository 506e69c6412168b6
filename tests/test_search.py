"""Searching by words: what is meant is found, the lanes at hand first."""

from __future__ import annotations

import pytest

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.state.instruction_search import find_unmatched_words, search_instructions
from tests.reference_data import read_lines
from tests.tiers import ci_only, some


def opcodes(query: str, lanes: int = 1) -> list[str]:
    return [name for name in search_instructions(query, lanes) if name in CATALOG]


@pytest.mark.parametrize(("query", "lanes", "first"), read_lines("searches.txt", 3))
def test_a_query_finds_the_instructions_that_it_describes(
    query: str, lanes: str, first: str
) -> None:
    expected = first.split()
    assert opcodes(query, int(lanes))[: len(expected)] == expected


@pytest.mark.parametrize("lanes", some([1, 2, 4]))
def test_the_name_of_an_opcode_finds_that_opcode_first(lanes: int) -> None:
    for name in (*CATALOG, *map_intrinsics()):
        assert search_instructions(name, lanes)[0] == name


def test_the_word_mask_finds_simd_instructions() -> None:
    masked = {opcode for opcode, entry in CATALOG.items() if entry.find_slot("mask")}
    found = opcodes("mask", 4)
    assert set(found) - {"bmsk"} == masked  # bmsk makes a mask
    assert {CATALOG[opcode].lanes for opcode in found[:7] if opcode != "bmsk"} == {4}


def test_the_word_clamp_finds_the_instructions_that_clamp() -> None:
    found = opcodes("clamp", 4)
    clamps = {opcode for opcode, entry in CATALOG.items() if entry.find_slot("sat")}
    assert clamps <= set(found)
    assert found[0] == "vshl"  # which has a modifier of that name
    assert not {"selp", "slct", "set", "setp", "vset", "vset2", "vset4"} & set(found)


def test_instructions_come_before_the_intrinsics_that_they_compute() -> None:
    found = search_instructions("average", 4)
    named = [name in CATALOG for name in found]
    assert named == sorted(named, reverse=True)
    assert "__vavgs4" in found
    assert search_instructions("vcmpgts4") == ("__vcmpgts4",)


@ci_only
def test_every_summary_finds_its_instruction() -> None:
    for opcode, entry in CATALOG.items():
        assert opcode in search_instructions(entry.summary, entry.lanes)
        assert opcode in search_instructions(entry.brief, entry.lanes)


@pytest.mark.parametrize("query", ["", "  ", "zzz", "qqq xyz", "é😀", "\x00\x1b[31m", ".,;"])
def test_a_meaningless_query_finds_nothing(query: str) -> None:
    assert not search_instructions(query)


def test_if_no_instruction_fits_every_word_those_that_fit_most_words_come_first() -> None:
    assert opcodes("average zebra", 4)[0] == "vavrg4"
    found = search_instructions("average zebra", 4)
    assert found.index("vavrg4") < found.index("vavrg2")


def test_a_long_query_is_cut_off() -> None:
    assert search_instructions("average " * 100_000, 4) == search_instructions("average " * 9, 4)
    assert not search_instructions("z" * 1_000_000)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("average", ()),
        ("average four bytes", ()),
        ("the average of bytes", ()),
        ("average zebras", ("zebras",)),
        ("Average Four Bytes of Zebras, Xylophones", ("zebras", "xylophones")),
        ("average zebras xylophones", ()),  # as is here
        ("zebras", ()),  # nothing is found at all, which is said
        ("add four bytes with carry less sum of quad lanes simd packed", ("simd", "packed")),
        ("shift left qqq", ("qqq",)),
    ],
)
def test_words_that_match_nothing_are_named(query: str, words: tuple[str, ...]) -> None:
    said = find_unmatched_words(query, 4)
    assert said[-len(words) :] == words if words else said == ()
    if words:
        assert search_instructions(query, 4)
