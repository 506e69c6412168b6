"""The stages of a plan: the purposes of its steps."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """The purpose of a step, in the order of reading."""

    SELECT = "select"
    FLUSH = "flush"
    EXTEND = "extend"
    OPERATE = "operate"
    COMPARE = "compare"
    BOOLEAN = "boolean"
    CHOOSE = "choose"
    SUM = "sum"
    CARRY = "carry"
    SCALE = "scale"
    SATURATE = "saturate"
    SECONDARY = "secondary"
    MERGE = "merge"
    ACCUMULATE = "accumulate"
    WRITE = "write"
    GUARD = "guard"
