"""`ptxscope check`: what it prints, and what other tools read (see also requests/check.txt)."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ptxscope.cli import main
from ptxscope.features.check.check_rules import map_rules
from ptxscope.sources.source_language import Language, find_language
from tests.cli.test_completion import offered
from tests.driving.command_line import Done, run
from tests.features.check.check_cases import CHECK_DATA
from tests.reference_data import DATA

ROOT = Path(__file__).parents[3]
E3 = "vadd.u32.s32.s32.sat %r1.b0, %r2, %r3, %r1;"


def check(*words: str, given: str | bytes = "") -> Done:
    return run("check", *words, given=given)


def list_items(*words: str, given: str = "") -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(check("-f", "json", *words, given=given).stdout)
    return listed


def test_every_asm_line_of_a_source_has_its_line_and_column() -> None:
    path = DATA / "video.cu"
    lines = path.read_text(encoding="utf-8").splitlines()
    items = list_items(str(path))
    wanted = [at for at, line in enumerate(lines, 1) if "asm(" in line]
    uses = [at for at, line in enumerate(lines, 1) for _ in range(line.count("__v"))]
    assert [item["line"] for item in items if item["legal"] is None] == uses
    assert [item["line"] for item in items if item["legal"]] == wanted
    for item in items:
        opcode = item["ptx"].partition(".")[0]
        assert lines[item["line"] - 1][item["column"] - 1 :].startswith(opcode)
        assert item["file"] == str(path)
    assert {id_ for item in items for id_ in item["errata"]} == {"E3", "E6"}


def test_every_instruction_of_a_listing_of_nvcc_is_counted() -> None:
    said = check(str(DATA / "video.ptx")).stdout
    counts = [said.count(x) for x in (": ok: ", "warning: E3", "warning: E6")]
    assert (counts, said.splitlines()[-1].partition(",")[0]) == ([32, 4, 1], "37 instructions")


def test_json_contains_every_field_of_a_finding() -> None:
    wrong, warned, fine, ignored = list_items(
        "-", given=f"vadd4 a, b;\n {E3}\n@p vadd.u32.u32.u32 d,a,b,c;\n{E3} // ptxscope: ignore"
    )
    assert (wrong["legal"], wrong["line"], wrong["ptx"]) == (False, 1, "vadd4 a, b")
    assert wrong["message"] == "; ".join(x["message"] for x in wrong["findings"])
    assert {x["rule"] for x in wrong["findings"]} == {"illegal"}
    assert warned["errata"] == ["E3"]
    assert warned["example"] == {
        "values": {"%r2": "0xffffffff", "%r3": "0x00000000", "%r1": "0x11223344"},
        "isa": "0x11223300",
        "ptxas": "0x112233ff",
        "model": "ptxas-13.5",
    }
    assert warned["replacement"][0] == "{"
    assert (fine["legal"], fine["message"], fine["column"]) == (True, "", 4)
    assert [fine["notes"]] == [[x["message"] for x in fine["findings"]]]
    for item in fine, ignored:
        assert item["example"] is item["replacement"] is None
        assert item["errata"] == []


def test_sarif_has_a_result_for_each_finding(tmp_path: Path) -> None:
    status, said, _ = check("-f", "sarif", "-", given=f"vadd4.u32.u32.u32.x a,b,c,d;\n{E3}\nset.x;")
    assert status == 1
    log = json.loads(said)
    assert log["version"] == "2.1.0"
    (run_,) = log["runs"]
    rules = run_["tool"]["driver"]["rules"]
    assert {x["id"] for x in rules} > {"illegal", "register-type", "version", "note", "E1", "E14"}
    wrong, warned, *rest = run_["results"]
    assert rest
    for result in run_["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert rules[result["ruleIndex"]]["defaultConfiguration"]["level"] == result["level"]
        assert result["message"]["text"]
    (place,) = (x["physicalLocation"] for x in wrong["locations"])
    assert place["artifactLocation"] == {"uri": "-"}
    region = place["region"]
    assert [region[x] for x in ("startLine", "startColumn", "endColumn")] == [1, 18, 20]
    assert region["snippet"]["text"] == "vadd4.u32.u32.u32.x a,b,c,d;"
    assert (wrong["ruleId"], wrong["level"]) == ("illegal", "error")
    assert (warned["ruleId"], warned["level"]) == ("E3", "warning")
    assert "0x112233ff" in warned["message"]["text"]
    assert "bfi.b32" in warned["message"]["text"]
    (tmp_path / "a b.cu").write_text('asm("vadd4 d, a;");', encoding="utf-8")
    assert "/a%20b.cu" in check("-f", "sarif", str(tmp_path / "a b.cu")).stdout


def test_sarif_follows_its_schema() -> None:
    """It is the schema as Microsoft packages it (``data/sarif_schema.LICENSE``)."""
    schema = json.loads((CHECK_DATA / "sarif_schema.json").read_text("utf-8"))
    validator = jsonschema.Draft4Validator(schema)
    fixed = 'asm("add.u32 %0, %0, %1;" : "=r"(d) : "r"(a));'
    listing = f"vadd4 a, b;\n\t{E3}\n@p vadd.u32.u32.u32 d,a,b,c;"
    for given in ("", listing, 'asm("vadd4" X);', fixed):
        log = json.loads(check("-f", "sarif", "-", given=given).stdout)
        validator.validate(log)
        assert any("fixes" in x for x in log["runs"][0]["results"]) == (given == fixed)
        ids = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
        assert len(set(ids)) == len(ids)
    del log["runs"][0]["results"][0]["fixes"][0]["artifactChanges"]
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(log)


def test_control_characters_of_a_file_do_not_reach_the_terminal() -> None:
    given = b'asm("vadd4.s32.s32.s32 d, a, b, \\x1b[31m;" ::); asm("vadd4.u\x1b[2J d;" ::);'
    status, said, _ = check("-", given=given + b"\xff\xfe\x00")
    assert status == 1
    assert not {"\x1b", "\x00"} & {*said}


def test_a_byte_order_mark_and_line_ends_of_windows_do_not_move_a_column() -> None:
    said = check("-", given=b"\xef\xbb\xbf" + f"{E3}\r\n\t{E3}\r\n".encode()).stdout
    assert said.startswith("-:1:1: ")
    assert "\n-:2:2: " in said


# --- files and folders -----------------------------------------------------------------------


def test_only_regular_files_of_a_folder_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("src").mkdir()
    Path("src/a.cu").write_text(f'asm("{E3}");', encoding="utf-8")
    os.mkfifo("src/b.ptx")
    Path("src/.#a.cu").symlink_to("someone@somewhere.1234")
    assert check("src", "--ignore", "illegal")[0] == 0
    Path("src/secret").mkdir()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    for words in (("src",), ("src", "--fix")):
        status, said, error = check(*words, "--ignore", "illegal")
        assert (status, error.splitlines()[-1]) == (2, "error: src/secret: Permission denied")
        assert "--fix" in words or "src/a.cu:1:" in said


def test_a_deleted_current_folder_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    said = "error: the current folder no longer exists\n"
    assert check(str(tmp_path / "x.cu")) == (2, "", said)


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
        ("x = " + 20_000 * "[", "ptxscope.toml: arrays or tables are nested too deeply"),
    ],
)
def test_wrong_settings_are_reported(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ptxscope.toml").write_text(text, encoding="utf-8")
    Path("x.cu").write_text("int x;", encoding="utf-8")
    status, _, error = check("x.cu")
    assert status == 2
    assert said in error


# --- the manual and other tools --------------------------------------------------------------


def test_the_manual_names_every_rule() -> None:
    manual = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in manual.splitlines() if line.startswith("| `")]
    named = {
        x: severity.strip()
        for _, names, severity, *_ in rows
        for x in re.findall(r"`(.+?)`", names)
    }
    for rule, (severity, _) in map_rules().items():
        assert named["E1" if re.fullmatch(r"E\d+", rule) else rule] == severity


def test_the_hooks_read_files_of_every_language_and_obey_exclude(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"files: &files '(.*)'", text)
    for suffix in "ptx cu cuh c cpp h hpp cl hip py pyx rs jl ll mlir ipynb".split():
        assert re.search(pattern, f"src/k.{suffix}")
        assert find_language(f"k.{suffix}", "x") is not Language.UNKNOWN
    assert not re.search(pattern, "k.txt")
    monkeypatch.chdir(tmp_path)
    Path("old.cu").write_text('asm("vadd4 x;");', encoding="utf-8")
    Path("ptxscope.toml").write_text('[check]\nexclude = ["old.cu"]', encoding="utf-8")
    entries = re.findall(r"entry: ptxscope (check .*)", text)
    assert len(entries) == 2
    for words in entries:
        assert main([*words.split(), "--help"]) == 0
        assert main([*words.split(), "old.cu"]) == 0
    clobber = 'asm("add.u32 %0, %1, 1; add.u32 %0, %0, %2;" : "=r"(d) : "r"(a), "r"(b));'
    Path("new.cu").write_text(clobber, encoding="utf-8")
    assert main([*entries[0].split(), "new.cu"]) == 1


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

    command.write_text('#!/bin/sh\nprintf "<%s>" "$@"; echo\n', encoding="utf-8")
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        env={
            "PATH": "/usr/bin:/bin",
            "RUNNER_TEMP": str(tmp_path),
            "FILES": "none*.cu\n*.none",
            "ARGUMENTS": "",
            "SARIF": "out.sarif",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "no file matches none*.cu *.none\n")
    sarif = (tmp_path / "out.sarif").read_text(encoding="utf-8")
    assert sarif == "<check><-f><sarif></dev/null>\n"


def test_completion_offers_the_formats() -> None:
    assert offered("check", "x.ptx", "-f", "") == ["text", "json", "sarif"]
