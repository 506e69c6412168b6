"""Legality against the assembler itself, where ptxas 13.0 is on the PATH (`dev.py soak`)."""

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
from ptxscope.engine.syntax.instruction import Instruction, Register
from tests.strategies import instruction_of

PTXAS = shutil.which("ptxas")
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(PTXAS is None, reason="ptxas is not installed"),
]
_ERROR = re.compile(r"line (\d+); error")
_HEAD = [".version 8.0", ".target sm_75", ".address_size 64", ".entry k() {"]
_HEAD += [".reg .pred p, q, g, cp; .reg .b16 d16, a16, b16; .reg .b32 d32, a32, b32, c32;"]
_HEAD += [".reg .b64 d64, a64, b64;"]


def _declared(ins: Instruction) -> Instruction:
    """The instruction with registers of the right width."""

    def name(role: str) -> str:
        type_ = ins.type_of(role)
        return f"{role if role in 'abcd' else 'd'}{'p' if type_ is Type.PRED else type_.bits}"

    destinations = ins.destinations if ins.form.dst else (name("d"),)
    sources = tuple(Register(name(role)) for role in ins.roles)
    return Instruction(ins.form, destinations, sources, ins.guard)


def _rejected(lines: list[str], folder: Path) -> set[int]:
    """The indices of the lines that ptxas has an error for."""
    assert PTXAS
    source = folder / "lines.ptx"
    source.write_text("\n".join([*_HEAD, *lines, "ret; }", ""]))
    done = subprocess.run(
        [PTXAS, "-arch=sm_75", "-O0", str(source), "-o", str(folder / "lines.cubin")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "fatal" not in done.stderr.replace("fatal   : Ptx assembly aborted", "")
    return {int(line) - len(_HEAD) - 1 for line in _ERROR.findall(done.stderr)}


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
