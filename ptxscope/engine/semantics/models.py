"""Models: the documentation's answer, an assembler's, or a mistaken reader's."""

from __future__ import annotations

import copyreg
import re
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import NamedTuple

from ..isa.form import Form
from .errata import ALL_ERRATA, ERRATA
from .lowering import lower
from .misconceptions import MISCONCEPTIONS
from .plan import Plan
from .rules import ISA, NEWEST, OLDEST, Erratum, Rules, Version


class Model(NamedTuple):
    """A named set of errata; the empty set is the documentation."""

    name: str
    errata: tuple[Erratum, ...] = ()

    def make_rules(self, form: Form) -> Rules:
        """Return the rules by which this model lowers a form."""
        set_: dict[str, bool] = {}
        for erratum in self.errata:
            if erratum.touches(form):
                set_ |= erratum.rules
        return ISA._replace(**set_) if set_ else ISA


_BY_ID = {erratum.id: erratum for erratum in (*ALL_ERRATA, *MISCONCEPTIONS)}


def get_erratum(id_: str) -> Erratum:
    """Return the erratum or misconception with an id; raise KeyError if there is none."""
    return _BY_ID[id_]


def _reduce_erratum(erratum: Erratum) -> tuple[Callable[[str], Erratum], tuple[str]]:
    return get_erratum, (erratum.id,)


# An erratum is pickled by its id, because its predicate on forms is a lambda.
copyreg.pickle(Erratum, _reduce_erratum)


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

    Ids of errata or misconceptions name the documentation with only those switched on; they may
    also follow a ptxas: ``ptxas-13.5+H1``. Raise ValueError for any other name.
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
    """Return the assumption made for a ptxas newer than any measured; empty if there is none."""
    for part in name.split("+"):
        match = _PTXAS.fullmatch(part)
        if match and match[1] and (int(match[1]), int(match[2])) > NEWEST:
            newest = "{}.{}".format(*NEWEST)
            return f"{part} is newer than {newest}, the newest known, whose errata are used"
    return ""


def parse_erratum(id_: str) -> Erratum:
    """Return the erratum with an id; raise ValueError if there is none."""
    erratum = _BY_ID.get(id_.upper())
    if erratum not in ALL_ERRATA:
        raise ValueError(f"unknown erratum {id_!r}: E1 to E{len(ALL_ERRATA)}")
    return erratum


PTXAS_MODELS = (parse_model("ptxas"), parse_model("ptxas-13.0"))
"""The errata that a form can have, newest first: no form has two that are repaired."""


def format_versions(models: Collection[Model], form: Form) -> str:
    """Return the versions that some of PTXAS_MODELS stand for, for a form: ``11.8 to 13.2``."""
    newest, oldest = (model in models for model in PTXAS_MODELS)
    repairs = (e.repaired_in for e in ERRATA if e.repaired_in and e.touches(form))
    repair = max(repairs, default=NEWEST)
    first_version = OLDEST if oldest else repair
    last_version = NEWEST if newest else (repair[0], repair[1] - 1)
    return "{}.{} to {}.{}".format(*first_version, *last_version)


@lru_cache(maxsize=1 << 12)
def find_errata(form: Form, guard: bool | None = None) -> tuple[Erratum, ...]:
    """Return the errata that can change a form's result, alone or together with the others.

    ``guard`` is that of ``lower``: E14 shows only under a guard.
    """
    return tuple(e for e in ALL_ERRATA if e.touches(form) and _can_change(form, guard, e))


def _can_change(form: Form, guard: bool | None, erratum: Erratum) -> bool:
    def plan(*errata: Erratum) -> Plan:
        return lower(form, Model("", errata).make_rules(form), guard)

    return plan(erratum) != plan() or plan(*ALL_ERRATA) != plan(
        *(e for e in ALL_ERRATA if e is not erratum)
    )
