"""`ptxscope check`: fixes, ignored diagnostics, settings, and what other tools read."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from ptxscope.cli import main
from ptxscope.cli.support.file_fixes import apply_edits, format_diff
from ptxscope.sources.diagnostic import CHECK_RULES, TextEdit
from ptxscope.sources.lint import check_listing, check_text
from ptxscope.sources.source_language import Language, language_of
from ptxscope.sources.source_location import SourceLocation

ROOT = Path(__file__).parents[2]
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


# --- fixes ------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    "words", [("--write", "x.cu"), ("--fix", "-f", "json", "x.cu"), ("--fix", "--write", "-")]
)
def test_conflicting_options_of_check_are_refused(
    words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "x.cu").write_text(SOURCE, encoding="utf-8")
    assert run(capsys, *words)[0] == 2


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


# --- ignored diagnostics ----------------------------------------------------------------------

_ASM = 'asm("{}" : "=r"(d) : "r"(a), "r"(b));'


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("{}", 1),
        ("{} // ptxscope: ignore[E3]", 0),
        ("{} /* why; ptxscope: ignore[ shorter, E3 ] */", 0),
        ("{} // ptxscope: ignore", 0),
        ("{} // ptxscope: ignore[E6]", 1),
        ("// ptxscope: ignore[E3]\n{}", 0),
        ("  /* ptxscope: ignore */\n{}", 0),
        ("// d is 0: ptxscope: ignore[E3]\n{}", 0),
        ("int x; // ptxscope: ignore[E3]\n{}", 1),  # about its own line
        ("// ptxscope: ignore[E3]\n\n{}", 1),
        ("// ptxscope: ignored[E3]\n{}", 1),
    ],
)
def test_a_comment_ignores_diagnostics(text: str, count: int) -> None:
    (item,) = check_text(text.format(_ASM.format(E3)), "x.cu")
    assert len(item.diagnostics) == count
    assert bool(item.example) == bool(item.replacement) == bool(item.errata) == bool(count)


@pytest.mark.parametrize(
    ("comment", "place", "message"),
    [
        ("ignore[E3, shortr]", (2, 25, "shortr"), "did you mean `shorter`?"),
        ("ignore [shortr]", (2, 22, "shortr"), "did you mean `shorter`?"),
        ("ignore[xyz]", (2, 21, "xyz"), "`xyz` is not a rule"),
        ("ignore[E6", (2, 20, "["), "not closed"),
        ("ignore[E6 E7\n", (2, 20, "["), "not closed"),
    ],
)
def test_a_comment_without_a_valid_rule_is_reported(
    comment: str, place: tuple[int, int, str], message: str
) -> None:
    text = f"int x;\n// ptxscope: {comment}\n" + _ASM.format(E3) + "\nint y;\n"
    problem, item = check_text(text, "x.cu")
    (diagnostic,) = problem.diagnostics
    location = diagnostic.location
    word = location.excerpt[slice(*location.span)]
    assert (location.line, location.column, word) == place
    assert (diagnostic.rule, diagnostic.severity) == ("comment", "warning")
    assert message in diagnostic.message
    assert bool(item.diagnostics) == ("E3" not in comment)


def test_a_comment_without_a_rule_in_a_listing_is_reported_in_its_place() -> None:
    line = "vadd.u32.s32.s32.sat %r1.b0, %r2, %r3, %r1;"
    text = f"{line}\n// ptxscope: ignore[E33]\n{line}\n{line} // ptxscope: ignore[E34\n"
    items = [*check_listing(iter(text.splitlines(keepends=True)), "x.ptx")]
    assert [(x.location.line, x.is_comment) for x in items] == [
        (1, False), (2, True), (3, False), (4, False), (4, True)
    ]  # fmt: skip


def test_a_wrong_comment_is_not_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.cu").write_text("int x; // ptxscope: ignore[E3", encoding="utf-8")
    status, said, _ = run(capsys, "x.cu")
    assert "x.cu:1:27: warning: the `[` is not closed" in said
    assert "0 instructions, 0 illegal" in said
    assert status == 0


def test_the_manual_names_every_rule() -> None:
    manual = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in manual.splitlines() if line.startswith("| `")]
    named = {
        x: severity.strip()
        for _, names, severity, *_ in rows
        for x in re.findall(r"`(.+?)`", names)
    }
    for rule, (severity, _) in CHECK_RULES.items():
        assert named["E1" if re.fullmatch(r"E\d+", rule) else rule] == severity


def test_comments_of_other_languages() -> None:
    line = "vadd.u32.s32.s32.sat %r1.b0, %r2, %r3, %r1;"
    for text, name in (
        (f"# ptxscope: ignore[E3]\nx = '{line}'\n", "x.py"),
        (f'; ptxscope: ignore[E3]\ncall void asm "{line}", ""()', "x.ll"),
        (f".version 8.0\n.target sm_75\n// ptxscope: ignore[E3]\n{line}\n", "x.ptx"),
    ):
        (item,) = check_text(text, name)
        assert "E3" not in [x.rule for x in item.diagnostics]


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_a_comment_may_lie_between_chunks(size: int) -> None:
    line = "vadd.u32.s32.s32.sat %r1.b0, %r2, %r3, %r1;"
    text = f"{line} // ptxscope: ignore[E3]\n{line}\n// {'x' * 90}\n{line}\n"
    text = f"{text}// ptxscope: ignore\n{line}\n" * 9
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    found = [bool(item.diagnostics) for item in check_listing(chunks, "x.ptx")]
    assert found == [False, True, True, False] * 9


# --- settings ---------------------------------------------------------------------------------


def write_sources(folder: Path) -> None:
    (folder / "src" / "old").mkdir(parents=True)
    (folder / "src" / "a.cu").write_text(_ASM.format(E3), encoding="utf-8")
    (folder / "src" / "old" / "b.cu").write_text(_ASM.format("vadd4 x;"), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "head"), [("ptxscope.toml", "[check]"), ("pyproject.toml", "[tool.ptxscope.check]")]
)
def test_settings_are_read_from_the_folder_or_a_parent(
    name: str,
    head: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_sources(folder)
    settings = f'{head}\npaths = ["src/**/*.cu"]\nexclude = ["src/old/*"]\n'
    (folder / name).write_text(settings, encoding="utf-8")
    status, said, _ = run(capsys)
    assert (status, said.splitlines()[-1]) == (
        0,
        "1 instruction, 0 illegal, 1 that an erratum can change",
    )
    monkeypatch.chdir(folder / "src" / "old")
    assert "1 that an erratum" in run(capsys)[1]
    (folder / name).write_text(f'{settings}ignore = ["E3"]', encoding="utf-8")
    assert "0 that an erratum" in run(capsys)[1]
    (folder / name).write_text(f'{settings}model = "isa"', encoding="utf-8")
    assert "0 that an erratum" in run(capsys)[1]
    assert run(capsys, "b.cu")[0] == 1


def test_a_folder_stands_for_its_listings_and_sources(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sources(folder)
    for name in ("src/k.cuh", "src/notes.bin", "src/.git/c.cu", "src/x.h/d.h", "empty/e.bin"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(_ASM.format(E3), encoding="utf-8")

    def list_checked(*words: str) -> list[str]:
        _, said, _ = run(capsys, *words, "-f", "json")
        return list(dict.fromkeys(x["file"] for x in json.loads(said)))

    assert list_checked("src") == ["src/a.cu", "src/k.cuh", "src/old/b.cu", "src/x.h/d.h"]
    (folder / "ptxscope.toml").write_text('[check]\nexclude = ["src/old/*"]', encoding="utf-8")
    assert list_checked("src/old/b.cu", "src/x.h") == ["src/old/b.cu", "src/x.h/d.h"]
    monkeypatch.chdir(folder / "src")
    assert list_checked(".") == ["a.cu", "k.cuh", "x.h/d.h"]
    status, _, said = run(capsys, "../empty")
    assert (status, said) == (2, "error: ../empty has no listing or source\n")


def test_options_add_to_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"#if N == 2\n{_ASM.format('vadd4 x;')}\n#endif\n{_ASM.format(E3)}\n"
    (folder / "x.cu").write_text(text, encoding="utf-8")
    assert run(capsys, "x.cu")[0] == 1
    (folder / "ptxscope.toml").write_text('[check]\ndefine = ["N=1"]', encoding="utf-8")
    assert run(capsys, "x.cu")[0] == 0
    assert run(capsys, "-D", "N=2", "x.cu")[0] == 1
    assert run(capsys, "-U", "N", "x.cu")[0] == 0
    assert "0 that an erratum" in run(capsys, "--ignore", "E3,E6", "x.cu")[1]


@pytest.mark.parametrize(
    ("options", "settings", "status", "rules"),
    [
        ("", "", 0, "E3 intrinsic"),
        ("--fail-on warning", "", 1, "E3 intrinsic"),
        ("", 'fail-on = "warning"', 1, "E3 intrinsic"),
        ("--fail-on error", 'fail-on = "warning"', 0, "E3 intrinsic"),
        ("--fail-on warning --ignore E3", "", 0, "intrinsic"),
        ("--fail-on note --ignore E3", "", 1, "intrinsic"),
        ("--min-severity warning", "", 0, "E3"),
        ("", 'min-severity = "warning"', 0, "E3"),
        ("--min-severity error --fail-on note", "", 0, ""),
        ("--min-severity remark", "", 0, "E3 intrinsic intrinsic"),
    ],
)
def test_severities_decide_reports_and_exit_status(
    options: str,
    settings: str,
    status: int,
    rules: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asm = _ASM.format(E3)
    text = f"{asm}\nd = __vadd4(a, a);\nd = __byte_perm(a, b, 1);\nd = __byte_perm(a, b, 2);\n"
    (folder / "x.cu").write_text(text, encoding="utf-8")
    (folder / "ptxscope.toml").write_text(f"[check]\n{settings}", encoding="utf-8")
    found_status, said, _ = run(capsys, *options.split(), "x.cu", "-f", "json")
    assert found_status == status
    assert [y["rule"] for x in json.loads(said) for y in x["findings"]] == rules.split()
    assert run(capsys, *options.split(), "x.cu", "--fix")[0] == status
    sarif = json.loads(run(capsys, *options.split(), "x.cu", "-f", "sarif")[1])
    assert {x["level"] for x in sarif["runs"][0]["results"]} <= {"error", "warning", "note"}


def test_an_excluded_file_is_not_checked_even_by_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_sources(folder)
    settings = '[check]\nexclude = ["src/old/*"]\n'
    (folder / "ptxscope.toml").write_text(settings, encoding="utf-8")
    names = ["src/a.cu", "src/old/b.cu"]
    assert run(capsys, *names)[0] == 1
    assert run(capsys, *names, "--force-exclude")[0] == 0
    assert run(capsys, "src/old/b.cu", "--force-exclude", "--fix")[0] == 0
    (folder / "ptxscope.toml").write_text(f"{settings}force-exclude = true", encoding="utf-8")
    assert run(capsys, *names)[0] == 0
    status, said, _ = run(capsys, "src/old/b.cu")
    assert (status, said) == (0, "0 instructions, 0 illegal, 0 that an erratum can change\n")
    assert run(capsys, "src/old")[0] == 0


def test_only_regular_files_of_a_folder_are_read(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sources(folder)
    os.mkfifo(folder / "src" / "b.ptx")
    (folder / "src" / ".#a.cu").symlink_to("someone@somewhere.1234")
    assert run(capsys, "src", "--ignore", "illegal")[0] == 0
    (folder / "src" / "secret").mkdir()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    for words in (("src",), ("src", "--fix")):
        status, said, error = run(capsys, *words, "--ignore", "illegal")
        assert (status, error.splitlines()[-1]) == (2, "error: src/secret: Permission denied")
        assert "--fix" in words or "src/a.cu:1:" in said


def test_a_deleted_current_folder_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    said = "error: the current folder no longer exists\n"
    assert run(capsys, str(tmp_path / "x.cu")) == (2, "", said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[check]\nfail-on = 'all'", 'fail-on: "error" or "warning" or "note" or "remark"'),
        ("[check]\nmin-severity = []", "min-severity: "),
        ("[check]\nforce-exclude = 1", "force-exclude: true or false"),
        ("[check\n", "ptxscope.toml"),
        ("check = 3", "not a table"),
        ("[check]\nrules = []", "'rules' is not a setting"),
        ("[check]\nignore = 'E3'", "ignore: an array of strings"),
        ("[check]\nignore = ['E99']", "'E99' is not a rule"),
        ("[check]\nmodel = 'x'", "unknown model"),
        ("[check]\nmodel = 3", "model: a string"),
        ("[check]\ndefine = ['1=2']", "not the name of a macro"),
        ("[check]\npaths = ['/x/*']", "paths"),
    ],
)
def test_wrong_settings_are_reported(
    text: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "ptxscope.toml").write_text(text, encoding="utf-8")
    (folder / "x.cu").write_text("int x;", encoding="utf-8")
    status, _, error = run(capsys, "x.cu")
    assert status == 2
    assert said in error


def test_check_without_files_and_settings_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder.exists()
    status, _, error = run(capsys)
    assert status == 2
    assert "no FILE is named" in error


# --- other tools ------------------------------------------------------------------------------


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


def test_the_hooks_read_files_of_every_language() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"files: &files '(.*)'", text)
    for suffix in "ptx cu cuh c cpp h hpp cl hip py pyx rs jl ll mlir ipynb".split():
        assert re.search(pattern, f"src/k.{suffix}")
        assert language_of(f"k.{suffix}", "x") is not Language.UNKNOWN
    assert not re.search(pattern, "k.txt")
    for words in re.findall(r"entry: ptxscope (.*)", text):
        assert main([*words.split(), "--help"]) == 0


def test_the_hooks_obey_exclude(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_sources(folder)
    (folder / "ptxscope.toml").write_text('[check]\nexclude = ["src/old/*"]', encoding="utf-8")
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: ptxscope check (.*)", text)
    assert len(entries) == 2
    for words in entries:
        assert run(capsys, *words.split(), "src/a.cu", "src/old/b.cu")[0] == 0


def test_the_github_action_passes_files_and_patterns_to_check(tmp_path: Path) -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = "\n".join(x.strip() for x in text.rpartition("run: |")[2].splitlines())
    command = tmp_path / "ptxscope" / "bin" / "ptxscope"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\nprintf "<%s>" "$@"; echo; exit 1\n', encoding="utf-8")
    command.chmod(0o755)
    for name in ("a.cu", "b c.cu", "$(touch hacked).cu"):
        (tmp_path / name).touch()
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        env={
            "PATH": "/usr/bin:/bin",
            "RUNNER_TEMP": str(tmp_path),
            "FILES": "*.cu\nnone*.cu\nx.ptx",
            "ARGUMENTS": "--ignore\nE3, E6",
            "SARIF": "out.sarif",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    files = "<$(touch hacked).cu><a.cu><b c.cu><x.ptx>"
    assert done.returncode == 1
    assert done.stdout == f"<check><--ignore><E3, E6><--quiet>{files}\n"
    sarif = (tmp_path / "out.sarif").read_text(encoding="utf-8")
    assert sarif == f"<check><--ignore><E3, E6><-f><sarif>{files}\n"
    assert not (tmp_path / "hacked").exists()
