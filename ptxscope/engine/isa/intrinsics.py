"""Equivalents: CUDA's integer intrinsics in PTX, and packed instructions.

Each intrinsic (`__vadd4`, `__byte_perm`, …) is proved equal to the code that nvcc 13.0 emits for it
(``dev.py prove``). If the nearest instruction has another result, ``differs`` describes the
difference, and ``block`` has lines with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from .catalog import find_entry
from .types import Form, Type


class Intrinsic(NamedTuple):
    """A CUDA intrinsic that PTX instructions of the catalog compute."""

    name: str
    ptx: str
    """The nearest line, in d and the operands a, b and c; a SIMD instruction's ``c`` may be 0."""
    differs: str = ""
    """Difference between the PTX result and the intrinsic's; may be empty."""
    parameters: str = "ab"
    """The operands that are C's parameters, in C's order; any other operands are 0."""
    block: tuple[str, ...] = ()
    """Lines with the intrinsic's result, in further registers x and y, if ``ptx`` differs."""
    compilation: str = ""
    """The compiler's code for it, as the predicate of a sentence."""
    c_mask: int = 0
    """The bits of c that the intrinsic reads, if ``ptx`` reads more; else 0.

    With only these bits of a number as c, ``ptx`` alone has the intrinsic's result.
    """

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines with its result."""
        return self.block or (self.ptx,)

    @property
    def is_native(self) -> bool:
        """Whether the compiler emits the instruction in its name."""
        return self.compilation in (_IS_ONE, _IS_PRMT)

    @property
    def argument_bits(self) -> int:
        """The width of its parameters."""
        return 64 if self.name.endswith("ll") or "64" in self.name else 32

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the compiler's code for it, and on the difference of ``lines``, if any."""
        if not self.compilation:
            return ()
        remark = f"`{self.name}` {self.compilation}"
        if self.block:
            remark += "; the lines here are not the compiler's, but give the same result"
        has_difference = self.differs and self.differs != _B_IS_ZERO and not self.block
        return (remark, self.differs) if has_difference else (remark,)


_ALL_ONES = "if the comparison is true, the intrinsic gives all ones and vset gives 1"
_ROUNDS_DOWN = "the intrinsic rounds halves down, vavrg away from zero"
_B_IS_ZERO = "the operand b is 0 here"
_EMULATED_COUNTS = """
vabs 4 - vabsdiffs 12 - vabsdiffu 12 - vabsss 6 - vadd 5 6 vaddss 15 16 vaddus 10 14 vavgs 16 16
vavgu 5 5 vhaddu 5 5 vmaxs 7 10 vmaxu 6 12 vmins 7 10 vminu 6 11 vneg 4 5 vnegss 8 9 vsads 15 -
vsadu - - vsub 5 7 vsubss 14 16 vsubus 10 13
vcmpeq 6 6 vcmpges 6 6 vcmpgeu 7 8 vcmpgts 6 6 vcmpgtu 7 6 vcmples 6 6 vcmpleu 7 7 vcmplts 6 6
vcmpltu 7 6 vcmpne 5 5 vseteq 7 7 vsetges 7 7 vsetgeu 7 7 vsetgts 7 7 vsetgtu 8 7 vsetles 7 7
vsetleu 7 7 vsetlts 7 7 vsetltu 8 7 vsetne 6 6
""".split()
"""For each family, the PTX instructions but mov that nvcc 13.0 emits for sm_75 on 2 and 4 lanes.

``-``: a video instruction is among them.
"""


def _map_compilations() -> dict[str, str]:
    """Map each SIMD intrinsic, by name without underscores, to nvcc's code for it."""
    words = {}
    for index, family in enumerate(_EMULATED_COUNTS[::3]):
        for lanes, count in zip("24", _EMULATED_COUNTS[3 * index + 1 : 3 * index + 3], strict=True):
            words[family + lanes] = (
                "is still compiled to a video instruction by nvcc 13.0"
                if count == "-"
                else f"is emulated by nvcc 13.0 for sm_75 with {count} other instructions"
            )
    return words


