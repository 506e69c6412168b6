"""Random blocks of 3 to 8 integer statements, for the proofs of machine code."""

from __future__ import annotations

from random import Random

from ptxscope.blocks.block_parser import parse_block
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.tracing.basic_block import BasicBlock

# the destination, then the sources: h, w, l and p are registers of 16, 32 and 64 bits and
# predicates, A, D and P such of the drawn width; i, n, k and t are literals
_TYPED = (
    """
add.{s} D A A|sub.{s} D A A|min.{s} D A A|max.{s} D A A|neg.{S} D A|abs.{S} D A
and.{b} D A A|or.{b} D A A|xor.{b} D A A|not.{b} D A|shl.{b} D A k|shr.{s} D A k|shl.{b} D A w
shr.{s} D A w|add.{s} D A i|and.{b} D A i|mul.lo.{s} D A i|selp.{b} D A A p|selp.{b} D i A p
setp.{c}.{s} P A A|setp.{c}.{s} P A i
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
_OTHERS = (
    """
and.pred p p p|or.pred p p p|xor.pred p p p|not.pred p p|cvt.u32.u16 w h|cvt.s32.s16 w h
cvt.u16.u32 h w|cvt.s64.s32 l w|cvt.u64.u32 l w|cvt.u32.u64 w l|cvt.s32.s8 w w|cvt.u16.u64 h l
mad.lo.s32 w w w w|mad.lo.s16 h h h h|mul.wide.u16 w h h|mul.wide.s32 l w i|mul.lo.u16 h h h
mul.hi.u16 h h h|mul.hi.u32 w w i|prmt.b32 w w w n|prmt.b32 w w w w|lop3.b32 w w w w t
bfe.u32 w w k k|bfe.s32 w w w w|bfi.b32 w w w k k|popc.b32 w w|clz.b32 w w|brev.b32 w w
shf.l.wrap.b32 w w w w|shf.r.clamp.b32 w w w w|popc.b64 w l|clz.b64 w l|bfe.s64 l l k k
sad.u32 w w w w|mul24.lo.u32 w w i|set.lt.u32.s32 w w w|set.ge.u32.u16 w h h
slct.s32.s32 w w w w|bfind.u32 w w|bfind.shiftamt.s32 w w|vadd4.s32.s32.s32.sat w w w w
vmin2.u32.u32.u32 w w w w|vabsdiff4.u32.u32.u32.add w w w w|vset4.u32.u32.lt w w w w
dp4a.s32.u32 w w w w|add.sat.s32 w w w|sub.sat.s32 w w w
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
_INTEGERS = (0, 1, 2, -1, 7, 255, 256, 0x7FFF, -0x8000, 0x5555)
_BITS = {"h": 16, "w": 32, "l": 64}
_RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


class _Writer:
    """Writes the statements of one block."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.registers = {"h": ["h1", "h2"], "w": ["w1", "w2", "w3"], "l": ["l1"], "p": ["p1"]}

    def write(self) -> str:
        """Return the block, with the declarations of its registers."""
        lines = [self._write_statement() for _ in range(self.rng.randint(3, 8))]
        types = {"h": "b16", "w": "b32", "l": "b64", "p": "pred"}
        declared = (f".reg .{types[x]} {', '.join(y)};" for x, y in self.registers.items())
        return " ".join((*declared, *lines))

    def _write_statement(self) -> str:
        rng, amounts = self.rng, 33
        if rng.random() < 0.6:
            template, kind = rng.choice(_TYPED), rng.choice("hhwwwl")
            bits = _BITS[kind]
            amounts = bits + 1
            template = template.format(
                s=f"{rng.choice('su')}{bits}", S=f"s{bits}", b=f"b{bits}", c=rng.choice(_RELATIONS)
            )
            for letter, drawn in (("A", kind), ("D", kind), ("P", "p")):
                template = template.replace(f" {letter}", f" {drawn}")
        else:
            template = rng.choice(_OTHERS)
        name, target, *sources = template.split(" ")
        words = [self._write_source(x, amounts) for x in sources]
        guard, known = "", self.registers[target]
        if rng.random() < 0.12 and not name.startswith("setp"):
            guard = f"@{rng.choice(('', '!'))}{self.registers['p'][-1]} "
        if guard or rng.random() < 0.2:
            result = rng.choice(known)
        else:
            known.append(f"{target}{len(known) + 1}")
            result = known[-1]
        return f"{guard}{name} {', '.join((result, *words))};"

    def _write_source(self, kind: str, amounts: int) -> str:
        rng = self.rng
        if known := self.registers.get(kind):  # a recent one more often, so that values flow
            return known[-1] if rng.random() < 0.55 else rng.choice(known)
        drawn = {
            "i": rng.choice(_INTEGERS),
            "n": rng.randrange(1 << 16),
            "k": rng.randrange(amounts),
            "t": rng.randrange(256),
        }
        return str(drawn[kind])


def make_random_blocks(seed: int, count: int) -> list[BasicBlock]:
    """Return random blocks, always the same for a seed."""
    rng, found = Random(seed), list[BasicBlock]()
    while len(found) < count:
        try:
            found.append(parse_block(_Writer(rng).write()))
        except (PtxError, ValueError):
            continue  # a block without a result, or with a constant under a guard
    return found
