"""Sequences that compute an intrinsic, as the commands and the explorer's listing show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxscope.state.open_listing import open_listing
from tests.cli.running import run
from tests.engine.test_sequences import ADD, kernel
from tools.nvcc_intrinsics import map_kernels, read_stored_ptx

TEXT = kernel(*ADD[:3], "vadd4.u32.u32.u32 %r20, %r21, %r22, %r23;", *ADD[3:])
CALL = "__vadd4(%r1, %r2)"
NOTE = f"lines 5–7, 9–11 compute `{CALL}` → %r8"


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = tmp_path / "k.ptx"
    path.write_text(TEXT)
    return str(path)


def test_check_has_a_note(path: str) -> None:
    assert run("check", path).stdout.splitlines() == [
        f"{path}:8:1: ok: vadd4.u32.u32.u32 %r20, %r21, %r22, %r23;",
        f"{path}:11:1: note: {NOTE}",
        "    xor.b32 %r8, %r6, %r7;",
        "    ^^^^^^^^^^^^^^^^^^^^^",
        "1 instruction, 0 illegal, 0 that an erratum can change; "
        "1 sequence that computes an intrinsic",
    ]


def test_check_can_prove_a_sequence(path: str) -> None:
    pytest.importorskip("bitwuzla")
    assert f"{NOTE} (proved)\n" in run("check", "--prove", path).stdout
    (item,) = (x for x in json.loads(run("check", "--prove", "-f", "json", path).stdout)
               if "sequence" in x)  # fmt: skip
    assert item["sequence"] == {
        "intrinsic": "__vadd4",
        "arguments": ["%r1", "%r2"],
        "result": "%r8",
        "lines": [[5, 7], [9, 11]],
        "is_proved": True,
    }
    assert item["legal"] is None
    assert [x["rule"] for x in item["findings"]] == ["sequence"]


def test_the_note_can_be_ignored(path: str) -> None:
    assert "vadd4(" not in run("check", "--ignore", "sequence", path).stdout
    Path(path).write_text(TEXT.replace("%r7;\n", "%r7; // ptxscope: ignore[sequence]\n"))
    assert run("check", path).stdout.splitlines()[1:] == [
        "1 instruction, 0 illegal, 0 that an erratum can change"
    ]


def test_notes_of_many_functions_are_in_their_places(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(TEXT.partition(".entry")[0] + (".entry" + TEXT.partition(".entry")[2]) * 9)
    places = [
        tuple(map(int, line.removeprefix(f"{path}:").split(":")[:2]))
        for line in run("check", str(path)).stdout.splitlines()
        if line.startswith(str(path))
    ]
    assert len(places) == 18
    assert places == sorted(places)


def test_preprocessed_sources_have_no_notes(tmp_path: Path) -> None:
    """Their lines are those of other files."""
    path = tmp_path / "k.cu"
    statement = f'asm("{{ .reg .b32 %r<9>; {" ".join(ADD)} }}");'.replace("%r", "%%r")
    path.write_text(f"{statement}\n")
    assert "__vadd4" in run("check", str(path)).stdout
    path.write_text(f'# 1 "x.cu"\n{statement}\n')
    assert "__vadd4" not in run("check", str(path)).stdout


def test_sarif_contains_the_note_on_a_sequence(path: str) -> None:
    (result,) = json.loads(run("check", "-f", "sarif", path).stdout)["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("sequence", "note")
    assert result["message"]["text"] == NOTE


def test_a_run_names_or_folds_a_sequence(path: str) -> None:
    words = ("run", path, "%r1=0x01ff8040", "%r2=0x01018040", "%r21=0", "%r22=0", "%r23=0")
    lines = run(*words).stdout.splitlines()
    assert lines[lines.index(f"      {NOTE}") - 1].split("%r8 = ")[1] == "0x02000080  33554560"
    folded = run(*words, "--fold").stdout.splitlines()
    assert [x.split()[0] for x in folded[1:4]] == ["8", "11", "12"]
    assert folded[2].split(" %r8 = ")[0].strip() == f"11 {CALL}  [5–7, 9–11]"
    (sequence,) = json.loads(run(*words, "-f", "json").stdout)["sequences"]
    assert sequence["intrinsic"] == "__vadd4"


def test_the_listing_of_the_explorer_folds_sequences() -> None:
    name = "__vaddss4"
    place = open_listing(map_kernels(read_stored_ptx("sm_90"))[name], "k.ptx")
    assert place
    rows = [row for row in place.rows if row.sequence]
    assert {row.sequence for row in rows} == {(0, 0)}
    assert [row.call for row in rows if row.call] == [
        "__vaddss4(%r3, %r5) → %r18  lines 19–24, 26, 28, 30, 32–38"
    ]
    assert rows[-1].call
