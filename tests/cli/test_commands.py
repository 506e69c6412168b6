"""What the commands say, and how they end."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ptxscope as package
from ptxscope import __version__, evaluate
from ptxscope.cli.support.arguments import OLD_SPELLINGS
from ptxscope.engine.isa.catalog import CATALOG
from tests.driving.command_line import Done, list_loaded_modules, run
from tests.tiers import sampled, whole

LINE = "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0"
VALUES = ("%r2=0x80ff7f01", "%r3=0x01010101", "%r0=5")


def ptxscope(*arguments: str, stdin: str = "", status: int = 0) -> Done:
    """Run the command line; its exit status must be as given."""
    done = run(*arguments, given=stdin)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_commands_in_a_process_give_the_same_output() -> None:
    for words in (("trace", LINE, *VALUES), ("show",), ("show", "varvg2"), ("--help",)):
        command = [sys.executable, "-m", "ptxscope", *words]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stdout, done.stderr) == run(*words)


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


def test_show_without_an_opcode_prints_every_instruction_and_the_form_counts() -> None:
    printed = ptxscope("show").stdout
    total = 51_565_095_951 + 3_696 + 2_352  # docs/semantics.md, 3: the table, and the halves
    assert f"{total:,}" in printed
    for opcode in CATALOG:
        assert f"  {opcode} " in printed
    assert max(map(len, printed.splitlines())) <= 80
    entries = json.loads(ptxscope("show", "-f", "json").stdout)
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


@pytest.mark.parametrize("opcode", ["setp", "vmad", "vset4"])
@whole
def test_lines_of_show_have_at_most_80_characters(opcode: str) -> None:
    printed = ptxscope("show", opcode).stdout
    assert max(len(line) for line in printed.splitlines() if "$ ptxscope" not in line) <= 80


def test_version_and_examples() -> None:
    assert ptxscope("--version").stdout == f"ptxscope {__version__}\n"
    assert "examples:" in ptxscope("--help").stdout


_LIGHT = [
    ("trace", LINE, *VALUES),
    ("trace", "vadd.u32.u32.u32.sat d, a, b", "a=-1", "b=1", "--model", "ptxas"),
    ("eval", LINE, *VALUES),
    ("show",),
    ("show", "vmad"),
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


_EVALUATIONS = [
    *(x for x in _LIGHT if x[0] in ("trace", "eval")),
    ("trace", LINE, *VALUES, "--both", "--title", "T", "-f", "html"),
    ("trace", LINE, *VALUES, "-o", "x.svg"),
    ("trace", LINE, *VALUES, "-o", "x"),
]


@sampled
@pytest.mark.parametrize("arguments", _EVALUATIONS, ids=range(len(_EVALUATIONS)))
def test_trace_and_eval_look_for_no_features(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(str(package.__file__)).parents[1]))
    assert "ptxscope.feature" not in list_loaded_modules(*arguments)


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
