"""`ptxscope check --fix`: the diff, and the files that it writes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ptxscope.cli import main
from ptxscope.features.check.diagnostic import TextEdit
from ptxscope.features.check.file_fixes import apply_edits, format_diff
from ptxscope.sources.source_location import SourceLocation

ROOT = Path(__file__).parents[3]
E3 = "vadd.u32.s32.s32.sat %0.b0, %1, %2, %1;"
SOURCE = f"""\
__device__ unsigned f(unsigned a, unsigned b) {{
  unsigned d;
  asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));
  asm("add.u32 %0, %0, %1;" : "=r" (d) : "r"(a));
  asm("{{ .reg .b32 %%t; prmt.b32 %%t, %1, %2, 0x3210; mov.b32 %0, %%t; }}"
      : "=r"(d) : "r"(a), "r"(b));
  asm("mov.u32 %0, %r1;" : "=r"(d));
  asm("mov.u32 %r2, %%r1;");
  asm("{E3}" : "=r"(d) : "r"(a), "r"(b));
  return d;
}}
"""
FIXED = (
    SOURCE.replace('add.u32 %0, %0, %2;" : "=r"', 'add.u32 %0, %0, %2;" : "=&r"')
    .replace('"=r" (d)', '"+r" (d)')
    .replace("prmt.b32 %%t, %1, %2, 0x3210;", "mov.b32 %%t, %1;")
    .replace("mov.u32 %0, %r1;", "mov.u32 %0, %%r1;")
    .replace("mov.u32 %r2, %%r1;", "mov.u32 %r2, %r1;")
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["check", *words])
    return status, *capsys.readouterr()


def test_a_diff_is_shown_that_patch_can_apply(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "x.cu"
    path.write_text(SOURCE, encoding="utf-8")
    status, diff, said = run(capsys, "--fix", "x.cu")
    assert said == "5 changes in 1 file; --write applies them\n"
    assert status == 0  # %r1, which may be a register of nvcc, is not declared
    assert path.read_text(encoding="utf-8") == SOURCE
    subprocess.run(["git", "apply", "-p0", "-"], input=diff.encode(), check=True, cwd=folder)
    assert path.read_text(encoding="utf-8") == FIXED


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b"// caf\xe9\n"])
def test_a_diff_has_the_bytes_of_the_file(
    head: bytes, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    line = SOURCE.splitlines()[2].encode()
    (folder / "x.cu").write_bytes(head + line + b"\n")
    assert main(["check", "--fix", "x.cu"]) == 0
    diff, _ = capfdbinary.readouterr()
    subprocess.run(["git", "apply", "-p0", "-"], input=diff, check=True, cwd=folder)
    assert (folder / "x.cu").read_bytes() == head + FIXED.splitlines()[2].encode() + b"\n"


def test_a_fixed_file_keeps_its_hard_links(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, other = folder / "x.cu", folder / "other.cu"
    path.write_text(SOURCE, encoding="utf-8")
    other.hardlink_to(path)
    assert run(capsys, "--fix", "--write", "x.cu")[0] == 0
    assert other.read_text(encoding="utf-8") == FIXED
    assert other.samefile(path)
    assert len([*folder.iterdir()]) == 2


def test_files_are_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"x.cu": SOURCE.encode(), "y.cu": b"\xef\xbb\xbf" + SOURCE.encode(), "z.cu": b"int x;"}
    files["w.cu"] = SOURCE.replace("\n", "\r\n").encode()
    files["v.cu"] = b"// caf\xe9\n" + SOURCE.encode()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    _, said, _ = run(capsys, "--fix", "--write", *files)
    assert said == "20 changes in 4 files\n"
    assert (folder / "v.cu").read_bytes() == b"// caf\xe9\n" + FIXED.encode()
    assert (folder / "x.cu").read_bytes() == FIXED.encode()
    assert (folder / "y.cu").read_bytes() == b"\xef\xbb\xbf" + FIXED.encode()
    assert (folder / "z.cu").read_bytes() == b"int x;"
    assert (folder / "w.cu").read_bytes() == FIXED.replace("\n", "\r\n").encode()
    assert run(capsys, "--fix", "--write", *files)[1] == "0 changes\n"


def test_fixes_replace_lines_of_a_listing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = ".version 8.0\n.target sm_75\n.entry k() {\n.reg .b32 %r<9>; .reg .pred %p<2>;\n"
    text = (
        f"{head}\t@%p1 prmt.b32 %r1, %r2, %r3, 0x3210; // a copy\n"
        "  bfe.u32 %r1,\n    %r2, 0, 32;\n"  # on two lines: not replaced
        "  shf.l.wrap.b32 %r1, %r2, %r3, 35;\n}\n"
    )
    (folder / "k.ptx").write_text(text, encoding="utf-8")
    run(capsys, "--fix", "--write", "k.ptx")
    fixed = (folder / "k.ptx").read_text(encoding="utf-8").splitlines()
    assert fixed[4] == "\t@%p1 mov.b32 %r1, %r2; // a copy"
    assert fixed[5:7] == ["  bfe.u32 %r1,", "    %r2, 0, 32;"]
    assert fixed[7] == "  shf.l.wrap.b32 %r1, %r2, %r3, 0x3;"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe\xfd" + SOURCE.encode(), "UTF"),
        (SOURCE.encode() + b"\r", "carriage return"),
        (b"\0" + SOURCE.encode(), "not a text file"),
    ],
)
def test_a_file_that_cannot_be_reproduced_is_not_fixed(
    data: bytes, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "x.cu").write_bytes(data)
    status, _, error = run(capsys, "--fix", "--write", "x.cu")
    assert status == 2
    assert said in error or "utf" in error.lower()
    assert (folder / "x.cu").read_bytes() == data


def test_a_fix_changes_a_macro_only_at_its_definition(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        '#define OUT(x) "=r"(x)\n#define R "%r1"\n#define P "prmt.b32 %0, %1, %1, 0x3210;"\n'
        'asm("add.u32 %0, %0, %1;" : OUT(d) : "r"(a));\n'
        'asm("mov.u32 %0, " R ";" : "=r"(d));\n'
        'asm(P : "=r"(d) : "r"(a));\n'
    )
    (folder / "x.cu").write_text(text, encoding="utf-8")
    lines = [item["line"] for item in json.loads(run(capsys, "-f", "json", "x.cu")[1])]
    assert lines == [3, 4, 5, 6]
    run(capsys, "--fix", "--write", "x.cu")
    fixed = (folder / "x.cu").read_text(encoding="utf-8")
    assert fixed == text.replace("prmt.b32 %0, %1, %1, 0x3210;", "mov.b32 %0, %1;")


def _edit(line: int, column: int, former: str, text: str) -> TextEdit:
    place = SourceLocation(line, column, former, (0, len(former)), len(former))
    return TextEdit(place, text)


def test_conflicting_edits_are_skipped() -> None:
    edits = [
        _edit(1, 1, "ab", "x"),
        _edit(1, 2, "bc", "y"),  # overlaps the one before
        _edit(2, 1, "zz", "y"),  # is not there
        _edit(9, 1, "a", "y"),
        _edit(3, 3, "", "!"),
    ]
    fixed = apply_edits("abc\nd\nef", edits)
    assert (fixed.text, fixed.edit_count) in {("xc\nd\nef!", 2), ("ay\nd\nef!", 2)}
    assert "\\ No newline at end of file" in list(format_diff(fixed, "x"))


def test_json_and_sarif_have_the_fixes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.cu").write_text(SOURCE, encoding="utf-8")
    items = json.loads(run(capsys, "-f", "json", "x.cu")[1])
    fixes = [x["fix"] for item in items for x in item["findings"] if x["fix"]]
    assert fixes[0] == {"line": 3, "column": 51, "width": 2, "text": "=&r"}
    assert len(fixes) == 5
    results = json.loads(run(capsys, "-f", "sarif", "x.cu")[1])["runs"][0]["results"]
    (fix,) = results[0]["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "x.cu"}
    (replacement,) = change["replacements"]
    assert replacement["deletedRegion"] == {"startLine": 3, "startColumn": 51, "endColumn": 53}
    assert replacement["insertedContent"] == {"text": "=&r"}
