"""What the commands say, and how they end."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from ptxscope import PtxError, __version__, evaluate, parse
from ptxscope.cli import main
from ptxscope.cli.support.command_table import OLD_SPELLINGS
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.semantics.rules import ERRATA
from tests.cli.running import Done, list_loaded_modules, run
from tests.tiers import sampled

LINE = "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0"
VALUES = ("%r2=0x80ff7f01", "%r3=0x01010101", "%r0=5")


def ptxscope(*arguments: str, stdin: str = "", status: int = 0) -> Done:
    """Run the command line; its exit status must be as given."""
    done = run(*arguments, given=stdin)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_commands_in_a_process_give_the_same_output() -> None:
    for words in (("trace", LINE, *VALUES), ("list",), ("show", "varvg2"), ("--help",)):
        command = [sys.executable, "-m", "ptxscope", *words]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stdout, done.stderr) == run(*words)


def test_trace_prints_the_arithmetic_and_the_result() -> None:
    printed = ptxscope("trace", LINE, *VALUES).stdout
    assert "%r1 = 0x00000007" in printed
    assert "5 + 1 + 1 + 0 + 0 = 7" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_trace_names_the_erratum_between_the_answers() -> None:
    line = "vmad.u32.u32.u32.sat %0, %1, %2, %3"
    printed = ptxscope("trace", line, "%1=0xffffffff", "%2=1", "%3=0", "--model", "ptxas").stdout
    assert "%0 = 0x00000000" in printed
    assert "0xffffffff\n" in printed.partition("Two answers")[2]
    assert "E10" in printed


def test_the_command_in_a_trace_prints_the_same_trace() -> None:
    line = 'asm("vadd.u32.s32.s32.sat %0.b0, %1, -1, %3;" : : )'
    printed = ptxscope("trace", line, "%1=0", "%3=[1,2,3,4]", "--model", "ptxas-13.0").stdout
    command = printed.partition("\n$ ")[2]
    again = subprocess.run(
        ["bash", "-c", f'ptxscope() {{ "{sys.executable}" -m ptxscope "$@"; }}; {command}'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert again.stdout == printed


def test_eval_streams_a_csv() -> None:
    rows = 'name,%r2,%r3,%r0\nx,0x80ff7f01,0x01010101,5\ny,"[1,2,3,4]",0,-1\n\nz,0,0,0\n'
    out = list(csv.DictReader(io.StringIO(ptxscope("eval", LINE, "--csv", "-", stdin=rows).stdout)))
    assert [row["%r1"] for row in out] == ["0x00000007", "0xffffffff", "0x00000000"]
    assert [row["name"] for row in out] == ["x", "y", "z"]
    assert out[1]["%r2"] == "[1,2,3,4]"


def test_eval_names_columns_of_repeated_and_of_two_destinations() -> None:
    line = "vadd4.u32.u32.u32 %r1, %r1, %r2, %r1"
    printed = ptxscope("eval", line, "--csv", "-", stdin="%r1,%r2\n1,2\n").stdout
    assert printed == "%r1,%r2,%r1:out\n1,2,0x00000003\n"
    line = "setp.lt.f32 p|q, a, b"
    printed = ptxscope("eval", line, "--csv", "-", stdin="b,a\n1.5,1\n-0.0,0x80000000\n").stdout
    assert printed == "b,a,p,q\n1.5,1,1,0\n-0.0,0x80000000,0,1\n"


@sampled
@pytest.mark.parametrize("bad", ["x,5", '"1', "1,2,3", "4", "1,\\udc80"])
@pytest.mark.parametrize("before", [0, 1, 40_000])
def test_rows_before_a_wrong_one_are_printed(bad: str, before: int, tmp_path: Path) -> None:
    # 40,000 rows are more than are evaluated at once
    path = tmp_path / "x.csv"
    text = "a,b\n" + "".join(f"{i},7\n" for i in range(before)) + bad.replace("\\udc80", "\udc80")
    path.write_bytes(f"{text}\n6,7\n".encode(errors="surrogateescape"))
    done = ptxscope("eval", "vadd.u32.u32.u32 d, a, b", "--csv", str(path), status=2)
    printed = [f"{i},7,{i + 7:#010x}" for i in range(before)]
    assert done.stdout.splitlines() == ["a,b,d", *printed]
    assert done.stderr.count("error: ") == 1
    assert f"line {before + 2}" in done.stderr or bad == '"1'  # quotes that no line closes


def test_a_value_for_all_rows_of_a_csv() -> None:
    line = "vadd.u32.u32.u32 d, a, b"
    for rows in ("a\n1\n2\n", 'a\n1\n"2"\n'):  # read as bytes, and by rows
        printed = ptxscope("eval", line, "b=-1", "--csv", "-", stdin=rows).stdout
        assert [x[-10:] for x in printed.splitlines()] == ["a,d", "0x00000000", "0x00000001"]
    printed = ptxscope("eval", line, "a=1", "b=2", "--csv", "-", stdin="n\nx\ny\n").stdout
    assert printed == "n,d\nx,0x00000003\ny,0x00000003\n"
    for given, says in (
        (["b=1"], "error: b has a value and a column in the CSV file"),
        ([], "error: the CSV file has no column b"),
    ):
        text = "a,b\n1,2\n" if given else "a\n1\n"
        done = ptxscope("eval", line, *given, "--csv", "-", stdin=text, status=2)
        assert says in done.stderr
        assert done.stdout == ""


def test_list_prints_every_instruction_and_the_form_counts() -> None:
    printed = ptxscope("list").stdout
    total = 51_565_095_951 + 3_696 + 2_352  # docs/semantics.md, 3: the table, and the halves
    assert f"{total:,}" in printed
    for opcode in CATALOG:
        assert f"  {opcode} " in printed
    assert max(map(len, printed.splitlines())) <= 80
    entries = json.loads(ptxscope("list", "-f", "json").stdout)
    assert [entry["opcode"] for entry in entries] == list(CATALOG)
    assert sum(entry["forms"] for entry in entries[:27]) == total
    assert all(entry[key] for entry in entries for key in ("group", "summary", "ptx_isa", "target"))


@sampled
@pytest.mark.parametrize("opcode", CATALOG)
def test_show_prints_the_example_of_an_instruction(opcode: str) -> None:
    printed = ptxscope("show", opcode).stdout
    assert printed.startswith(f"{opcode}: ")
    assert CATALOG[opcode].section in printed
    ptx, values = CATALOG[opcode].example
    for bits in evaluate(ptx, values).values():
        assert f"{bits:x}" in printed.partition("gives")[2]


def test_errata_prints_every_erratum() -> None:
    printed = ptxscope("errata").stdout
    assert all(f"{x.id}  " in printed and x.example[0] in printed for x in ERRATA)
    (one,) = json.loads(ptxscope("errata", "e3", "-f", "json").stdout)
    assert one["id"] == "E3"
    assert one["example"]["ptxas"] == "0x112233ff"
    assert {"id", "forms", "versions", "targets", "sentence", "example"} <= one.keys()


def test_version_and_examples() -> None:
    assert ptxscope("--version").stdout == f"ptxscope {__version__}\n"
    assert "examples:" in ptxscope("--help").stdout


_LIGHT = [
    ("trace", LINE, *VALUES),
    ("trace", "vadd.u32.u32.u32.sat d, a, b", "a=-1", "b=1", "--model", "ptxas"),
    ("eval", LINE, *VALUES),
    ("list",),
    ("show", "vmad"),
    ("errata",),
    ("--help",),
]


@sampled
@pytest.mark.parametrize("arguments", _LIGHT)
def test_neither_textual_nor_numpy_is_imported(arguments: tuple[str, ...]) -> None:
    assert not {"textual", "rich", "numpy"} & list_loaded_modules(*arguments)


def test_a_trace_loads_neither_drawings_nor_other_families_nor_the_lexer_of_c() -> None:
    loaded = list_loaded_modules("trace", "vset4.s32.u32.lt.add d, a, b, c", "a=1", "b=2", "c=3")
    names = {x.rpartition(".")[2] for x in loaded if x.startswith("ptxscope.")}
    idle = {"drawings", "merge", "saturation", "shifts", "constants", "c_lexer", "asm_text"}
    assert names & {*idle, "selection"} == {"selection"}


def test_a_sweep_as_text_draws_no_picture() -> None:
    loaded = list_loaded_modules("sweep", LINE, "--x", "a.b0", "r3=1", "c=0")
    assert "ptxscope.sweep.computation" in loaded
    assert not [x for x in loaded if "documents.svg" in x]


def test_importing_the_package_imports_almost_nothing() -> None:
    program = (
        "import sys; before = {*sys.modules}; import ptxscope; "
        "loaded = {name.partition('.')[0] for name in {*sys.modules} - before}; "
        "print(*loaded - sys.stdlib_module_names)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["ptxscope"]


SHOWN = {
    "set": (".ftz: PTX 1.4; .f64: sm_13 and later",),
    "setp": (
        ".ftz: PTX 1.4; .f64: sm_13 and later",
        "p p|q p|_ _|q _†",
        "2,688 of them documented",
    ),
    "selp": (".f64: sm_13 and later", "!† before the operand", "22 legal forms, 11 of them"),
    "slct": (".ftz: PTX 1.4; .f64: sm_13 and later",),
    "vadd": ("c is ignored", "7,840 of them documented", "assigns d twice", "depends on dtype"),
    "vset": ("c is ignored", "11,760 of them documented", "assigns d twice"),
    "vmad": (
        ".po allows no negation except -a with -b, which cancel",
        "with `.po` this is undocumented, accepted by ptxas",
        "16,464 of them documented",
        "(u32 * u32) - u32",
        "only if it is scaled",
    ),
    "vset2": ("the manual's prose keeps the lanes of b",),
    "vset4": ("the manual's prose keeps the lanes of b", "of them accepted by ptxas 13.0"),
}


@pytest.mark.parametrize("opcode", SHOWN)
def test_show_mentions_undocumented_and_contradicted_parts_and_requirements(opcode: str) -> None:
    printed = ptxscope("show", opcode).stdout
    assert max(len(line) for line in printed.splitlines() if "$ ptxscope" not in line) <= 80
    for said in SHOWN[opcode]:
        assert said in " ".join(printed.split())


def test_show_omits_remarks_on_instructions_that_they_do_not_concern() -> None:
    assert "†" not in ptxscope("show", "vadd4").stdout
    assert "contradicts" not in ptxscope("show", "selp").stdout
    assert "dtype, and declares" not in " ".join(ptxscope("show", "vabsdiff").stdout.split())


def test_a_file_as_the_first_word_is_opened_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tarce"]) == 2
    assert "did you mean `trace`" in capsys.readouterr().err
    Path("tarce").write_text(f"{LINE};\n")
    assert main(["tarce", "%r2=1"]) == 2
    assert "needs a terminal" in capsys.readouterr().err
    assert main(["tarce", "%r9=1"]) == 2
    assert "`%r9` is not a register" in capsys.readouterr().err


def test_ignored_text_is_noted_beside_the_result() -> None:
    done = run("eval", "vadd.u32.u32.u32 d, a, b; foo bar", "a=1", "b=2")
    assert (done.returncode, done.stdout) == (0, "d=0x00000003\n")
    assert done.stderr == "note: ignored text: `foo bar`\n"
    shown = run("trace", "vadd.u32.u32.u32 d, a, b; foo bar", "a=1", "b=2").stdout
    assert "Note: ignored text: `foo bar`." in shown


@pytest.mark.parametrize("command", ["eval", "trace", "prove"])
def test_line_numbers_outside_the_file_are_an_error(command: str, tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    file.write_text("brev.b32 t, a;\npopc.b32 d, t;\n")
    for lines, message in (
        (":2-1", ":2-1: the lines are reversed; write 1-2"),
        (":0-1", ":0-1: lines are counted from 1"),
        (":3-9", ":3-9: the file has 2 lines"),
        (":3", ":3: the file has 2 lines"),
        ("", f" is a file; name its lines, as in {file}:10-17"),
    ):
        done = run(command, f"{file}{lines}")
        assert (done.returncode, done.stderr) == (2, f"error: {file}{message}\n")
        done = run(command, f"{tmp_path}/none.ptx{lines}")
        missing = f"error: {tmp_path}/none.ptx: there is no such file\n"
        assert (done.returncode, done.stderr) == (2, missing)


def test_a_place_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    file.write_text("brev.b32 t, a;\npopc.b32 d, t;\n  .reg .b32 a;\n")
    assert run("eval", f"{file}:1-2", "a=7").stdout == "d=0x00000003\n"
    assert run("eval", f"{file}:2", "t=7").stdout == "d=0x00000003\n"
    done = run("eval", f"{file}:3")
    assert "error: no statement is here in line 3; one block is needed" in done.stderr
    assert "  .reg .b32 a;\n    ^^^^^^^^^^^^\n" in done.stderr


def test_calls_on_lines_of_a_file_are_evaluated(tmp_path: Path) -> None:
    file = tmp_path / "f.cu"
    file.write_text(
        "__device__ void f() {\n  unsigned lo = __byte_perm(a, b, 0x5140);\n"
        "  unsigned d = __vadd4(lo, b);\n}\n"
    )
    done = run("eval", f"{file}:2-3", "a=0x04030201", "b=0x80706050")
    # the bytes 0, 4, 1 and 5 of b:a from the lowest, then the sum of each byte with b's
    assert done.stdout == "d=0xe072b051\n"


def test_only_new_spellings_are_options() -> None:
    for (command, option), new in OLD_SPELLINGS.items():
        options = import_module(f"ptxscope.cli.commands.{command}").make_parser().options
        assert option not in options
        assert new.startswith("ptxscope ") or new.split()[0] in options


def test_a_call_inside_of_a_call_is_a_block() -> None:
    a, b, c = 0x01FF0380, 0x03FF0601, 0xFF02017F
    given = [f"{name}={bits:#x}" for name, bits in zip("abc", (a, b, c), strict=True)]
    lanes = ([x >> low & 255 for low in (0, 8, 16, 24)] for x in (a, b, c))
    averages = [((x + y + 1) >> 1, z) for x, y, z in zip(*lanes, strict=True)]
    total = sum((x + y & 255) << 8 * lane for lane, (x, y) in enumerate(averages))
    spread = sum(abs(x - y) for x, y in averages)
    assert run("eval", "__vadd4(__vavgu4(a, b), c)", *given).stdout == f"d={total:#010x}\n"
    text = "unsigned t = __vsadu4( __vavgu4(b, a) /* t */, c );"
    assert run("eval", text, *given).stdout == f"t={spread:#010x}\n"
    traced = run("trace", text, *given).stdout
    assert "vavrg4.u32.u32.u32 t1, b, a, zero;" in traced
    assert "vabsdiff4.u32.u32.u32.add t, t1, c, zero;" in traced
    proof = run("prove", "__vadd4(c, __vavgu4(b, a))", "d = __vadd4(__vavgu4(a, b), c);")
    assert "Equal for all" in proof.stdout


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("__vadd4(__vavgu4(a), c)", "`__vavgu4` takes 2 arguments, not 1", "__vavgu4(a)"),
        ("__vadd4(c, __vaddd4(a, b))", "`__vaddd4` is not an intrinsic", "__vaddd4"),
        ("__vadd4(__vavgu4(a, b), f(c))", "an argument is an expression", "f"),
        ("__vadd4(__vavgu4(a, b), c", "a `)` is missing", "__vavgu4(a, b), c"),
        ("__vadd4(__vavgu4(a, b + 1), c)", "`b + 1` is not a name or a number", "b + 1"),
        ("__vneg4(" * 40 + "a" + ")" * 40, "calls are nested more than 32 levels", "__vneg4"),
    ],
)
def test_a_wrong_call_inside_of_a_call_is_marked(text: str, message: str, place: str) -> None:
    with pytest.raises(PtxError) as caught:
        parse(text)
    (problem,) = caught.value.errors
    assert message in problem.message
    assert text[slice(*problem.span)] == place
    assert run("eval", text).returncode == 1
