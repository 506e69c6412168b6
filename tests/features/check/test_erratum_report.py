"""The report on an erratum: the results of both models, a replacement, the recorded evidence."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ptxscope.documents.formats.report import write_text
from ptxscope.engine.semantics.rules import ALL_ERRATA, NEWEST, OLDEST, TARGETS, Erratum
from ptxscope.features.check.erratum_evidence import (
    NO_GPU,
    NO_PROOF,
    ON_A_GPU,
    list_evidence,
    load_evidence,
)
from ptxscope.features.check.erratum_report import EXAMPLE, list_parts
from ptxscope.features.check.erratum_texts import load_texts
from ptxscope.features.check.fault_blocks import EVIDENCE, REPLACEMENT
from ptxscope.features.check.known_errata import KNOWN_ERRATA, KnownErratum, find_erratum
from tests.driving.command_line import run
from tests.reference_data import DATA
from tests.tiers import ci_only

RESULTS = {
    "E1": ("0x56793344", "0x00013344"),
    "E2": ("0xffffffff", "0x00000000"),
    "E3": ("0x11223300", "0x112233ff"),
    "E4": ("0x112233ff", "0x11223334"),
    "E5": ("0xffffffff", "0x00000000"),
    "E6": ("0xc0000000", "0x80000001"),
    "E7": ("0xffffffff", "0x00000005"),
    "E8": ("0xc0000000", "0x80000000"),
    "E9": ("0x00000001", "0xffffffff"),
    "E10": ("0xffffffff", "0x00000000"),
    "E11": ("0x80000006", "0x00000000"),
    "E12": ("0x01ffffff", "0xffffffff"),
    "E13": ("0x00000005", "0x00000000"),
    "E14": ("0x00000005", "0x40a00000"),
    # the copies of bit 31 of a are zeros; the byte at bit 4 of ...def0 is 0xef
    "E15": ("0x00000000", "0xffffffff"),
    "E16": ("0x00000000000000ef", "0x0000000000000000"),
    "E17": ("0xffffffff", "0x00000000"),
    # 0 - 1 borrows: 5 + 1, or 5 + 0 with the inverse of the borrow
    "E18": ("0x00000006", "0x00000005"),
    # the negative of -32768 is no half-word, and neither is the sum a word, nor |-2**31|
    "E19": ("0xffff8000", "0x00008000"),
    "E20": ("0x000000ff", "0x00000000"),
    "E21": ("0x80000000", "0x7fffffff"),
    "E22": ("0x0000", "0x00ff"),
    "E23": ("0x80000009", "0x7fffffff"),
    "E24": ("0x00000002", "0x00000001"),
    "E25": ("0x00000002", "0x00000001"),
    "F1": ("0x00000001", "0x0000000c"),
    "F2": ("0x7f808001", "0x00008000"),
}
"""The results of `isa` and `ptxas` in the tables of SEMANTICS.md and PLAIN.md."""
VERIFIED = Path(__file__).parents[3] / "docs" / "dev" / "verified.csv"
IDS = [x.id for x in KNOWN_ERRATA]


def write_part(x: KnownErratum, title: str) -> str:
    (part,) = (part for part in list_parts(x) if part.title == title)
    return write_text(part.blocks)


def test_the_list_has_every_erratum() -> None:
    assert [*RESULTS] == IDS


@pytest.mark.parametrize("x", KNOWN_ERRATA, ids=IDS)
def test_the_example_has_the_results_of_both_models(x: KnownErratum) -> None:
    rows = [line.split() for line in write_part(x, EXAMPLE).splitlines()]
    shown = {row[0]: row[1] for row in rows if row and row[0] in ("isa", "ptxas")}
    assert (shown["isa"], shown["ptxas"]) == RESULTS[x.id]


def test_the_formulas_are_of_the_step_at_which_the_models_differ() -> None:
    shown = write_part(find_erratum("e3"), EXAMPLE)
    assert "saturate" in shown
    # -1 is below 0; as an unsigned number of 64 bits it is 2**64 - 1
    assert "clamp(-1, 0..255) = 0" in shown
    assert f"min({2**64 - 1}, 255) = 255" in shown


@pytest.mark.parametrize("x", KNOWN_ERRATA, ids=IDS)
def test_each_erratum_has_a_replacement(x: KnownErratum) -> None:
    assert REPLACEMENT in [part.title for part in list_parts(x)]


def test_the_faults_that_a_proof_is_of_are_named() -> None:
    for id_, others in (("E10", ("E11", "E12")), ("E12", ("E10", "E11")), ("E3", ())):
        shown = " ".join(write_part(find_erratum(id_), EVIDENCE).split())
        assert ("The line has other faults" in shown) == bool(others)
        assert all(load_texts()[x].title in shown for x in others)


# --- the evidence ----------------------------------------------------------------------------


def test_whether_a_gpu_ran_it_is_always_said() -> None:
    for x in KNOWN_ERRATA:
        shown = " ".join(write_part(x, EVIDENCE).split())
        # a published record of a device shows E2 (docs/semantics.md, 4)
        assert (ON_A_GPU in shown, NO_GPU in shown) == (x.id == "E2", x.id != "E2")


def test_what_is_not_proved_is_said() -> None:
    # `fns` becomes code with branches (docs/dev/evidence.md)
    silent = [x.id for x in KNOWN_ERRATA if NO_PROOF in " ".join(write_part(x, EVIDENCE).split())]
    assert silent == ["E17"]


@ci_only
def test_every_release_and_target_of_the_record_is_shown() -> None:
    for row in load_evidence():
        shown = write_part(find_erratum(row.erratum), EVIDENCE)
        assert row.ptxas in shown
        assert all(re.search(rf"\b(sm_)?{x[3:]}\b", shown) for x in row.targets.split())


def parse_release(text: str) -> tuple[int, int]:
    major, minor, *_ = map(int, text.split("."))
    return major, minor


@pytest.mark.parametrize("x", ALL_ERRATA, ids=lambda x: x.id)
def test_the_releases_with_an_erratum_are_those_that_it_names(x: Erratum) -> None:
    for row in list_evidence(x.id):
        if row.method in ("proved", "computed"):
            release = parse_release(row.ptxas)
            assert OLDEST <= release <= NEWEST
            is_repaired = x.repaired_in is not None and release >= x.repaired_in
            assert row.result == ("isa" if is_repaired else "ptxas")


def test_constants_are_folded_by_the_releases_and_targets_that_are_named() -> None:
    for row in list_evidence("F1"):  # 13.4 is correct
        assert row.result == ("isa" if parse_release(row.ptxas) >= (13, 4) else "ptxas")
    for row in list_evidence("F2"):  # from 12.8 on, for sm_120 and sm_121 alone
        has_it = {*row.targets.split()} <= {"sm_120", "sm_121"}
        assert row.result == ("ptxas" if has_it else "isa")
        assert not has_it or parse_release(row.ptxas) >= (12, 8)


def test_the_proofs_agree_with_those_of_whole_families() -> None:
    proofs = {
        (row.erratum, row.ptxas, target)
        for row in load_evidence()
        if row.method == "proved" and row.result == "ptxas"
        for target in row.targets.split()
    }
    with VERIFIED.open(encoding="utf-8") as stream:
        family_proofs = {
            (id_, row["ptxas"], row["arch"])
            for row in csv.DictReader(stream)
            for id_ in row["errata"].split()
        }
    assert len(family_proofs) > 50
    assert family_proofs <= proofs


def list_differing(names: tuple[str, ...], column: str) -> Iterator[str]:
    for name in names:
        with (DATA / f"{name}.csv").open(encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                if row["isa"] and row.get(column) and row["isa"] != row[column]:
                    yield row["ptx"]


@pytest.mark.parametrize(
    ("id_", "pattern"),
    [
        ("E9", r"vset\.[.\w]*\.(min|max) d, "),
        ("E13", r"vshl\.s32\.\w+\.u32\.(clamp|wrap)\.(min|max) "),
        ("E14", "@"),
        ("E15", r"bfe\.s32 "),
        ("E16", r"bf[ei]\.\w64 "),
        ("E17", r"fns\."),
    ],
)
def test_executed_results_are_counted(id_: str, pattern: str) -> None:
    # these are not forms that another erratum can change
    files = ("golden", "errata", "guarded", "plain")
    counts = {
        version: sum(
            bool(re.match(pattern, line))
            for line in list_differing(files, f"ptxas_{version.replace('.', '_')}")
        )
        for version in ("13.0", "13.5")
    }
    recorded = Counter({x.ptxas: x.lines for x in list_evidence(id_) if x.method == "executed"})
    assert counts == {version: recorded[version] for version in counts}
    assert counts["13.0"]


def test_the_command_has_the_same_parts() -> None:
    printed = run("errata", "e3").stdout
    for title, blocks in list_parts(find_erratum("E3")):
        lines = [line.strip() for line in write_text(blocks, 74).splitlines() if line.strip()]
        assert f"\n{title}\n" in printed
        assert " ".join(" ".join(lines).split()) in " ".join(printed.split())
    (data,) = json.loads(run("errata", "e2", "-f", "json").stdout)
    assert {"method": "device", "result": "ptxas", "ptxas": "", "targets": [], "lines": 1} in data[
        "evidence"
    ]
    assert data["targets"] == TARGETS
