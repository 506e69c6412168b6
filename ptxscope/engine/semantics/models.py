"""Models: the documentation's answer, an assembler's, or a mistaken reader's.

Like an erratum, a misconception names the forms that it affects and the rules that it sets, so that
the result that a mistaken reader expects can be computed, traced and drawn like any other.
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from ..isa.types import Form, SecOp
from .lowering import lower
from .plan import Plan
from .rules import ALL_ERRATA, ISA, NEWEST, OLDEST, Erratum, Rules, Version


def _applies_always(_: Form) -> bool:
    return True


def _has_signed_input(form: Form) -> bool:
    return any(x is not None and x.signed for x in (form.atype, form.btype))


_SIMD = ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset")
_DUAL_AND_QUAD = tuple(f"{name}{lanes}" for name in _SIMD for lanes in (2, 4))
_WITH_ADD = (*_DUAL_AND_QUAD, *("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"))
_CLAMPED = (*_DUAL_AND_QUAD, *("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad"))

MISCONCEPTIONS: tuple[Erratum, ...] = (
    Erratum(
        "H1",
        "vset, vset2, vset4",
        ("vset", "vset2", "vset4"),
        _applies_always,
        {"true_swapped": True},
        "`vset` writes 1 if the comparison is true; it is `set` that writes all ones.",
        ("vset.s32.u32.lt d, a, b", {"a": 0xFFFFFFFF, "b": 0}, 0x00000001, 0xFFFFFFFF),
    ),
    Erratum(
        "H2",
        "set with an integer dtype",
        ("set",),
        lambda f: f.dtype is not None and not f.dtype.lane_type.is_float,
        {"true_swapped": True},
        "`set` writes all ones if the comparison is true; it is `vset` that writes 1.",
        ("set.lt.u32.s32 d, a, b", {"a": 1, "b": 2}, 0xFFFFFFFF, 0x00000001),
    ),
    Erratum(
        "H3",
        "vavrg2, vavrg4",
        ("vavrg2", "vavrg4"),
        _applies_always,
        {"average_down": True},
        "`vavrg` rounds halves away from zero, not down.",
        ("vavrg2.u32.u32.u32 d, a, b, c", {"a": 1, "b": 2, "c": 0}, 0x00000002, 0x00000001),
    ),
    Erratum(
        "H5",
        "video instructions with .add",
        _WITH_ADD,
        lambda f: f.secop is SecOp.ADD,
        {"add_clamps": True},
        "`.add` wraps around in 32 bits; no clamp follows it.",
        (
            "vadd.s32.s32.s32.sat.add d, a, b, c",
            {"a": 0x7FFFFFFF, "b": 1, "c": 1},
            0x80000000,
            0x7FFFFFFF,
        ),
    ),
    Erratum(
        "H6",
        "SIMD instructions with .add",
        _DUAL_AND_QUAD,
        lambda f: f.secop is SecOp.ADD,
        {"lanes_cut": True},
        "`.add` sums the exact lanes; they are not truncated to their width first.",
        ("vadd4.u32.u32.u32.add d, a, b, c", {"a": 0xFF, "b": 1, "c": 0}, 0x00000100, 0x00000000),
    ),
    Erratum(
        "H7",
        "SIMD instructions with a mask and without .add",
        _DUAL_AND_QUAD,
        lambda f: f.mask is not None and f.secop is None,
        {"masked_from_b": True},
        "Lanes outside the mask keep c's bits. The manual's prose for `vset2` and `vset4` says "
        "b's; its pseudo-code takes c's.",
        (
            "vset4.u32.u32.eq d.b20, a, b, c",
            {"a": 0x01020304, "b": 0x01020304, "c": 0xAABBCCDD},
            0xAA01CC01,
            0x01010301,
        ),
    ),
    Erratum(
        "H8",
        "vset, vset2, vset4 with a second operation",
        ("vset", "vset2", "vset4"),
        lambda f: f.secop is not None,
        {"true_minus_one": True},
        "A true comparison counts as 1, not as -1.",
        (
            "vset4.s32.s32.lt.add d, a, b, c",
            {"a": 0x01020304, "b": 0x02020205, "c": 10},
            0x0000000C,
            0x00000008,
        ),
    ),
    Erratum(
        "H9",
        "slct",
        ("slct",),
        _applies_always,
        {"zero_takes_b": True},
        "`slct` also selects a if c is 0: it tests c >= 0, not c > 0.",
        ("slct.s32.s32 d, a, b, c", {"a": 1, "b": 2, "c": 0}, 0x00000001, 0x00000002),
    ),
    Erratum(
        "H10",
        "instructions with .sat and a signed range",
        _CLAMPED,
        lambda f: f.sat,
        {"clamp_symmetric": True},
        "A signed clamp reaches down to -128, -32768 or -2147483648, one further than it reaches "
        "up.",
        (
            "vadd4.s32.s32.s32.sat d, a, b, c",
            {"a": 0x80, "b": 0x80, "c": 0},
            0x00000080,
            0x00000081,
        ),
    ),
    Erratum(
        "H11",
        "vmad with .shr7 or .shr15",
        ("vmad",),
        lambda f: f.scale is not None,
        {"scale_before_sum": True},
        "`vmad` adds c to the whole product, and shifts the sum.",
        ("vmad.s32.s32.s32.shr7 d, a, b, c", {"a": 256, "b": 3, "c": 1280}, 0x00000010, 0x00000506),
    ),
    Erratum(
        "H12",
        "shl, shr",
        ("shl", "shr"),
        _applies_always,
        {"amount_wraps": True},
        "An amount above the width counts as the width; only the `.wrap` of `shf` takes it modulo "
        "the width.",
        ("shl.b32 d, a, b", {"a": 1, "b": 33}, 0x00000000, 0x00000002),
    ),
    Erratum(
        "H13",
        "div and rem with a signed type",
        ("div", "rem"),
        lambda f: f.stype is not None and f.stype.signed,
        {"quotient_down": True},
        "`div` rounds towards zero, so `rem` has the sign of a.",
        ("div.s32 d, a, b", {"a": 0xFFFFFFF9, "b": 2}, 0xFFFFFFFD, 0xFFFFFFFC),
    ),
    Erratum(
        "H14",
        "shr with a signed type",
        ("shr",),
        lambda f: f.stype is not None and f.stype.signed,
        {"shift_to_zero": True},
        "`shr` rounds down; only `div` rounds towards zero.",
        ("shr.s32 d, a, b", {"a": 0xFFFFFFF9, "b": 1}, 0xFFFFFFFC, 0xFFFFFFFD),
    ),
    Erratum(
        "H17",
        "vavrg2, vavrg4 with a signed input",
        ("vavrg2", "vavrg4"),
        _has_signed_input,
        {"average_to_zero": True},
        "`vavrg` rounds halves away from zero; a division in C rounds towards zero.",
        ("vavrg2.s32.s32.s32 d, a, b, c", {"a": 0xFFFE, "b": 1, "c": 0}, 0x0000FFFF, 0x00000000),
    ),
    Erratum(
        "H15",
        "vavrg2, vavrg4 with a signed input",
        ("vavrg2", "vavrg4"),
        _has_signed_input,
        {"average_up": True},
        "`vavrg` rounds halves away from zero, so negative ones down.",
        ("vavrg2.s32.s32.s32 d, a, b, c", {"a": 0xFFFF, "b": 0, "c": 0}, 0x0000FFFF, 0x00000000),
    ),
    Erratum(
        "H4",
        "vavrg2, vavrg4",
        ("vavrg2", "vavrg4"),
        _applies_always,
        {"average_even": True},
        "`vavrg` rounds halves away from zero, not to the even neighbour.",
        ("vavrg2.u32.u32.u32 d, a, b, c", {"a": 2, "b": 3, "c": 0}, 0x00000003, 0x00000002),
    ),
    Erratum(
        "H16",
        "abs",
        ("abs",),
        _applies_always,
        {"magnitude_clamps": True},
        "`abs` of the most negative number is that number; nothing clamps it.",
        ("abs.s32 d, a", {"a": 0x80000000}, 0x80000000, 0x7FFFFFFF),
    ),
)
"""The misconceptions; the most common ones of an instruction come first.

