"""`ptxscope explain`: the answer first, the trace behind it, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ptxscope import evaluate
from tests.cli.running import run

E3 = ("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344")


def explain(*words: str, given: str = "") -> tuple[int, str, str]:
    done = run("explain", *words, given=given)
    assert "Traceback" not in done.stderr
    return done


def found(*words: str, given: str = "") -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(explain(*words, "-f", "json", given=given)[1])
    return listed


def test_explain_in_a_process_gives_the_same_output() -> None:
    words = ("explain", *E3, "--got", "0x112233ff")
    command = [sys.executable, "-m", "ptxscope", *words]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout, done.stderr) == run(*words)


def test_an_erratum_is_named_and_both_traces_are_shown() -> None:
    status, said, _ = explain(*E3, "--got", "0x112233ff")
    assert status == 0
    answer = said.partition("With one change")[0]
    assert "got         0x112233ff" in answer
    assert "documented  0x11223300" in answer
    assert "byte 0 is not" in answer
    assert "E3: " in answer
    documented, _, other = said.partition("The explanation, from the first step")
    assert "clamp(-1, 0..255) = 0" in documented
    assert "min(18446744073709551615, 255) = 255" in other
    assert "--model ptxas-13.5" in other
    assert all(len(line) <= 80 for line in said.splitlines())


def test_the_answers_can_be_had_without_the_traces() -> None:
    brief, full = (
        explain(*E3, "--got", "0x112233ff", "--no-next", *more)[1] for more in (["--brief"], [])
    )
    assert full.startswith(brief)
    assert "E3: " in brief
    assert "clamp(" not in brief


def test_the_json_of_explain_has_the_documented_fields() -> None:
    first = found(*E3, "--got", "0x112233ff")[0]
    assert first["kind"] == "ptxas"
    assert first["ptx"] == "vadd.u32.s32.s32.sat %0.b0, %1, %2, %3;"
    assert first["model"] == "ptxas-13.5"
    assert first["errata"] == ["E3"]
    assert "E3" in first["sentence"]
    assert first["matched"] == 1
    assert first["result"] == {"%0": "0x112233ff"}


def test_explain_recognises_the_documented_result() -> None:
    status, said, _ = explain(*E3, "--got", "0x11223300")
    assert status == 0
    assert "This is the documented result." in said
    assert found(*E3, "--got", "0x11223300")[0]["kind"] == "documented"


def test_unknown_bits_match_anything() -> None:
    assert found(*E3, "--got", "0x1122????")[0]["kind"] == "documented"
    assert found(*E3, "--got", "0x??????ff")[0]["errata"] == ["E3"]


def test_explain_shows_near_misses_of_an_unexplained_result() -> None:
    status, said, _ = explain("vadd.u32.u32.u32 d, a, b", "a=1", "b=2", "--got", "0xdeadbeef")
    assert status == 1
    assert "Nothing within two changes explains it" in said
    assert "The nearest" in said
    assert found("vadd.u32.u32.u32 d, a, b", "a=1", "b=2", "--got", "0xdeadbeef") == []


def test_explain_reads_observations_from_a_csv_file(tmp_path: Path) -> None:
    rows = ["%1,%2,%3,got"]
    for a in (0x7F, 0x80, 0xFF, 0x7F80FF01):
        ptx = "vadd4.s32.s32.s32.sat %0, %1, %2, %3"
        got = evaluate(ptx, {"%1": a, "%2": 0x01010101})["%0"]
        rows.append(f"{a:#x},0x01010101,0,{got:#x}")
    path = tmp_path / "seen.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    words = ("vadd4.s32.s32.s32 %0, %1, %2, %3", "--observations", str(path))
    first = found(*words)[0]
    assert first["ptx"] == "vadd4.s32.s32.s32.sat %0, %1, %2, %3;"
    assert first["matched"] == 4
    assert "4 observations" in explain(*words)[1]
    text = "\n".join(rows)
    assert found(words[0], "--observations", "-", given=text)[0]["ptx"] == first["ptx"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*E3, "--got", "0x1?3x"), "`?` stands for"),
        ((*E3, "--got", "q=1"), "`q` is not a destination"),
        ((*E3,), "--got VALUE"),
        ((*E3, "--got", "0x1ffffffff"), "does not fit in 32 bits"),
        ((*E3[:3], "--got", "1"), "no value for %3"),
        (("setp.lt.s32 p|q, a, b", "a=1", "b=2", "--got", "1"), "2 destinations"),
        ((*E3, "--got", "1", "--got", "2"), "observed twice"),
        ((*E3, "--got", "?"), "no digit of it is known"),
        ((*E3, "--got", "1", "--observations", "x.csv"), "only one of them"),
        ((E3[0], "--observations", "no-such.csv"), "No such file"),
        (("setp.lt.s32 _, a, b", "a=1", "b=2", "--got", "1"), "discards its result"),
    ],
)
def test_a_wrong_request_is_reported(words: tuple[str, ...], said: str) -> None:
    status, out, err = explain(*words)
    assert status == 2
    assert said in err
    assert not out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no observations"),
        ("a,b,got\n\n", "no observations"),
        ("a,a,b,got\n1,1,2,3\n", "two columns for a"),
        ("a,b,got,got\n1,2,3,3\n", "two columns for d"),
        ("a,b\n1,2\n", "no column got or d"),
        ("a,b,got\n1,x,3\n", "line 2, column b: `x` is not a value"),
        ("a,b,got\n1,2,3,4\n", "line 2: there are 4 values for 3 columns"),
        ("a,got\n1,3\n", "line 2: no value for operand b"),
        ("a,b,got\n1,2,\n", "line 2: nothing was observed"),
        ("a,b,got\n1,2,?\n", "line 2: nothing was observed"),
    ],
)
def test_a_wrong_csv_file_of_observations_is_reported(text: str, said: str) -> None:
    status, _, err = explain("vadd.u32.u32.u32 d, a, b", "--observations", "-", given=text)
    assert status == 2
    assert said in err


def test_an_illegal_instruction_is_an_answer_of_no() -> None:
    assert explain("vadd.u32.u32 d, a, b", "a=1", "b=2", "--got", "1")[0] == 1


def test_two_destinations_are_observed_by_name() -> None:
    words = ("setp.lt.s32 p|q, a, b", "a=1", "b=2", "--got", "p=0", "--got", "q=1")
    sentences = [x["sentence"] for x in found(*words)]
    assert any("p and q exchanged" in said for said in sentences)
    assert "documented  p = 1, q = 0" in explain(*words)[1]


def test_neither_numpy_nor_textual_is_loaded_for_one_observation() -> None:
    code = (
        "import sys; from ptxscope.cli import main; main(sys.argv[1:]); "
        "print({'numpy', 'textual', 'rich'} & set(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "explain", *E3, "--got", "0x112233ff"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "set()"


def test_the_json_of_an_exchange_can_be_evaluated() -> None:
    words = ("vsub4.u32.u32.u32.sat d, a, b, c", "a=0x7f80ff01", "b=0x10203f4", "c=0")
    listed = found(*words, "--got", "0xf3")
    (exchange,) = [
        x for x in listed if x["sentence"].count("a and b exchanged") and len(x["causes"]) == 1
    ]
    values = {name: int(bits, 16) for name, bits in exchange["operands"].items()}
    assert evaluate(exchange["ptx"], values) == {"d": 0xF3}


def test_some_destinations_may_be_unknown_in_a_row() -> None:
    words = ("setp.lt.s32 p|q, a, b", "--observations", "-")
    listed = found(*words, given="a,b,p,q\n1,2,0,1\n2,1,?,0\n3,3,,1\n")
    assert listed
    assert listed[0]["matched"] == 3


def test_an_operand_that_only_some_rows_have_is_not_relied_on() -> None:
    rows = "\ufeffa,b,c,got\n1,2,3,3\n1,2,,3\n"
    status, said, _ = explain("vadd4.u32.u32.u32 d, a, b, c", "--observations", "-", given=rows)
    assert status == 0
    assert "documented result" in said
    rows = rows.replace(",3\n1", ",77\n1")
    assert explain("vadd4.u32.u32.u32 d, a, b, c", "--observations", "-", given=rows)[0] in (0, 1)


def test_json_reports_an_unexplained_result_on_standard_error() -> None:
    words = ("vadd.u32.u32.u32 d, a, b", "a=1", "b=2", "--got", "0xdeadbeef", "-f", "json")
    status, out, said = explain(*words)
    assert (status, json.loads(out)) == (1, [])
    assert "The nearest" in said


def test_explain_needs_no_value_for_an_unread_c() -> None:
    words = ("vsub4.s32.s32.s32 d, a, b, c", "a=0x01020304", "b=0x04030201")
    status, said, _ = explain(*words, "--got", "0x0301fffd")
    assert status == 0
    assert "with a and b exchanged" in said


def test_the_json_of_a_wrong_opcode_has_the_kind_opcode() -> None:
    words = ("vmin4.s32.s32.s32 d, a, b, c", "a=0x01820304", "b=0x04030281")
    first = found(*words, "--got", "0x04030304")[0]
    assert first["kind"] == "opcode"
    assert first["ptx"] == "vmax4.s32.s32.s32 d, a, b, c;"
    assert first["causes"][0]["phrase"] == "with `vmax4` rather than `vmin4`"
    assert first["operands"] == {"a": "0x01820304", "b": "0x04030281"}


def test_explain_reads_a_float_by_its_constraint() -> None:
    asm = (
        'asm("slct.b32.s32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "r"(c));',
        "a=1.5", "b=2.5", "c=0",
    )  # fmt: skip
    done = run("explain", *asm, "--got", "2.5")
    assert (done.returncode, done.stderr) == (0, "")
    assert "0x40200000" in done.stdout  # 2.5 as an f32
    assert "it took a only if c > 0" in done.stdout
    nothing = run("explain", *asm, "--got", "d=5.0", "--brief")
    assert (nothing.returncode, nothing.stderr) == (1, "")
    assert "0x40a00000" in nothing.stdout
    integer = run("explain", "slct.b32.s32 d, a, b, c", "a=1", "b=2", "c=0", "--got", "2.5")
    assert "`2.5` is a float; the operand is `.b32`" in integer.stderr


def test_explain_reads_floats_of_a_file_by_their_constraints(tmp_path: Path) -> None:
    path = tmp_path / "seen.csv"
    path.write_text("a,b,c,got\n1.5,2.5,0,2.5\n")
    line = 'asm("slct.b32.s32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "r"(c));'
    done = run("explain", line, "--observations", str(path), "--brief")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("got", "said"),
    [
        ("0x??00??20", "lane 0 right, lane 2 is not; 3 and 1 are not known"),
        ("0x??????15", "lane 0 differs; 3, 2 and 1 are not known"),
        ("0x??804015", "lanes 2, 1 right, lane 0 is not; 3 is not known"),
        ("0x0080402?", ""),
        ("0x00804021", "lanes 3, 2, 1 right, lane 0 is not"),
        ("0x11111111", "every lane differs"),
    ],
)
def test_a_lane_that_was_not_observed_is_neither_right_nor_wrong(got: str, said: str) -> None:
    """The sums of the bytes of 0x80402010 and itself are 00 80 40 20."""
    words = [*"a=0x80402010 b=0x80402010 c=0 --brief --got".split(), got]
    _, out, _ = explain("vadd4.u32.u32.u32 d, a, b, c", *words)
    (line,) = (x for x in out.splitlines() if "documented  0x" in x)
    assert line == f"  documented  0x00804020  {said}".rstrip()


def test_explanations_that_are_the_same_instruction_are_merged() -> None:
    pytest.importorskip("bitwuzla")
    # `set` writes all ones where the comparison holds: what is expected of vset in that case
    shown = run("explain", "vset.s32.s32.lt d, a, b", "a=1", "b=2", "--got", "0xffffffff").stdout
    assert "proved to be the same instruction" in " ".join(shown.split())
    assert "To decide" not in shown
