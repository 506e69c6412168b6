"""The rules of diagnostics, with those that other features add by ``Service.LIST_RULES``.

A feature, or a package, that adds one needs ``check``, and its record has
``services={Service.LIST_RULES: "module:list_rules"}``::

    def list_rules() -> tuple[AddedRule, ...]:
        about = "A prmt has a selector in a register."
        return (AddedRule("selector", Severity.NOTE, about, find_selectors),)

    def find_selectors(ins: Instruction) -> Iterator[Fault]:
        if ins.opcode == "prmt" and "c" not in ins.constants:
            yield Fault("the selector is not a literal", "c")

Then ``check`` reports ``note: the selector is not a literal`` with a caret under c, and the rule
``selector`` can be ignored by options, settings and comments, and is in SARIF.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from ...engine.semantics.rules import ERRATA, FUSION_ERRATA
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.folding_bugs import FOLDING_BUGS
from ...feature import FeatureError, Service, find_services


class Severity(StrEnum):
    """The severity of a diagnostic."""

    ERROR = "error"
    """It will not assemble."""
    WARNING = "warning"
    NOTE = "note"
    REMARK = "remark"
    """Known to most readers: shown only on request."""

    @property
    def rank(self) -> int:
        """Position in the order of severities; an error has 0."""
        return list(Severity).index(self)

    @property
    def next_lower(self) -> Severity:
        """The severity below."""
        return list(Severity)[self.rank + 1]


_OWN_RULES: dict[str, tuple[Severity, str]] = {
    "illegal": (Severity.ERROR, "The instruction is not legal PTX."),
    "register-type": (Severity.ERROR, "A register's declared type does not fit its operand."),
    "undeclared": (Severity.ERROR, "An operand is not the register that it must be."),
    "unseen": (
        Severity.WARNING,
        "A register is not declared in this file; the code assembles only if another file "
        "declares it.",
    ),
    "component": (
        Severity.WARNING,
        "A vector register does not have this component; the code assembles, but the component "
        "holds nothing.",
    ),
    "version": (Severity.ERROR, "The .version or .target is below what the instruction needs."),
    "crash": (Severity.WARNING, "The instruction is legal and crashes ptxas."),
    "note": (Severity.NOTE, "The instruction is legal; the note is worth knowing."),
    "unread": (
        Severity.NOTE,
        "Not checked: a sum as an operand, a file of unknown kind, code in `#if 0`, or text with "
        "unknown parts.",
    ),
    "comment": (
        Severity.WARNING,
        "A comment `ptxscope: ignore[…]` names something that is not a rule, or is not closed.",
    ),
    "shorter": (
        Severity.WARNING,
        "A `mov` or another operation of fewer operands gives the same result.",
    ),
    "ignored": (
        Severity.WARNING,
        "The result does not depend on an operand, or on some bits of a literal.",
    ),
    "carry": (
        Severity.WARNING,
        "A carry is read that nothing earlier in the function writes, or that is written only "
        "under a guard, or that an asm statement without `volatile` passes to another; or one "
        "is overwritten before anything reads it; or a borrow is read as a carry, or the reverse.",
    ),
    "asm-carry": (
        Severity.NOTE,
        "An asm statement reads a carry that another one must write; nothing guarantees that it "
        "is preserved.",
    ),
    "unwritten": (
        Severity.WARNING,
        "A register is read before it is written: of an asm statement, an operand with `=` or one "
        "that it declares; in a listing, one that no path to the read writes.",
    ),
    "clobber": (
        Severity.WARNING,
        "An asm statement writes an operand without `&` and reads an input afterwards: the "
        "compiler may give both the same register.",
    ),
    "input": (Severity.WARNING, "An asm statement writes an operand that is only an input."),
    "intrinsic": (
        Severity.NOTE,
        "A CUDA intrinsic is used; the note says what the compiler generates for it.",
    ),
    "sequence": (
        Severity.NOTE,
        "Several instructions compute a CUDA intrinsic on lanes.",
    ),
    "F2": (Severity.WARNING, FOLDING_BUGS[1].sentence),
    **{x.id: (Severity.WARNING, x.sentence) for x in (*ERRATA, *FUSION_ERRATA)},
}
"""The rules of this feature, which come first."""


class Fault(NamedTuple):
    """A remark about an instruction."""

    message: str
    part: str = "opcode"
    """The part at which it is shown: a key of the instruction's ``spans``, such as ``a``."""
    hint: str = ""
    """Allowed text or a remedy."""


class AddedRule(NamedTuple):
    """A rule, and the function that finds its faults."""

    id: str
    """The word by which it is ignored, of letters, digits and hyphens."""
    severity: Severity
    """Instructions with an error count as illegal."""
    sentence: str
    """A description."""
    find_faults: Callable[[Instruction], Iterable[Fault]]
    """Takes each legal instruction of the catalog in a file, with the file's register names."""


@cache
def list_added_rules() -> tuple[AddedRule, ...]:
    """Return the rules that other features add."""
    return tuple(rule for list_ in find_services(Service.LIST_RULES) for rule in list_())


@cache
def map_rules() -> Mapping[str, tuple[Severity, str]]:
    """Return every rule by id: the severity of its diagnostics, and a description.

    Raise FeatureError if a rule of another feature has the id of one before.
    """
    rules = dict(_OWN_RULES)
    for rule in list_added_rules():
        if rule.id in rules:
            raise FeatureError(f"two rules of diagnostics are called {rule.id}")
        rules[rule.id] = rule.severity, rule.sentence
    return rules