``example`` has the documented result, then the expected one.
"""

BELIEFS = {
    "H1": "true were all ones",
    "H2": "true were 1",
    "H3": "halves were rounded down",
    "H4": "halves were rounded to the even neighbour",
    "H5": "`.add` clamped",
    "H6": "the lanes were truncated before they were summed",
    "H7": "masked-out lanes came from b",
    "H8": "true counted as -1",
    "H9": "it took a only if c > 0",
    "H10": "the clamp's range were symmetric, like -127..127",
    "H11": "the product were shifted before c was added",
    "H12": "the amount were taken modulo the width, as on x86",
    "H13": "the quotient were rounded down, as in Python",
    "H14": "the shift rounded towards zero, as a division does",
    "H15": "halves were rounded up",
    "H16": "the magnitude were clamped",
    "H17": "the half were rounded towards zero, as a division in C does",
}
"""The belief behind each misconception, by id."""


# --- models ------------------------------------------------------------------------------


class Model(NamedTuple):
    """A named set of errata; the empty set is the documentation."""

    name: str
    errata: tuple[Erratum, ...] = ()

    def make_rules(self, form: Form) -> Rules:
        """Return the rules for the lowering of a form under this model."""
        set_: dict[str, bool] = {}
        for erratum in self.errata:
            if erratum.touches(form):
                set_ |= erratum.rules
        return ISA._replace(**set_) if set_ else ISA


_BY_ID = {erratum.id: erratum for erratum in (*ALL_ERRATA, *MISCONCEPTIONS)}


def get_erratum(id_: str) -> Erratum:
    """Return the erratum or misconception with an id; raise KeyError if none exists."""
    return _BY_ID[id_]


# An erratum is pickled by its id, because its predicate on forms is a lambda.
copyreg.pickle(Erratum, lambda x: (get_erratum, (x.id,)))


ISA_MODEL = Model("isa")
_LAST_MINOR = {11: 8, 12: 9}
"""The last minor version of each major version that has a successor."""
_MAX_NAME_CHARS = 200
"""Maximum length of a name; the names of all errata together have 70 characters."""
_ALLOWED = "isa, ptxas, ptxas-MAJOR.MINOR (11.8 and later), or errata: E3+E6"
_PTXAS = re.compile(r"ptxas(?:-(\d{1,3})\.(\d{1,3}))?")


@lru_cache(maxsize=256)
def parse_model(name: str) -> Model:
    """Parse a model's name: ``isa``, ``ptxas`` (the newest known), ``ptxas-13.0``, ``E3+E6``.

    Ids of errata or misconceptions alone apply to the documentation; they may also follow a ptxas:
    ``ptxas-13.5+H1``. Raise ValueError for any other name.
    """
    if name == "isa":
        return ISA_MODEL
    names, errata = list[str](), dict[str, Erratum]()
    if len(name) > _MAX_NAME_CHARS:
        raise ValueError(f"unknown model '{name[:60]}…': {_ALLOWED}")
    for part in name.split("+"):
        if match := _PTXAS.fullmatch(part):
            version = (int(match[1]), int(match[2])) if match[1] else NEWEST
            if version < OLDEST:
                raise ValueError(f"{name} is not known; ptxas versions from 11.8 on are")
            part_errata = [
                e for e in ALL_ERRATA if e.repaired_in is None or version < e.repaired_in
            ]
            if neighbours := _find_version_neighbours(version):
                raise ValueError(f"{name} does not exist; the nearest versions are {neighbours}")
            names.append("ptxas-{}.{}".format(*version))
        elif part.upper() in _BY_ID:
            part_errata = [_BY_ID[part.upper()]]
            names.append(part_errata[0].id)
        else:
            raise ValueError(f"unknown model {name!r}: {_ALLOWED}")
        errata |= {e.id: e for e in part_errata}
    order = {part: index for index, part in enumerate(_BY_ID)}
    names.sort(key=lambda part: order.get(part, -1))
    return Model("+".join(names), tuple(e for e in _BY_ID.values() if e.id in errata))


def _find_version_neighbours(version: Version) -> str:
    """Return the releases around a version that never existed; empty if it may exist."""
    last_minor = _LAST_MINOR.get(version[0])
    if last_minor is None or version[1] <= last_minor:
        return ""
    return f"ptxas-{version[0]}.{last_minor} and ptxas-{version[0] + 1}.0"


def describe_newer_version(name: str) -> str:
    """Return the assumption made for a ptxas newer than any measured; may be empty."""
    for part in name.split("+"):
        match = _PTXAS.fullmatch(part)
        if match and match[1] and (int(match[1]), int(match[2])) > NEWEST:
            newest = "{}.{}".format(*NEWEST)
            return f"{part} is newer than {newest}, the newest known, whose errata are used"
    return ""


def parse_erratum(id_: str) -> Erratum:
    """Return the erratum with an id; raise ValueError if none exists."""
    erratum = _BY_ID.get(id_.upper())
    if erratum not in ALL_ERRATA:
        raise ValueError(f"unknown erratum {id_!r}: E1 to E{len(ALL_ERRATA)}")
    return erratum


PTXAS_MODELS = (parse_model("ptxas"), parse_model("ptxas-13.0"))
"""The models of ptxas, newest first; no form has two errata that were repaired."""


def format_versions(models: Collection[Model], form: Form) -> str:
    """Return the versions of some of ``PTXAS_MODELS``, for a form: ``11.8 to 13.2``, ``13.5``."""
    newest, oldest = (model in models for model in PTXAS_MODELS)
    repairs = (e.repaired_in for e in ALL_ERRATA if e.repaired_in and e.touches(form))
    repair = max(repairs, default=NEWEST)
    first_version = OLDEST if oldest else repair
    last_version = NEWEST if newest else (repair[0], repair[1] - 1)
    first, last = ("{}.{}".format(*version) for version in (first_version, last_version))
    return first if first == last else f"{first} to {last}"


@lru_cache(maxsize=1 << 12)
def find_errata(form: Form, guard: bool | None = None) -> tuple[Erratum, ...]:
    """Return the errata that can change a form's result, alone or together with others.

    ``guard`` is as in ``lower``: E14 needs a guard.
    """
    return tuple(e for e in ALL_ERRATA if e.touches(form) and _can_change(form, guard, e))


def _can_change(form: Form, guard: bool | None, erratum: Erratum) -> bool:
    def plan(*errata: Erratum) -> Plan:
        return lower(form, Model("", errata).make_rules(form), guard)

    return plan(erratum) != plan() or plan(*ALL_ERRATA) != plan(
        *(e for e in ALL_ERRATA if e is not erratum)
    )
