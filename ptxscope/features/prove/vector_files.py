"""Sets of operands with their results, as CSV, JSON, arrays of NumPy and C."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping

from ...documents.formats.json_text import format_json
from ...engine.isa.encodings import format_hex
from ...engine.isa.types import Type
from .operand_sets import Vectors

Columns = dict[str, tuple[Type, list[int]]]
_C_TYPES = {1: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t"}


def make_columns(vectors: Vectors) -> Columns:
    """Return the operands by name, then the results by name and model: ``d:isa``."""
    columns: Columns = {
        name: (type_, [x[name] for x in vectors.operands]) for name, type_ in vectors.inputs.items()
    }
    for model in vectors.models:
        results = [vectors.compute(model, x) for x in vectors.operands]
        for name, type_ in vectors.outputs.items():
            columns[f"{name}:{model.name}"] = type_, [x[name] for x in results]
    return columns


def render_csv(vectors: Vectors) -> str:
    """Render a line for each set, in hexadecimal, under a line of names."""
    columns, stream = make_columns(vectors), io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    texts = ([format_hex(x, type_.bits) for x in values] for type_, values in columns.values())
    writer.writerows(zip(*texts, strict=True))
    return stream.getvalue()


def render_json(vectors: Vectors) -> str:
    """Render the sets and the goals that they cover, as ``ptxscope vectors -f json`` does."""
    document = {
        "ptx": str(vectors.program),
        "operands": {name: type_.bits for name, type_ in vectors.inputs.items()},
        "results": {name: type_.bits for name, type_ in vectors.outputs.items()},
        "vectors": [
            {
                "operands": operands,
                "results": {
                    model.name: vectors.compute(model, operands) for model in vectors.models
                },
                **({"covers": vectors.covers[index]} if index < len(vectors.covers) else {}),
            }
            for index, operands in enumerate(vectors.operands)
        ],
        "impossible": vectors.impossible,
        "undecided": vectors.undecided,
        "fewest": vectors.is_fewest,
    }
    return format_json(document, indent=1) + "\n"


def render_npz(vectors: Vectors) -> bytes:
    """Render an array for each column; predicates are bool."""
    import numpy as np

    from ...engine.arrays.call_sequence import get_storage_dtype

    stream = io.BytesIO()
    arrays = {
        name: np.array(values, get_storage_dtype(type_))
        for name, (type_, values) in make_columns(vectors).items()
    }
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def render_c(vectors: Vectors) -> str:
    """Render an array of structures in C."""
    columns = make_columns(vectors)
    names = _make_c_names(columns)
    text = re.sub(r"\*/", "* /", str(vectors.program))
    lines = [f"/* {text} */", "#include <stdint.h>", "", "static const struct {"]
    for (name, (type_, _)), c_name in zip(columns.items(), names, strict=True):
        lines.append(f"    {_C_TYPES[type_.bits]} {c_name};  /* {name} */")
    lines.append("} vectors[] = {")
    rows = zip(*(values for _, values in columns.values()), strict=True)
    types = [type_ for type_, _ in columns.values()]
    lines += ("    {" + ", ".join(_format_c_row(types, row)) + "}," for row in rows)
    return "\n".join([*lines, "};", ""])


def _format_c_row(types: list[Type], row: tuple[int, ...]) -> Iterator[str]:
    for type_, value in zip(types, row, strict=True):
        yield format_hex(value, type_.bits) + ("u" if type_.bits <= 32 else "ull")


def _make_c_names(columns: Mapping[str, object]) -> list[str]:
    """Return a C identifier for each column: ``d_ptxas_13_5``."""
    names: list[str] = []
    for column in columns:
        name = re.sub(r"\W", "_", column.replace("%", "r" if column[1:2].isdigit() else ""))
        name = name if re.match(r"[A-Za-z_]", name) else f"v{name}"
        while name in names or name in _KEYWORDS:
            name += "_"
        names.append(name)
    return names


_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while vectors".split()
)

FORMATS: Mapping[str, Callable[[Vectors], str | bytes]] = {
    "csv": render_csv,
    "json": render_json,
    "npz": render_npz,
    "c": render_c,
}