def _iter_intrinsics(lanes: int) -> Iterator[Intrinsic]:
    """Yield the intrinsics over 2 half-words or 4 bytes."""
    compilations, width = _map_compilations(), 32 // lanes

    def make_pair(
        name: str,
        opcode: str,
        modifiers: str,
        differs: str = "",
        operands: str = "d, a, b, c",
        parameters: str = "ab",
        block: tuple[str, ...] = (),
    ) -> Intrinsic:
        return Intrinsic(
            f"__{name}{lanes}",
            f"{opcode}{lanes}.{modifiers} {operands}",
            differs,
            parameters,
            block,
            compilations[f"{name}{lanes}"],
        )

    def make_negation(name: str, modifiers: str) -> Intrinsic:
        return make_pair(name, "vsub", modifiers, _B_IS_ZERO, "d, b, a, c", "a")

    for name in ("vadd", "vsub"):
        yield make_pair(name, name, "u32.u32.u32")
        yield make_pair(f"{name}ss", name, "s32.s32.s32.sat")
        yield make_pair(f"{name}us", name, "u32.u32.u32.sat")
    for sign in "su":
        types = f"{sign}32.{sign}32.{sign}32"
        yield make_pair(f"vavg{sign}", "vavrg", types)
        yield make_pair(f"vabsdiff{sign}", "vabsdiff", types)
        yield make_pair(f"vmax{sign}", "vmax", types)
        yield make_pair(f"vmin{sign}", "vmin", types)
        yield make_pair(f"vsad{sign}", "vabsdiff", f"{types}.add")
    # the average of inverted lanes is rounded up, so its inverse is rounded down
    averaging = (
        "lop3.b32 x, a, a, a, 0x0f",
        "lop3.b32 y, b, b, b, 0x0f",
        f"vavrg{lanes}.u32.u32.u32 x, x, y, x",
        "lop3.b32 d, x, x, x, 0x0f",
    )
    yield make_pair("vhaddu", "vavrg", "u32.u32.u32", _ROUNDS_DOWN, block=averaging)
    for suffix, modifiers in (("", "s32.s32.s32"), ("ss", "s32.s32.s32.sat")):
        yield make_pair(f"vabs{suffix}", "vabsdiff", modifiers, _B_IS_ZERO, parameters="a")
        yield make_negation(f"vneg{suffix}", modifiers)
    for cmp in ("eq", "ne", "ge", "gt", "le", "lt"):
        for sign in ("",) if cmp in ("eq", "ne") else "su":
            modifiers = f"{sign or 'u'}32.{sign or 'u'}32.{cmp}"
            yield make_pair(f"vset{cmp}{sign}", "vset", modifiers)
            # moves each lane's 1 to its top bit, and repeats that bit
            spreading = (
                f"vset{lanes}.{modifiers} x, a, b, a",
                f"shf.l.wrap.b32 x, x, x, {width - 1}",
                f"prmt.b32 d, x, x, {'0xba98' if lanes == 4 else '0xbb99'}",
            )
            yield make_pair(f"vcmp{cmp}{sign}", "vset", modifiers, _ALL_ONES, block=spreading)


_IS_ONE = "is one PTX instruction"
_IS_PRMT = "is `prmt.b32` without bit 3 of each digit of the selector"
_DPX = "is emulated before sm_90, where it became a machine instruction"
_TYPED = "of unsigned operands, the intrinsic is {}.u32.u32"


