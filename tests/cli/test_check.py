"""`ptxscope check`: listings and sources, line by line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ptxscope.cli import main
from ptxscope.engine.semantics.rules import ERRATA
from tests.reference_data import DATA

E3 = "vadd.u32.s32.s32.sat %r1.b0, %r2, %r3, %r1;"


class Checker:
    """Runs the command in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *words: str, given: str | bytes = "") -> tuple[int, str, str]:
        raw = given if isinstance(given, bytes) else given.encode()
        stdin = io.TextIOWrapper(io.BytesIO(raw), encoding="ascii")
        self.monkeypatch.setattr(sys, "stdin", stdin)
        status = main(["check", *words])
        return status, *self.capsys.readouterr()

    def found(self, *words: str, given: str = "") -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = json.loads(self("-f", "json", *words, given=given)[1])
        return listed


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Checker:
    return Checker(monkeypatch, capsys)


def test_check_runs_as_a_program() -> None:
    command = [sys.executable, "-m", "ptxscope", "check", "-"]
    done = subprocess.run(command, input=E3, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("-:1:1: warning: E3: ")


def test_every_asm_line_of_a_source_has_its_line_and_column(check: Checker) -> None:
    path = DATA / "video.cu"
    lines = path.read_text(encoding="utf-8").splitlines()
    items = check.found(str(path))
    wanted = [at for at, line in enumerate(lines, 1) if "asm(" in line]
    uses = [at for at, line in enumerate(lines, 1) for _ in range(line.count("__v"))]
    assert [item["line"] for item in items if item["legal"] is None] == uses
    assert [item["line"] for item in items if item["legal"]] == wanted
    for item in items:
        opcode = item["ptx"].partition(".")[0]
        assert lines[item["line"] - 1][item["column"] - 1 :].startswith(opcode)
        assert item["file"] == str(path)
    assert {id_ for item in items for id_ in item["errata"]} == {"E3", "E6"}


def test_a_listing_of_nvcc_is_checked(check: Checker) -> None:
    status, said, _ = check(str(DATA / "video.ptx"))
    assert status == 0
    assert said.splitlines()[-1] == "37 instructions, 0 illegal, 5 that an erratum can change"
    assert sum(": ok: " in line for line in said.splitlines()) == 32


def test_check_prints_only_warnings_with_the_quiet_option(check: Checker) -> None:
    status, said, _ = check("-q", str(DATA / "video.ptx"))
    assert status == 0
    assert ": ok: " not in said
    assert said.count("warning: E3") == 4
    assert said.count("warning: E6") == 1
    assert said.endswith("37 instructions, 0 illegal, 5 that an erratum can change\n")


def test_an_erratum_that_can_change_a_result_is_a_warning(check: Checker) -> None:
    status, said, _ = check("-", given=f"mov.u32 a, b;\n  {E3}")
    assert status == 0
    assert said.splitlines() == [
        f"-:2:3: warning: E3: with ptxas 11.8 to 13.5 (newest known) on sm_70 and later: "
        f"{ERRATA[2].sentence}",
        f"      {E3}",
        "      ^^^^",
        "    for example %r2=0xffffffff %r3=0x00000000 %r1=0x11223344",
        "      isa 0x11223300   ptxas-13.5 0x112233ff",
        "    as documented, in plain PTX:",
        "      {",
        "          .reg .b64 t<5>;",
        "          .reg .b32 w<1>;",
        "          cvt.s64.s32 t0, %r2;",
        "          cvt.s64.s32 t1, %r3;",
        "          add.s64 t2, t0, t1;",
        "          max.s64 t3, t2, 0;",
        "          min.s64 t4, t3, 255;",
        "          cvt.u32.u64 w0, t4;",
        "          bfi.b32 %r1, w0, %r1, 0, 8;",
        "      }",
        "1 instruction, 0 illegal, 1 that an erratum can change",
    ]


def test_an_illegal_part_is_marked_at_its_place(check: Checker) -> None:
    status, said, _ = check("-", given='asm("{\\n\\t"\n    "vadd4.s32.s32.bad d, a, b, c;" ::);')
    assert status == 1
    first, second, third = said.splitlines()[:3]
    assert first.startswith("-:2:19: error: ")
    assert ".bad" in first
    assert second[third.index("^") :].startswith(".bad")
    assert third.count("^") == 4
    assert "allowed: " in said


def test_two_errors_of_one_instruction_are_each_shown(check: Checker) -> None:
    given = ".version 1.0\n.reg .b64 a; .reg .b32 d;\nvadd.u32.u32.u32 d, a, a;"
    status, said, _ = check("-", given=given)
    assert status == 1
    assert said.count(": error: ") == 3
    assert said.count("^") == 4 + 1 + 1
    assert said.endswith("1 instruction, 1 illegal, 0 that an erratum can change\n")


def test_json_contains_every_field_of_a_finding(check: Checker) -> None:
    wrong, warned, fine = check.found(
        "-", given=f"vadd4 a, b;\n {E3}\n@p vadd.u32.u32.u32 d,a,b,c;"
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
    assert fine["example"] is fine["replacement"] is None


def test_sarif_has_a_result_for_each_finding(check: Checker) -> None:
    status, said, _ = check("-f", "sarif", "-", given=f"vadd4.u32.u32.u32.x a,b,c,d;\n{E3}\nset.x;")
    assert status == 1
    log = json.loads(said)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert {x["id"] for x in rules} > {"illegal", "register-type", "version", "note", "E1", "E14"}
    wrong, warned, *rest = run["results"]
    assert rest
    for result in run["results"]:
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


def test_sarif_follows_its_schema(check: Checker) -> None:
    """It is the schema as Microsoft packages it (``tests/data/sarif_schema.LICENSE``)."""
    schema = json.loads((DATA / "sarif_schema.json").read_text("utf-8"))
    validator = jsonschema.Draft4Validator(schema)
    fixed = 'asm("add.u32 %0, %0, %1;" : "=r"(d) : "r"(a));'
    listing = f"vadd4 a, b;\n\t{E3}\n@p vadd.u32.u32.u32 d,a,b,c;"
    for given in ("", listing, 'asm("vadd4" X);', fixed):
        log = json.loads(check("-f", "sarif", "-", given=given)[1])
        validator.validate(log)
        assert any("fixes" in x for x in log["runs"][0]["results"]) == (given == fixed)
        ids = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
        assert len(set(ids)) == len(ids)
    del log["runs"][0]["results"][0]["fixes"][0]["artifactChanges"]
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(log)


def test_the_format_is_text_by_default(check: Checker) -> None:
    assert check("-f", "text", "-", given=E3) == check("-", given=E3)
    status, _, said = check("-f", "xml", "-")
    assert status == 2
    assert "xml" in said


def test_check_reads_files_by_their_language(check: Checker, tmp_path: Path) -> None:
    line = "vadd4.s32.s32.s32 %0, %1, %2, %3;"
    texts = {
        "a b.cu": f'// asm("{line}")\nasm("{line}" ::);',
        "b.py": f"# {line}\nX = '''\n{line}'''",
        "c.ptx": f"// {line}\n{line}",
        "d": f".version 8.0\n{line}",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    names = [str(tmp_path / name) for name in texts]
    assert [(x["file"], x["line"]) for x in check.found(*names)] == [
        (names[0], 2),
        (names[1], 3),
        (names[2], 2),
        (names[3], 2),
    ]
    wrong = tmp_path / "a b.cu"
    wrong.write_text('asm("vadd4 d, a;");', encoding="utf-8")
    log = json.loads(check("-f", "sarif", str(wrong))[1])
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert uri["uri"].endswith("/a%20b.cu")


def test_other_files_have_nothing_to_check(check: Checker) -> None:
    assert check.found("-", given="mov.u32 a, b;") == []
    status, said, _ = check("-")
    assert (status, said) == (0, "0 instructions, 0 illegal, 0 that an erratum can change\n")
    assert json.loads(check("-f", "sarif", "-")[1])["runs"][0]["results"] == []


def test_control_characters_of_a_file_do_not_reach_the_terminal(check: Checker) -> None:
    given = b'asm("vadd4.s32.s32.s32 d, a, b, \\x1b[31m;" ::); asm("vadd4.u\x1b[2J d;" ::);'
    status, said, _ = check("-", given=given + b"\xff\xfe\x00")
    assert status == 1
    assert "\x1b" not in said
    assert "\x00" not in said


def test_a_byte_order_mark_and_line_ends_of_windows_do_not_move_a_column(check: Checker) -> None:
    given = b"\xef\xbb\xbf" + f"{E3}\r\n\t{E3}\r\n".encode()
    lines = check("-", given=given)[1].splitlines()
    assert lines[0].startswith("-:1:1: ")
    assert any(line.startswith("-:2:2: ") for line in lines)


def test_statements_with_macros_are_counted_separately(check: Checker) -> None:
    status, said, _ = check("-", given='asm("vadd4." TYPE " %0, %1, %2, %3;" ::);')
    assert status == 0
    assert ": note: part of this statement is a macro" in said
    assert said.endswith("0 that an erratum can change; 1 not checked\n")


def test_the_other_files_are_checked_if_one_is_missing(check: Checker, tmp_path: Path) -> None:
    path = tmp_path / "a.ptx"
    path.write_text("vadd4.bad d, a, b, c;", encoding="utf-8")
    status, said, error = check(str(tmp_path / "none.ptx"), str(path))
    assert status == 2
    assert "a.ptx:1:" in said
    assert "1 instruction, 1 illegal" in said
    assert "none.ptx: No such file" in error


def test_check_reads_utf_16_and_refuses_binary_files(check: Checker, tmp_path: Path) -> None:
    path = tmp_path / "a.ptx"
    path.write_text("vadd4.bad d, a, b, c;", encoding="utf-16")
    assert check(str(path))[0] == 1
    path.write_bytes(b"\x7fELF\0\0\0vadd4.bad d, a, b, c;")
    status, _, error = check(str(path))
    assert status == 2
    assert "is not a text file" in error


def test_the_example_follows_its_erratum_directly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.cu"
    text = 'asm("vadd.u32.s32.s32.sat %[d].b0, %1, %1, %1;" : [d] "=r"(d) : "r"(a));'
    file.write_text(text, encoding="utf-8")
    main(["check", str(file)])
    said = capsys.readouterr().out
    warning = said.index("warning: E3")
    assert warning < said.index("for example")
    assert "note:" not in said[warning:]
