"""Every format takes every line that is accepted, whatever is written in its operands."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import Instruction, Trace, evaluate, export, parse, trace
from ptxscope.documents.options import Options
from ptxscope.engine.isa.catalog import CATALOG, pick_form
from ptxscope.engine.isa.types import Type
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.engine.syntax.instruction import Guard, Register
from ptxscope.engine.tracing.annotations import Annotations, Note
from tests.driving.every import TEXTS, check
from tests.reference_data import table
from tests.strategies import evaluations, instruction_of
from tests.tiers import ci_only, thorough

pytestmark = ci_only

MODELS = ("isa", "ptxas-13.0", "ptxas-13.5")
GUARDS = ("", "@g ", "@!g ")
TARGETS = ("p", "p|q", "p|_", "_|q", "_", "p|p")


def setp_lines() -> Iterator[str]:
    """``setp`` with every guard, destination, BoolOp, and literals where they may stand."""
    types = ("u32", "f32", "s64", "b16", "f64")
    literals = {"f32": "0f7F800001", "f64": "-1.5"}
    tails = (("", ""), (".and", ", c"), (".xor", ", !c"), (".or", ", 1"))
    for guard, d, type_, (boolop, c), a, b in product(GUARDS, TARGETS, types, tails, "a1", "b1"):
        number = literals.get(type_, "1|2")
        x, y = (number if word == "1" else word for word in (a, b))
        yield f"{guard}setp.ne{boolop}.{type_} {d}, {x}, {y}{c}"


def literal(type_: Type) -> str:
    """A literal that is awkward to show."""
    if type_.is_float:
        return "0f80000000" if type_.bits == 32 else "0dFFF0000000000001"
    return "1" if type_ is Type.PRED else "(1 < 2) || 0"


def other_lines() -> Iterator[str]:
    """Every other opcode with every guard, and literals in each position that takes them."""
    for opcode, entry in CATALOG.items():
        for seed, guard in product(range(4), GUARDS):
            ins = instruction_of(pick_form(opcode, Random(f"{opcode} {seed}")))
            roles = [str(x.role) for x in ins.entry.sources if x.role != "c" or ins.form.c]
            for mask in product(
                (False, True) if entry.can_take_immediates else (False,), repeat=len(roles)
            ):
                yield guard + line_with(ins, [r for r, m in zip(roles, mask, strict=True) if m])


def line_with(ins: Instruction, roles: list[str]) -> str:
    """The line with literals for some of its operands that may be literals."""
    line = str(ins)
    for role in roles:
        # no selector and no sign stands on a literal
        line, _ = re.subn(rf"(, ){role}(?=[,;])", rf"\g<1>{literal(ins.type_of(role))}", line)
    return line


@cache
def accepted() -> tuple[str, ...]:
    """What the assembler was seen to take."""
    return tuple(row["ptx"] for row in table("accept.csv"))


@cache
def written() -> tuple[str, ...]:
    """What the catalog allows besides."""
    return (*setp_lines(), *other_lines())


def traced(line: str, model: str = "isa") -> Trace:
    """A line on values that follow from it."""
    ins, rng = parse(line), Random(line)
    return trace(ins, {x.name: rng.getrandbits(x.type.bits) for x in ins.inputs}, model=model)


def drawn(lines: tuple[str, ...], every: int) -> tuple[str, ...]:
    """Some of the lines, and more of the lines that discard everything."""
    more = max(every // 5, 9)
    return tuple(
        line
        for at, line in enumerate(lines)
        if at % every == 0 or (" _," in line and at % more == 0)
    )


def options_of(shown: Trace, seed: str) -> Options:
    """Some choice of options."""
    rng, places = Random(seed), [step.place for step in shown.steps]
    some = frozenset(rng.sample(places, rng.randint(0, len(places))))
    until = frozenset(places[: rng.randint(1, len(places))])
    return Options(rng.random() < 0.7, True, steps=rng.choice((None, None, some, until)))


def some_trace(line: str) -> tuple[Trace, Options]:
    """A line under some model, with some options, notes and title."""
    shown = traced(line, Random(f"model {line}").choice(MODELS))
    notes = (Note("a | b", shown.steps[0].stage), Note("c", None, 0), Note("d", Stage.WRITE, 0))
    return replace(shown, annotations=Annotations("t", "c", notes)), options_of(shown, line)


@pytest.mark.parametrize(
    ("lines", "every"),
    [(accepted, 120), (written, 500)]
    + [
        pytest.param(lines, every, marks=thorough)
        for lines, every in ((accepted, 60), (written, 250))
    ],
)
def test_random_lines_appear_in_every_format(
    lines: Callable[[], tuple[str, ...]], every: int
) -> None:
    for line in drawn(lines(), every):
        check(*some_trace(line))


@pytest.mark.soak
@pytest.mark.parametrize("model", MODELS)
def test_every_line_appears_in_every_format_with_every_option(model: str) -> None:
    for line in (*accepted(), *written()):
        shown = traced(line, model)
        notes = (Note("a | b", shown.steps[0].stage), Note("c", None, 0))
        noted = replace(shown, annotations=Annotations("t", "c", notes))
        check(shown, Options(both=True, standalone=True))
        check(noted, Options())
        check(noted, options_of(shown, line))


GCC = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror"]


def compiled_as_c(lines: tuple[str, ...], folder: Path) -> None:
    """One translation unit of all functions."""
    parts = ["#include <stdint.h>"]
    for at, line in enumerate(lines):
        shown, options = some_trace(line)
        text = export(shown, "c", options).removeprefix("#include <stdint.h>\n")
        parts.append(re.sub(r"^(\w+) (\w+)\(", rf"\1 f{at}_\2(", text, flags=re.MULTILINE))
    (folder / "all.c").write_text("\n".join(parts), encoding="utf-8")
    done = subprocess.run(
        [*GCC, "-fsyntax-only", str(folder / "all.c")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr[:2000]) == (0, "")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
def test_random_lines_give_valid_c(tmp_path: Path) -> None:
    compiled_as_c((*drawn(accepted(), 6), *drawn(written(), 12)), tmp_path)


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
def test_every_line_gives_valid_c(tmp_path: Path) -> None:
    compiled_as_c((*accepted(), *written()), tmp_path)


@pytest.mark.parametrize("line", ["setp.ne.u32 _, a, b", "@g setp.lt.and.f32 _, a, b, !c",
                                  "@!g setp.eq.s64 _, 1|2, b"])  # fmt: skip
@pytest.mark.parametrize("model", MODELS)
def test_an_instruction_without_result_is_described_as_such(line: str, model: str) -> None:
    shown = traced(line, model)
    assert shown.result == evaluate(line, {x.name: 0 for x in shown.instruction.inputs}) == {}
    check(shown, Options(both=True, standalone=True))
    for name in ("text", "markdown", "html", "svg"):
        assert "nothing is written" in export(shown, name)
    # a guard keeps no old value of what is thrown away: nothing of it needs to be known
    assert {x.name for x in shown.instruction.inputs} <= {"a", "b", "c"}


CHARACTERS = st.characters(exclude_categories=()) | st.sampled_from(
    "\ud800\udfff\ufffe\uffff\U0010ffff\x00\x08\x0b\x1b\x7f\x85\u2028\u202e|<>&`*_#\\\"'~[]()!\n\r\t"
)
MARKUP = ["]]>", "-->", "*/", "/*", "\\/ /*", "``` ~~~", "1|2", "\\|", "</style>", "&#0;", "😀"]
HOSTILE = st.text(CHARACTERS, max_size=40) | st.sampled_from([*MARKUP, "\ud83d\ude00"])
NOTES = st.builds(
    Note, HOSTILE, st.none() | st.sampled_from(list(Stage)), st.none() | st.integers(0, 3)
)


NAMES = st.none() | st.lists(HOSTILE.filter(bool), min_size=7, max_size=7, unique=True)


@given(evaluations(), HOSTILE, HOSTILE, st.lists(NOTES, max_size=3), NAMES, st.data())
def test_hostile_text_is_valid_in_every_format(
    evaluation: tuple[Instruction, dict[str, int]],
    title: str,
    caption: str,
    notes: list[Note],
    names: list[str] | None,
    data: st.DataObject,
) -> None:
    ins, values = evaluation
    if names:
        ins, values = renamed(ins, values, names)
    shown = trace(ins, values, model=data.draw(st.sampled_from(MODELS)))
    noted = replace(shown, annotations=Annotations(title, caption, tuple(notes)))
    name = data.draw(st.sampled_from(TEXTS))
    check(noted, options_of(noted, ascii(title + caption)), (name,))


def renamed(
    ins: Instruction, values: dict[str, int], names: list[str]
) -> tuple[Instruction, dict[str, int]]:
    """With registers that no parser lets pass, but of which an Instruction may be made."""
    hostile = dict(zip("abcdpqe", names, strict=True))
    changed = replace(
        ins,
        destinations=tuple(x and hostile[x] for x in ins.destinations),
        sources=tuple(Register(hostile[str(x)]) for x in ins.sources),
        guard=Guard("*/ | `", negated=False) if ins.form.dst is None else None,
    )
    return changed, {x.name: values.get(x.roles[0], 0) for x in changed.inputs}