def _iter_word_intrinsics() -> Iterator[Intrinsic]:
    """Yield the intrinsics that permute, count, shift and sum."""

    def make_one(name: str, ptx: str, parameters: str = "abc", differs: str = "") -> Intrinsic:
        return Intrinsic(f"__{name}", ptx, differs, parameters, compilation=_IS_ONE)

    permutation = "prmt.b32 d, a, b, c"
    yield Intrinsic(
        "__byte_perm",
        permutation,
        "the intrinsic ignores bit 3 of each digit, with which prmt repeats a sign",
        "abc",
        ("lop3.b32 x, c, 0x7777, c, 0xc0", permutation.replace(" c", " x")),
        _IS_PRMT,
        c_mask=0x7777,
    )
    yield make_one("dp4a", "dp4a.s32.s32 d, a, b, c", differs=_TYPED.format("dp4a"))
    for half in ("lo", "hi"):
        opcode = f"dp2a.{half}"
        yield make_one(
            f"dp2a_{half}", f"{opcode}.s32.s32 d, a, b, c", differs=_TYPED.format(opcode)
        )
    for direction in "lr":
        for suffix, mode in (("", "wrap"), ("c", "clamp")):
            yield make_one(
                f"funnelshift_{direction}{suffix}", f"shf.{direction}.{mode}.b32 d, a, b, c"
            )
    for suffix, bits in (("", 32), ("ll", 64)):
        for opcode in ("brev", "clz", "popc"):
            yield make_one(f"{opcode}{suffix}", f"{opcode}.b{bits} d, a", "a")
        first_one = (
            f"brev.b{bits} x, a",
            f"bfind.shiftamt.u{bits} y, x",
            "vadd.u32.u32.u32 d, y, 1",
        )
        yield Intrinsic(
            f"__ffs{suffix}",
            f"bfind.u{bits} d, a",
            "the intrinsic counts from 1 up to the lowest 1, bfind from 0 up to the highest",
            "a",
            first_one,
            "is compiled to a few instructions",
        )
    yield make_one("fns", "fns.b32 d, a, b, c")
    yield make_one("sad", "sad.s32 d, a, b, c")
    yield make_one("usad", "sad.u32 d, a, b, c")


def _iter_products() -> Iterator[Intrinsic]:
    """Yield the high words of products, and the products of 24 bits."""
    for name, type_ in (
        ("mulhi", "s32"),
        ("umulhi", "u32"),
        ("mul64hi", "s64"),
        ("umul64hi", "u64"),
    ):
        yield Intrinsic(f"__{name}", f"mul.hi.{type_} d, a, b", compilation=_IS_ONE)
    for name, type_, count in (("mul24", "s32", 5), ("umul24", "u32", 3)):
        compilation = f"is emulated by nvcc 13.0 for sm_75 with {count} other instructions"
        yield Intrinsic(f"__{name}", f"mul24.lo.{type_} d, a, b", compilation=compilation)


def _iter_dpx_half_intrinsics() -> Iterator[Intrinsic]:
    """Yield intrinsics of dynamic programming; ``__vmaxs2`` and the like are SIMD intrinsics."""
    for extreme in ("max", "min"):
        for types, is_limited in (("s16x2", False), ("s16x2", True), ("u16x2", False)):
            suffix = f"{types}{'_relu' * is_limited}"
            last = f"{extreme}{'.relu' * is_limited}.{types} d, x, c"
            for name, opcode, part in (
                (f"__vi{extreme}3", extreme, "the extreme of a and b alone"),
                (f"__viadd{extreme}", "add", "the sum alone"),
            ):
                differs = f"the intrinsic also takes c; this line gives {part}"
                first = f"{opcode}.{types} {{}}, a, b"
                block = (first.format("x"), last)
                yield Intrinsic(f"{name}_{suffix}", first.format("d"), differs, "abc", block, _DPX)
            if is_limited:
                line = f"{extreme}.relu.{types} d, a, b"
                yield Intrinsic(f"__vi{extreme}_{suffix}", line, compilation=_DPX)


