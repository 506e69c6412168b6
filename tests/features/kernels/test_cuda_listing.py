"""``ptxscope run`` of a CUDA source: nvcc compiles it; names and lines are the source's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxscope.features.kernels import cuda_listing
from ptxscope.features.kernels.cuda_listing import has_kernel, rename_symbols
from tests.driving.command_line import run
from tests.tiers import ci_only

DATA = Path(__file__).parent / "data"
SOURCE, LISTING = DATA / "sources.cu", (DATA / "sources.ptx").read_text("utf-8")
TEXT = SOURCE.read_text("utf-8")
AVERAGE = ("--kernel", "average", "--block", "4", "a=[0,1,255,7]", "b=[1,3,255,8]", "n=4")


@pytest.fixture(autouse=True)
def _recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The listing is recorded; nvcc may not be here."""
    monkeypatch.setattr(cuda_listing, "find_services", lambda _: (lambda *_, **__: LISTING,))


def test_parameters_have_the_names_of_the_source() -> None:
    done = run("run", str(SOURCE), *AVERAGE, "out=zeros:u32:4", "--expect", "out=[1,2,255,8]")
    assert (done.returncode, done.stderr) == (0, "")  # averages are rounded up
    done = run("run", str(SOURCE), "--kernel", "add", "--block", "2", "p=[1,2]", "setp=3")
    assert "[0] 4 5\n" in done.stdout


def test_instances_of_a_template_keep_the_names_of_nvcc() -> None:
    given = ("--block", "2", "x=[1.0,1.5]", "factor=3.0")
    done = run("run", str(SOURCE), "--kernel", "_Z5scaleILi4EEvPff", *given)
    assert "[0] 12.0 18.0\n" in done.stdout
    assert "choose one of: average, _Z5scaleILi2EEvPff, " in run("run", str(SOURCE), *given).stderr


def test_lines_are_those_of_the_source() -> None:
    done = run("run", str(SOURCE), *AVERAGE, "out=zeros:u32:3")
    assert done.stderr.startswith("error: sources.cu:11: st.global.u32 ")
    done = run("run", str(SOURCE), *AVERAGE, "out=zeros:u32:4", "--thread", "1", "--break", "9")
    assert "\nsources.cu:8    setp.ge.s32 " in done.stdout
    assert "\nstopped before sources.cu:10\n" in done.stdout
    wrong = run("run", str(SOURCE), *AVERAGE, "out=zeros:u32:4", "--expect", "out[3]=7")
    assert wrong.returncode == 1
    assert "written at sources.cu:11\n" in wrong.stdout
    assert "\n  sources.cu:10   vavrg4.u32.u32.u32 " in wrong.stdout


def test_registers_of_an_asm_statement_need_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_listing, "find_services", lambda _: ())
    done = run("run", str(SOURCE), "%1=3", "%2=4")
    assert "%0 = 0x00000004  4\n" in done.stdout
    done = run("run", str(SOURCE), *AVERAGE, "out=zeros:u32:4")
    assert done.stderr.startswith("error: no feature here compiles CUDA; `nvcc -ptx -lineinfo` ")


def test_a_compiler_that_fails_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str, **__: bool) -> str:
        raise ValueError("nvcc is not found\x1b")

    monkeypatch.setattr(cuda_listing, "find_services", lambda _: (fail,))
    done = run("run", str(SOURCE), *AVERAGE, "out=zeros:u32:4")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: nvcc is not found␛\n"


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        (None, ["a"], True),
        (None, ["param0"], True),
        (None, ["comment"], False),
        ("scale", ["a"], False),
        ("asm:10", ["a"], False),
        ("add", ["setp"], True),
    ],
)
def test_only_parameters_of_a_kernel_make_a_launch(
    name: str | None, parameters: list[str], expected: bool
) -> None:
    assert has_kernel(TEXT, name, parameters) is expected


@pytest.mark.parametrize("name", ["y", "ret", "other"])
def test_a_name_that_the_listing_has_is_not_given_twice(name: str) -> None:
    """The parameter would hide a variable, or be an opcode."""
    source = TEXT.replace("factor", name)
    listing = f".global .u32 other;\n{LISTING}"
    renamed = rename_symbols(listing, source)
    assert (f".param .f32 {name}\n" in renamed) is (name == "y")


def test_a_type_of_a_parameter_is_not_the_name_of_the_kernel() -> None:
    source = "struct Point { int x; };\n__global__ void move(Point p) {}\n"
    listing = ".visible .entry _Z4move5Point(\n\t.param .align 4 .b8 _Z4move5Point_param_0[4]\n)\n"
    renamed = rename_symbols(listing, source)
    assert renamed == ".visible .entry move(\n\t.param .align 4 .b8 p[4]\n)\n"


