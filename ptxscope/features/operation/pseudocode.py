"""The pseudocode of an instruction, made from the plans of its forms.

The rows with one key are one line. A row of only some forms stands under an ``if``, and the slots
that decide an expression choose it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from ...engine.isa.catalog import get_entry, iter_entry_forms, with_c
from ...engine.isa.encodings import Range, get_limits
from ...engine.isa.entry import Entry, Slot
from ...engine.isa.types import Form, Selector, Type
from ...engine.micro_operations.logic import SpreadTruth
from ...engine.micro_operations.properties import Stage
from ...engine.micro_operations.saturation import Wrap
from ...engine.micro_operations.selection import Extend
from ...engine.semantics.lowering import lower
from ...engine.semantics.plan import Plan, Row
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.step_text import format_stage_title
from .decision_tree import Table, Tree, format_condition, list_values, make_tree
from .notes import iter_notes
from .row_expressions import RESULT, Site, list_expressions
from .statements import If, Line, PseudocodeLine, Statement, align_remarks, render_statements

_MAX_CHOICE = 66
"""Characters of the longest choice in one expression."""
_MAX_RANGE_BITS = 20
"""Bits of the widest range that a remark names."""
_ORDER = {stage: order for order, stage in enumerate(Stage)}


class Pseudocode(NamedTuple):
    """The pseudocode of an entry."""

    lines: tuple[str, ...]
    notes: tuple[str, ...]
    """Sentences on the meaning of the lines."""


@cache
def make_pseudocode(entry: Entry) -> Pseudocode | None:
    """Return the pseudocode of an entry, or None if its plans cannot be expressed."""
    entry = entry._replace(slots=tuple(map(_thin_out, entry.slots)))
    forms = list(_iter_forms(entry))
    plans = [lower(form) for form in forms]
    writer = _Writer(entry, forms, plans)
    if not all(map(writer.is_readable, plans)):
        return None
    statements: list[Statement] = []
    for key in _order_keys(plans):
        tree = writer.make_tree(key)
        if tree is None:
            return None
        statements += writer.make_statements(key, tree)
    lines = tuple(align_remarks(render_statements(statements)))
    return Pseudocode(lines, tuple(iter_notes(entry, "\n".join(lines))))


@lru_cache(maxsize=256)
def make_form_pseudocode(form: Form) -> tuple[PseudocodeLine, ...]:
    """Return the pseudocode of a single form, without conditions; empty if there is none."""
    writer = _FormWriter(get_entry(form), [form], [lower(form)])
    statements: list[Statement] = []
    for key in writer.all_rows:
        tree = writer.make_tree(key)
        if tree is None:
            return ()
        statements += writer.make_statements(key, tree)
    return tuple(render_statements(statements)) if writer.is_readable(writer.plans[0]) else ()


def list_line_code(ins: Instruction) -> tuple[PseudocodeLine, ...]:
    """Return the pseudocode of a line, below the condition of its guard; empty if there is none."""
    lines = make_form_pseudocode(ins.form)
    if ins.guard is None or not lines:
        return lines
    head = PseudocodeLine(f"if {'not ' * ins.guard.negated}{ins.guard.name}:")
    return (head, *(x._replace(text=f"    {x.text}") for x in lines))


def _thin_out(slot: Slot) -> Slot:
    """Return a slot with a few of its values, if it has many that only name a part or a number."""
    values = slot.values
    if isinstance(values[0], Selector):
        if slot.name == "mask":
            values = (values[0], values[-2], values[-1])
        elif len(values) > 6:
            values = tuple(values[len(values) * x // 11] for x in (3, 7))
        else:
            values = (values[3], values[5])
    elif len(values) > 20 and not isinstance(values[0], Type):
        values = (values[0x1B], values[0xE8])
    return slot._replace(values=values)


def _iter_forms(entry: Entry) -> Iterator[Form]:
    """Yield the legal forms; pairs of selectors of a and b only if they have few differences."""
    omitted = ("c",) if entry.is_c_optional else ()
    for form in iter_entry_forms(entry, omitted):
        if not (form.asel and form.bsel) or form.asel == form.bsel:
            yield with_c(form)


def _order_keys(plans: Iterable[Plan]) -> list[str]:
    """Return the keys of all rows, each after its predecessors in every plan."""
    keys: list[tuple[Stage, str]] = []
    for plan in plans:
        place = 0
        for row in plan.rows:
            key = (row.stage, row.key)
            if key in keys:
                place = max(place, keys.index(key) + 1)
            else:
                keys.insert(place, key)
                place += 1
    return [key for _, key in sorted(keys, key=lambda x: _ORDER[x[0]])]


class _Writer:
    """The lines of all forms of an entry, and the names of their variables."""

    def __init__(self, entry: Entry, forms: list[Form], plans: list[Plan]) -> None:
        self.entry, self.forms, self.plans = entry, forms, plans
        self.rows = [{row.key: row for row in plan.rows} for plan in plans]
        self.all_rows = {key: row for rows in reversed(self.rows) for key, row in rows.items()}
        names = [slot.name for slot in entry.slots]
        self.places = [tuple(form.get(name) for name in names) for form in forms]
        self.groups: dict[str, set[str]] = {}
        self._names: dict[str, str] = {}
        self._group_keys()

    def _group_keys(self) -> None:
        """Group the operands that one row reads in different forms: they are one variable."""
        keys_by_input: dict[tuple[str, int], set[str]] = {}
        for rows in self.rows:
            for row in rows.values():
                if row.micro.operation not in ("select", "pack"):
                    for index, key in enumerate(row.inputs):
                        keys_by_input.setdefault((row.key, index), set()).add(
                            self._resolve(rows, key)
                        )
        for keys in keys_by_input.values():
            group = set().union(keys, *(self.groups.get(key, ()) for key in keys))
            self.groups |= dict.fromkeys(group, group)

    @staticmethod
    def _resolve(rows: Mapping[str, Row], key: str) -> str:
        row = rows.get(key)
        return row.inputs[0] if row and isinstance(row.micro, SpreadTruth) else key

    def name(self, key: str) -> str:
        """Return the variable of a row or an operand."""
        if key not in self._names:
            self._names[key] = self._find_name(key)
        return self._names[key]

    def _find_name(self, key: str) -> str:
        row = self.all_rows.get(key)
        if row is None:
            return "CC.CF" if key == "cc" else key
        if row.stage is Stage.WRITE or row.micro.operation == "merge":
            return "CC.CF" if row.name == "cf" else "d" if row.micro.is_merge else row.name
        group = self.groups.get(key, {key})
        operands = [x for x in group if x not in self.all_rows]
        names = sorted({x.rpartition(".")[2] for x in group} - {"not"})
        if operands:
            name = operands[0]
        elif len(names) == 1 and names[0] in "abc":
            name = {"a": "x", "b": "y", "c": "n" if row.stage is Stage.SELECT else "c"}[names[0]]
        elif "t" in names:
            name = "total" if row.stage is Stage.ACCUMULATE else "t"
        else:
            name = names[0] if names else "u"
        return f"{name}[i]" if row.lanes > 1 and name not in "xy" else name

    def is_readable(self, plan: Plan) -> bool:
        """Return whether every variable still holds the right number when a row reads it."""
        rows = {row.key: row for row in plan.rows}
        keys_by_name: dict[str, str] = {}
        for row in plan.rows:
            if isinstance(row.micro, SpreadTruth):
                continue
            for key in (self._resolve(rows, key) for key in row.inputs):
                if keys_by_name.get(self.name(key), key) != key:
                    return False
            keys_by_name[self.name(row.key)] = row.key
        return True

    # --- the texts of a line, by form -----------------------------------------------------

    def make_tree(self, key: str) -> Tree | None:
        """Return the texts of a row, by as few slots as possible; None if no text fits a form."""
        table: Table = {}
        forms = zip(self.places, self.forms, self.plans, self.rows, strict=True)
        for place, form, plan, rows in forms:
            table[place] = self._list_texts(key, form, plan, rows)
            if not table[place]:
                return None
        return make_tree(table, self.entry.slots)

    def _list_texts(
        self, key: str, form: Form, plan: Plan, rows: Mapping[str, Row]
    ) -> tuple[str, ...]:
        row, usual = rows.get(key), self.all_rows[key]
        if row is None:
            return ("", *self._list_identities(usual, form, plan, rows))
        if isinstance(row.micro, SpreadTruth):
            return ("",)
        if row.micro.operation == "pack" and rows[row.inputs[0]].micro.is_merge:
            return ("",)
        keys = [self._resolve(rows, x) for x in row.inputs]
        ranges = [self._find_range(plan, rows, x) for x in keys]
        names = [self.name(x) for x in keys]
        texts = list_expressions(Site(self.entry, form, row, names, ranges))
        is_idle = isinstance(row.micro, Extend) and names == [self.name(key)]
        return (*texts, *[""] * (is_idle and row.range.contains(ranges[0])))

    def _list_identities(
        self, usual: Row, form: Form, plan: Plan, rows: Mapping[str, Row]
    ) -> Iterator[str]:
        """Yield texts that leave a number unchanged, in the words of a row of other forms."""
        (source, *others) = usual.inputs
        if (usual.micro.reading is None and not isinstance(usual.micro, Wrap)) or others:
            return
        range_ = self._find_range(plan, rows, source)
        if source not in rows and all(x.role != source for x in plan.sources):
            return
        site = Site(self.entry, form, usual, [self.name(source)], [range_])
        for name, type_ in site.integer_types.items():
            if range_.fits_in(type_.bits, type_.signed):
                yield f"{name}({self.name(source)})"

    @staticmethod
    def _find_range(plan: Plan, rows: Mapping[str, Row], key: str) -> Range:
        """Return the range of a row, or of the bits of an operand."""
        if key in rows:
            return rows[key].range
        bits = next((x.type.bits for x in plan.sources if x.role == key), 64)
        return get_limits(bits, signed=False)

    # --- statements ----------------------------------------------------------------------

    def make_statements(self, key: str, tree: Tree) -> list[Statement]:
        """Return the assignment of a row, under the conditions of its tree."""
        row = self.all_rows[key]
        name = self.name(key)
        lanes = max(rows[key].lanes for rows in self.rows if key in rows)
        if row.micro.is_merge and f"{RESULT}d = " in str(tree):
            lanes = 1
        if chosen := _write_choice(tree):
            if chosen == name:
                return []
            text = chosen[1:] if chosen.startswith(RESULT) else f"{name} = {chosen}"
            remark, stage = self._describe(key), str(row.stage)
            return [Line(line, lanes, remark, stage) for line in text.split("\n")]
        if isinstance(tree, str):
            return []
        slot, branches = tree
        return self._make_branches(key, slot, branches)

    def _describe(self, key: str) -> str:
        """Return the title of a row's step, and the range of an exact result."""
        stage = self.all_rows[key].stage
        main = next(x for x in (f"{stage}.t", key) if x in self.all_rows)
        variants = {type(rows[main].micro): rows[main] for rows in self.rows if main in rows}
        titles = {format_stage_title(stage, [row]) for row in variants.values()}
        title = titles.pop() if len(titles) == 1 else str(stage)
        ranges = [rows[key].range for rows in self.rows if key in rows]
        range_ = Range(min(x.low for x in ranges), max(x.high for x in ranges))
        if self.all_rows[key].micro.is_exact and range_.bits <= _MAX_RANGE_BITS:
            return f"{title}, exact: {range_.low}..{range_.high}"
        return title

    def _make_branches(
        self, key: str, slot: Slot, branches: list[tuple[frozenset[object], Tree]]
    ) -> list[Statement]:
        (values, tree), *others = branches
        if not others:
            return self.make_statements(key, tree)
        then, otherwise = self.make_statements(key, tree), self._make_branches(key, slot, others)
        if not then:
            then, otherwise, values = otherwise, then, list_values(slot) - values
        return [If(slot, values, then, otherwise)] if then else []


_SLOT_WORD = re.compile(r"\b([abd]sel|mask|cmp|boolop|final|dot|product|[a-z]type(?!\(1\.0))\b")


class _FormWriter(_Writer):
    """The lines of a single form, in its own words: ``a.b0`` instead of ``a.asel``."""

    def make_tree(self, key: str) -> Tree | None:
        """Return the text of a row with the fewest names of slots; None if there is none."""
        texts = self._list_texts(key, self.forms[0], self.plans[0], self.rows[0])
        return min(texts, key=lambda x: len(_SLOT_WORD.findall(x)), default=None)


def _write_choice(tree: Tree) -> str:
    """Return a tree as one expression, ``c ? x : y``; empty if that is impossible or long."""
    if isinstance(tree, str):
        return tree
    slot, branches = tree
    texts = [_write_choice(x) for _, x in branches]
    if not all(texts) or any(x.startswith(RESULT) for x in texts):
        return ""
    parts = [
        f"{format_condition(slot, values)} ? {x} : "
        for (values, _), x in zip(branches, texts, strict=True)
    ]
    text = "".join(parts[:-1]) + texts[-1]
    is_nested = any("?" in x for x in texts[:-1])
    return "" if len(text) > _MAX_CHOICE or is_nested else text