def _iter_dpx_word_intrinsics() -> Iterator[Intrinsic]:
    wraps = "the intrinsic wraps the sum to 32 bits, vadd compares the exact sum"
    for extreme in ("max", "min"):
        for sign in "su":
            types = f"{sign}32.{sign}32.{sign}32"
            third = f"v{extreme}.{types}.{extreme} d, a, b, c"
            total = (f"vadd.{types} x, a, b", f"v{extreme}.{types} d, x, c")
            for name, line, block, differs in (
                (f"__vi{extreme}3_{sign}32", third, (), ""),
                (f"__viadd{extreme}_{sign}32", f"vadd.{types}.{extreme} d, a, b, c", total, wraps),
            ):
                yield Intrinsic(name, line, differs, "abc", block, _DPX)
                if sign == "s":
                    *first, last = block or (line,)
                    relu = (*first, last.replace(" d,", " x,"), f"vmax.{types} d, x, 0")
                    negative = "the intrinsic gives 0 for a negative result"
                    yield Intrinsic(f"{name}_relu", line, negative, "abc", relu, _DPX)
        line = f"v{extreme}.s32.s32.s32.max d, a, b, 0"
        yield Intrinsic(f"__vi{extreme}_s32_relu", line, compilation=_DPX)


@cache
def map_intrinsics() -> dict[str, Intrinsic]:
    """Map the name of every intrinsic to its record."""
    simd = (intrinsic for lanes in (2, 4) for intrinsic in _iter_intrinsics(lanes))
    sums_and_extremes = (*_iter_dpx_word_intrinsics(), *_iter_dpx_half_intrinsics())
    words = (*_iter_word_intrinsics(), *_iter_products())
    return {x.name: x for x in (*simd, *words, *sums_and_extremes)}


# --- packed instructions instead of SIMD video instructions ------------------------------


class Successor(NamedTuple):
    """A packed instruction of newer PTX versions (9.7.1) that replaces a SIMD video instruction.

    Both compute the same lanes if d, a and b of the video instruction have the type of the lanes.
    """

    opcode: str
    """The video instruction: ``vadd4``."""
    mnemonic: str
    """The opcode and type of the packed instruction: ``add.s8x4``; ``.u8x4`` is legal, too."""
    flag: str
    """Its optional modifier: ``sat``, ``relu``."""
    differences: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The instruction as a pattern, and its lowest versions."""
        opcode, _, type_ = self.mnemonic.partition(".")
        entry = find_entry(opcode, [type_])
        assert entry
        minimum = entry.compute_minimum(Form(opcode, stype=Type(type_)))
        types = f"u{type_[1:]},{type_}"
        return f"{opcode}{{.{self.flag}}}.{{{types}}} d, a, b does the same ({minimum})"


_SAT = "`.sat` clamps to the type of the lanes, which is that of d, a and b"
_RELU = (
    "`.relu` with signed lanes makes negative results 0, as `.u32.s32.s32.sat` does; `.sat` has no "
    "other counterpart"
)


def _make_successor(opcode: str, mnemonic: str, flag: str) -> Successor:
    total = "`dp4a` with b = 0x01010101" if opcode[-1] == "4" else "`dp2a.lo` with b = 0x0101"
    return Successor(
        opcode,
        mnemonic,
        flag,
        (
            "d, a and b have one type; `.s32.s32.u32`, say, has no counterpart",
            _SAT if flag == "sat" else _RELU,
            "there are no selectors and no mask: each lane of d takes the same lane of a and of b; "
            "`prmt` arranges bytes",
            f"there is no c, and no `.add`: {total} adds the lanes of a register to c",
        ),
    )


_SUCCESSORS = {
    successor.opcode: successor
    for successor in (
        _make_successor("vadd4", "add.s8x4", "sat"),
        _make_successor("vsub4", "sub.s8x4", "sat"),
        _make_successor("vmin4", "min.s8x4", "relu"),
        _make_successor("vmax4", "max.s8x4", "relu"),
        _make_successor("vadd2", "add.s16x2", "sat"),
        _make_successor("vmin2", "min.s16x2", "relu"),
        _make_successor("vmax2", "max.s16x2", "relu"),
    )
}


def find_successor(opcode: str) -> Successor | None:
    """Return the successor of a SIMD video instruction; None for some, such as ``vavrg4``."""
    return _SUCCESSORS.get(opcode)
