"""Legality against ptxas 13.0 and nvcc 13.0, where they are on the PATH (`dev.py soak`)."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from ptxscope import PtxError, parse
from ptxscope.engine.isa.catalog import CATALOG, find_remarks, pick_form
from ptxscope.engine.isa.entry import Entry
from ptxscope.engine.isa.types import Form, Type
from ptxscope.engine.semantics.rules import ERRATA
from ptxscope.engine.syntax.instruction import Instruction, Register
from ptxscope.features.check.check_rules import Severity, map_rules
from ptxscope.features.check.listing_checks import check_listing
from ptxscope.features.check.replacement import make_replacement
from tests.features.check.check_cases import CASES, Case
from tests.features.check.test_lint import DECLARED
from tests.features.check.test_replacement import EMULATED, draw_instructions, guarded_sets
from tests.strategies import instruction_of

NVCC, PTXAS = shutil.which("nvcc"), shutil.which("ptxas")
pytestmark = pytest.mark.soak
needs_ptxas = pytest.mark.skipif(PTXAS is None, reason="ptxas is not installed")
_ERROR = re.compile(r"line (\d+); error")
_HEAD = [".version 8.0", ".target sm_75", ".address_size 64", ".entry k() {"]
_HEAD += [".reg .pred p, q, g, cp; .reg .b16 d16, a16, b16; .reg .b32 d32, a32, b32, c32;"]
_HEAD += [".reg .b64 d64, a64, b64; .reg .b32 a, b, c, d;"]


def _declared(ins: Instruction) -> Instruction:
    """The instruction with registers of the right width."""

    def name(role: str) -> str:
        type_ = ins.type_of(role)
        return f"{role if role in 'abcd' else 'd'}{'p' if type_ is Type.PRED else type_.bits}"

    destinations = ins.destinations if ins.form.dst else (name("d"),)
    sources = tuple(Register(name(role)) for role in ins.roles)
    return Instruction(ins.form, destinations, sources, ins.guard)


def _rejected(lines: list[str], folder: Path, head: list[str] = _HEAD) -> set[int]:
    """The indices of the lines that ptxas has an error for."""
    assert PTXAS
    source = folder / "lines.ptx"
    source.write_text("\n".join([*head, *lines, "ret; }", ""]))
    done = subprocess.run(
        [PTXAS, "-arch=sm_75", "-O0", str(source), "-o", str(folder / "lines.cubin")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "fatal" not in done.stderr.replace("fatal   : Ptx assembly aborted", "")
    return {int(line) - len(head) - 1 for line in _ERROR.findall(done.stderr)}


@needs_ptxas
@pytest.mark.parametrize("opcode", CATALOG)
def test_ptxas_accepts_what_we_call_legal(opcode: str, tmp_path: Path) -> None:
    rng = Random(opcode)
    forms = {pick_form(opcode, rng) for _ in range(1500)}
    kept = [form for form in forms if all(remark.is_in_ptxas for remark in find_remarks(form))]
    lines = [str(_declared(instruction_of(form))) for form in kept]
    assert len(lines) > 10
    assert _rejected(lines, tmp_path) == set()


def _any_form(entry: Entry, rng: Random) -> Form:
    """Legal values for every slot, whether or not they go together."""
    values = {
        slot.name: rng.choice(list(slot.iter_choices())) if slot.count_choices() < 64 else None
        for slot in entry.slots
    }
    return Form(entry.opcode, **{"c": True, **values})  # type: ignore[arg-type]


@needs_ptxas
@pytest.mark.parametrize("opcode", CATALOG)
def test_ptxas_and_we_agree_on_what_does_not_go_together(opcode: str, tmp_path: Path) -> None:
    rng = Random(opcode)
    entry = CATALOG[opcode]
    lines: list[str] = []
    legal: list[bool] = []
    for form in {_any_form(entry, rng) for _ in range(3000)}:
        line = str(_declared(instruction_of(form)))
        lines.append(line)
        try:
            parse(line)
            legal.append(True)
        except PtxError:
            legal.append(False)
    rejected = _rejected(lines, tmp_path)
    wrong = [line for i, line in enumerate(lines) if legal[i] == (i in rejected)]
    assert wrong == []


_LINES = {
    Type.PRED: "set.lt.and.u32.u32 r, r, r, X",
    Type.B16: "selp.b16 X, 1, 1, q",
    Type.U16: "setp.lt.u16 q, X, X",
    Type.S32: "vadd.s32.s32.s32 r, X, r",
    Type.U32: "vadd4.u32.u32.u32 X, r, r, r",
    Type.B32: "selp.b32 r, X, r, q",
    Type.F32: "slct.u32.f32 r, r, r, X",
    Type.S64: "setp.lt.s64 q, X, X",
    Type.B64: "setp.eq.b64 q, X, X",
    Type.F64: "setp.lt.f64 q, X, X",
}
"""A statement that reads or writes X as each type."""


@needs_ptxas
def test_ptxas_agrees_on_types(tmp_path: Path) -> None:
    head = [*_HEAD[:4], ".reg .pred q; .reg .b32 r;", *(f".reg .{x} x_{x};" for x in DECLARED)]
    lines = [line.replace("X", f"x_{x}") + ";" for line in _LINES.values() for x in DECLARED]
    items = check_listing(["\n".join([*head, *lines, "ret; }", ""])], "x.ptx")
    illegal = {i for i, item in enumerate(items) if not item.is_legal}
    assert illegal == _rejected(lines, tmp_path, head)


def _name_by_width(ins: Instruction) -> Instruction:
    """An instruction whose 64-bit registers a, b and d are called after their width."""
    names = {
        name: f"{name}64"
        for role, name in ins.names.items()
        if role != "guard" and ins.type_of(role).bits == 64
    }
    text = re.sub(r"\b[abd]\b(?=[,;])", lambda match: names.get(match[0], match[0]), str(ins))
    return parse(text)


@needs_ptxas
def test_ptxas_accepts_every_replacement(tmp_path: Path) -> None:
    instructions = [ins for x in EMULATED for ins in draw_instructions(x, 30, 5)]
    instructions += [parse(x.example[0]) for x in ERRATA]
    instructions += map(parse, (
        "@!q vmad.u32.u32.u32.sat.shr15 d, -a, b, c",
        "vadd.u32.s32.s32.sat d.h1, a, -1, 0xffffffff",
        "@!p set.ne.xor.f32.b16 d, a16, 0x8000, !q",
    ))  # fmt: skip
    named = [*map(_name_by_width, instructions), *guarded_sets(60, 6)]
    assert not _rejected([x for ins in named for x in make_replacement(ins) or ()], tmp_path)


def _is_legal(case: Case) -> bool:
    """Whether nothing is an error; nvcc does not know the name of an operand, clang does."""
    findings = [finding for item in case.items for finding in item.get("findings", ())]
    return not any(
        map_rules()[x["rule"]][0] is Severity.ERROR or x["at"].startswith("%[") for x in findings
    )


def _takes(program: str, text: str, source: Path) -> bool:
    source.write_text(text, encoding="utf-8")
    made = source.with_suffix(".cubin")
    cubin = ["-cubin"] if program == NVCC else []
    command = [program, *cubin, "-arch=sm_90", str(source), "-o", str(made)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize(
    "key", [x for x, case in CASES.items() if x.startswith("asm_verdicts.") and case.name == "x.cu"]
)
def test_nvcc_agrees(key: str, tmp_path: Path) -> None:
    assert NVCC
    assert _takes(NVCC, CASES[key].text, tmp_path / "k.cu") == _is_legal(CASES[key])


@needs_ptxas
@pytest.mark.parametrize("key", [x for x in CASES if x.startswith("statement_ends.")])
def test_ptxas_agrees(key: str, tmp_path: Path) -> None:
    assert PTXAS
    assert _takes(PTXAS, CASES[key].text, tmp_path / "k.ptx") == _is_legal(CASES[key])