def test_a_variable_of_a_function_has_its_name_unless_another_symbol_has() -> None:
    """The names are those that nvcc 13.0 gives to `__shared__ int tile[8]` in two kernels."""
    head = ".visible .entry _Z1kPi(.param .u64 _Z1kPi_param_0)\n"
    line = ".shared .align 4 .b8 {}[32];\nmov.u32 %r1, {};\n"
    listing = head + line.format("_ZZ1kPiE4tile", "_ZZ1kPiE4tile")
    source = "__global__ void k(int *p) {}"
    assert line.format("tile", "tile") in rename_symbols(listing, source)
    for other in ("_ZZ1mPiE4tile", "tile"):
        more = listing + line.format(other, other)
        assert line.format("_ZZ1kPiE4tile", "_ZZ1kPiE4tile") in rename_symbols(more, source)
    taken = rename_symbols(listing, "__global__ void k(int *tile) {}")
    assert "(.param .u64 tile)" in taken
    assert line.format("_ZZ1kPiE4tile", "_ZZ1kPiE4tile") in taken


_DIGITS = DATA / "digits.cu"
_VALUES = ("--block", "8", "values=[0,9,10,35,36,37,50,12]", "characters=zeros:u32:8")
_EXPECTED = ("--expect", "characters=[48,57,97,122,45,63,63,99]", "--explain")


def _record_digits(
    monkeypatch: pytest.MonkeyPatch, old: str = "", new: str = "", first: str = ""
) -> None:
    """Both listings of a source are recorded, or ``first``; the second is changed."""
    texts = [(DATA / f"digits{x}.ptx").read_text("utf-8") for x in ("_debug", "")]
    texts[1] = first or texts[1]
    assert old in texts[0]
    texts[0] = texts[0].replace(old, new)

    def compile_digits(_: str, *, is_optimized: bool) -> str:
        return texts[is_optimized]

    monkeypatch.setattr(cuda_listing, "find_services", lambda _: (compile_digits,))


def test_a_branch_that_nvcc_removed_is_found_where_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The condition is false for the only value that would reach the branch."""
    _record_digits(monkeypatch)
    done = run("run", str(_DIGITS), *_VALUES, *_EXPECTED)
    listing = "in the listing of `nvcc -G`, which is not optimized and gives the same values"
    lines = done.stdout.partition(listing)[2].splitlines()
    assert lines[1] == "  digits.cu:7 with `.lt` rather than `.le` explains all 8 values"
    assert lines[-1].endswith("changes tried: none gives all 8 expected values")
    done = run("run", str(_DIGITS), *_VALUES, *_EXPECTED, "--format", "json")
    data = json.loads(done.stdout)
    assert data["explained"]["explanations"] == []
    first, *_ = data["explained_unoptimized"]["explanations"]
    assert (first["source"], first["changed"]) == ("digits.cu:7", "setp.lt.u32 %p3, %r1, 36")


@ci_only
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("%r1, 36", "%r1, 38", id="other values"),
        pytest.param("st.u32", "st.shared.u32", id="it fails"),
        pytest.param(".loc\t1 7", ".loc\t1 0", id="a header of nvcc has no places"),
    ],
)
def test_another_listing_says_nothing_of_the_source(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    _record_digits(monkeypatch, old, new)
    done = run("run", str(_DIGITS), *_VALUES, *_EXPECTED)
    assert "changes tried: none gives all 8 expected values" in done.stdout
    assert "nvcc -G" not in done.stdout


@pytest.mark.parametrize("has_other_line", [True, False])
def test_the_line_of_the_source_is_first_if_nvcc_names_another(
    monkeypatch: pytest.MonkeyPatch, has_other_line: bool
) -> None:
    """An instruction that nvcc made of several lines has the place of one of them."""
    listing = (DATA / "digits_debug.ptx").read_text("utf-8")
    place = ".loc\t1 8" if has_other_line else ".loc\t1 7"
    _record_digits(monkeypatch, first=listing.replace(".loc\t1 7", place))
    lines = run("run", str(_DIGITS), *_VALUES, *_EXPECTED).stdout.splitlines()
    found = [x.split()[0] for x in lines if "with `.lt` rather than `.le` explains" in x]
    assert found == (["digits.cu:7", "digits.cu:8"] if has_other_line else ["digits.cu:7"])
    assert any("`nvcc -G`" in x for x in lines) is has_other_line
