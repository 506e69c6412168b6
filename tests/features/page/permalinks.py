"""Permalinks of the page in a browser: hostile ones, and of random forms."""

from __future__ import annotations

from typing import Final

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.encodings import format_hex
from ptxscope.engine.syntax.instruction import Instruction, make_instruction
from ptxscope.engine.tracing.trace import trace
from ptxscope.features.page.permalink import PageLink
from ptxscope.learn.practice import SeededRandom, pick_form, pick_operands

_MODELS: Final = ("isa", "ptxas", "ptxas-13.0")

HOSTILE: Final = (
    "<script>window.hacked=1</script>",
    "%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    "%3Cimg+src=x+onerror=window.hacked=1%3E",
    "%22%3E%3Csvg+onload=window.hacked=1%3E",
    "vadd4.s32.s32.s32+d,+a,+b,+c&a=%3Cimg+src=x+onerror=window.hacked=1%3E",
    "vadd4.s32.s32.s32+d,+a,+b,+c&model=%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    "vadd4.s32.s32.s32+d,+a,+b,+c&explain=%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    "vadd4.s32.s32.s32+d,+a,+b,+c&check=%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    "vadd4.s32.s32.s32+d,+a,+b,+c&sweep=%3Cimg+src=x+onerror=window.hacked=1%3E",
    "vadd4.s32.s32.s32+d,+a,+b,+c&lesson=../../../etc/passwd",
    "vadd4.s32.s32.s32+d,+a,+b,+c&lesson=%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    "vadd4.s32.s32.s32+d,+a,+b,+c&step=-1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&step=1e9",
    "vadd4.s32.s32.s32+d,+a,+b,+c&step=99999999999999999999999",
    "vadd4.s32.s32.s32+d,+a,+b,+c&step=%D9%A1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&a=1&a=2",
    "vadd4.s32.s32.s32+d,+a,+b,+c&__proto__=1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&constructor=1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&__class__=1",
    "vadd4.s32.s32.s32+d,+a,+b,+c&v=2",
    "vadd4.s32.s32.s32+d,+a,+b,+c&v=",
    "vadd4.s32.s32.s32+d,+a,+b,+c&both=javascript:alert(1)",
    "vadd4.s32.s32.s32+d,+a,+b,+c&a=javascript:alert(1)",
    "vadd4.s32.s32.s32+d,+a,+b,+c&a=__import__('os').system('id')",
    "vadd4.s32.s32.s32+d,+a,+b,+c&model=E3%2BE99",
    "vadd4.s32.s32.s32+d,+a,+b,+c&model=ptxas-999.999",
    "javascript:window.hacked=1",
    "data:text/html,%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    "//example.com/",
    "%00%01%02",
    "%FF%FE%FD",
    "%E2%80%AE%E2%80%AEvadd4",
    "%",
    "%zz&%zz=%zz",
    "&&&&====",
    "=" * 1999,
    "a" * 5000,
    "vadd4." * 330,
    "%28" * 660,
    "{{policy}}&{{line}}=1",
    "%7B+popc.b32+t,+a;+mul.lo.u32+d,+t,+b;+%7D&$a=%3Cimg+src=x+onerror=window.hacked=1%3E",
    "%7B+popc.b32+t,+a;+mul.lo.u32+d,+t,+b;+%7D&$%3Cscript%3E=1",
    "%7B+popc.b32+t,+a;+mul.lo.u32+d,+t,+b;+%7D&a=1",
    "%7B+popc.b32+t,+%3Cimg%3E;+mul.lo.u32+d,+t,+b;+%7D",
    "popc.b32+t,+a;" * 90,
    "__vadd4(" * 200,
)


def draw_link(number: int) -> tuple[PageLink, Instruction]:
    """Return a permalink of a random form on random operands, and its instruction."""
    draw = SeededRandom(f"page/{number}")
    opcode = draw.pick([*CATALOG])
    ins = make_instruction(pick_form(draw, opcode, 1 + number % 3))
    values = pick_operands(draw, ins, 3)
    model = draw.pick(_MODELS)
    last = len(trace(ins, {x.name: values[x.name] for x in ins.inputs}, model=model).steps)
    step = draw.pick_below(last + 1)
    shown = {"both"} if draw.pick_below(3) == 0 else set[str]()
    shown |= {"result"} if 0 < step < last and draw.pick_below(2) else set()
    texts = {x.roles[0]: format_hex(values[x.name], x.type.bits) for x in ins.inputs}
    link = PageLink(str(ins), texts, model, step % last, frozenset(shown))
    return link, ins
