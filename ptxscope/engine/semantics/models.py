"""Whose answer a plan computes: the documentation's, an assembler's, or a mistaken reader's."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ..isa.form import Form
from ..lazy_patterns import pattern
from ..records import NamedTuple
from .errata import ERRATA, NEWEST, OLDEST, Erratum, Version
from .lowering import lower
from .misconceptions import MISCONCEPTIONS
from .plan import Plan
from .rules import ISA, Rules


class Model(NamedTuple):
    """A named set of errata; none at all is the documentation."""

    name: str
    errata: tuple[Erratum, ...] = ()

    def make_rules(self, form: Form) -> Rules:
        """The rules by which this model lowers a form."""
        set_: dict[str, bool] = {}
        for erratum in self.errata:
            if erratum.touches(form):
                set_ |= erratum.rules
        return ISA._replace(**set_) if set_ else ISA


_BY_ID = {erratum.id: erratum for erratum in (*ERRATA, *MISCONCEPTIONS)}


def get_erratum(id_: str) -> Erratum:
    """The erratum or misconception with an id; raises KeyError."""
    return _BY_ID[id_]


ISA_MODEL = Model("isa")
_LAST_MINOR = {11: 8, 12: 9}
"""The last version of what came out with a major number, where a greater one followed."""
_MAX_NAME_CHARS = 200
"""Characters of the longest name that is read; those of all errata together have 66."""
_ALLOWED = "isa, ptxas, ptxas-MAJOR.MINOR (11.8 and later), or errata: E3+E6"
_PTXAS = pattern(r"ptxas(?:-(\d{1,3})\.(\d{1,3}))?")


@lru_cache(maxsize=256)
def parse_model(name: str) -> Model:
    """A model by name: ``isa``, ``ptxas`` (the newest known), ``ptxas-13.0``, ``E3``, ``E3+E6``.

    Ids of errata or misconceptions name the documentation with just those switched on; they may
    follow a ptxas too: ``ptxas-13.5+H1``. Raises ValueError.
    """
    if name == "isa":
        return ISA_MODEL
    named, errata = list[str](), dict[str, Erratum]()
    if len(name) > _MAX_NAME_CHARS:
        raise ValueError(f"unknown model '{name[:60]}…': {_ALLOWED}")
    for part in name.split("+"):
        if match := _PTXAS.fullmatch(part):
            version = (int(match[1]), int(match[2])) if match[1] else NEWEST
            if version < OLDEST:
                raise ValueError(f"{name} is not known; ptxas versions from 11.8 on are")
            has = [e for e in ERRATA if e.repaired_in is None or version < e.repaired_in]
            if between := _find_version_neighbours(version):
                raise ValueError(
                    f"{name} is not known: no such ptxas was made; the nearest are {between}"
                )
            named.append("ptxas-{}.{}".format(*version))
        elif part.upper() in _BY_ID:
            has = [_BY_ID[part.upper()]]
            named.append(has[0].id)
        else:
            raise ValueError(f"unknown model {name!r}: {_ALLOWED}")
        errata |= {e.id: e for e in has}
    known = {part: at for at, part in enumerate(_BY_ID)}
    named.sort(key=lambda part: known.get(part, -1))
    return Model("+".join(named), tuple(e for e in _BY_ID.values() if e.id in errata))


def _find_version_neighbours(version: Version) -> str:
    """The versions around one that there never was; empty where there may have been."""
    last = _LAST_MINOR.get(version[0])
    if last is None or version[1] <= last:
        return ""
    return f"ptxas-{version[0]}.{last} and ptxas-{version[0] + 1}.0"


def describe_newer_version(name: str) -> str:
    """What is assumed of a model's ptxas that is newer than any measured; empty where none is."""
    for part in name.split("+"):
        match = _PTXAS.fullmatch(part)
        if match and match[1] and (int(match[1]), int(match[2])) > NEWEST:
            newest = "{}.{}".format(*NEWEST)
            return f"{part} is newer than {newest}, the newest known; its errata are taken for it"
    return ""


def parse_erratum(id_: str) -> Erratum:
    """The erratum with an id; raises ValueError."""
    found = _BY_ID.get(id_.upper())
    if found not in ERRATA:
        raise ValueError(f"unknown erratum {id_!r}: E1 to E{len(ERRATA)}")
    return found


PTXAS_MODELS = (parse_model("ptxas"), parse_model("ptxas-13.0"))
"""Every distinct set of errata, newest first, under the name of a version that has it."""
_REPAIR = max(e.repaired_in for e in ERRATA if e.repaired_in)


def format_versions(having: Collection[Model]) -> str:
    """The versions that some of PTXAS_MODELS stand for: ``11.8 to 13.2``."""
    newest, oldest = (model in having for model in PTXAS_MODELS)
    first = OLDEST if oldest else _REPAIR
    last = NEWEST if newest else (_REPAIR[0], _REPAIR[1] - 1)
    return "{}.{} to {}.{}".format(*first, *last)


@lru_cache(maxsize=1 << 12)
def find_errata(form: Form, guard: bool | None = None) -> tuple[Erratum, ...]:
    """The errata that can change what a form computes, alone or with the others.

    The guard is given as to ``lower``: one of them shows only under a guard.
    """
    return tuple(e for e in ERRATA if e.touches(form) and _can_change(form, guard, e))


def _can_change(form: Form, guard: bool | None, erratum: Erratum) -> bool:
    def plan(*errata: Erratum) -> Plan:
        return lower(form, Model("", errata).make_rules(form), guard)

    return plan(erratum) != plan() or plan(*ERRATA) != plan(
        *(e for e in ERRATA if e is not erratum)
    )
