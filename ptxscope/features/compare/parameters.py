"""Parameters of kernels as operands: a number or a pointer each, or the words of a structure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...engine.program.program import Program
from ...engine.program.variables import Variable

WORD_BYTES = 8
"""The bytes of a word of a structure, which may be a pointer."""
BUFFER_NAME = re.compile(r"param\d+(?:\.\d+)?")
"""The names of buffers: ``param0``, or ``param0.8`` if a structure points to it."""


_NUMBERED = re.compile(r"(?<![\w$%.])param(\d{1,4})(?!\w)")
_NAME = re.compile(r"(?!param\d)(?!\w*_param_\d+$)[A-Za-z_]\w*", re.ASCII)
"""A name that a programmer gave a parameter; those of nvcc have the kernel's name."""


def show_names(text: str, kernels: Sequence[Program]) -> str:
    """Return a text with the names of parameters that are the same in all kernels.

    Other parameters stay numbers: ``param0``.
    """

    def show(match: re.Match[str]) -> str:
        places = (x.parameters[int(match[1]) :][:1] for x in kernels)
        names = {y.name for x in places for y in x}
        name = names.pop() if len(names) == 1 else ""
        return name if _NAME.fullmatch(name) else match[0]

    return _NUMBERED.sub(show, text)


def is_structure(parameter: Variable) -> bool:
    """Whether a parameter is more than one number."""
    return parameter.is_array or parameter.element_count != 1


def get_field_name(position: int, parameter: Variable, offset: int) -> str:
    """Return the name of the operand with a byte of a parameter: ``param0``, ``param0.8``."""
    start = offset // WORD_BYTES * WORD_BYTES
    return f"param{position}.{start}" if is_structure(parameter) else f"param{position}"


def iter_field_names(position: int, parameter: Variable) -> Iterator[tuple[int, str]]:
    """Yield the bytes before each operand of a parameter, and its name."""
    for offset in range(0, parameter.bytes, WORD_BYTES):
        yield offset, get_field_name(position, parameter, offset)


# --- parts of the arguments of functions


def name_part(name: str, start: int, size: int) -> str:
    """Return a name, which no register has, for some bytes of an argument or a result."""
    return f"{name}+{start}:{size}"


def is_part(name: str) -> bool:
    """Whether a name is that of a part."""
    return ":" in name


def get_part_start(part: str) -> int:
    """Return the bytes before a part."""
    return int(part.rpartition("+")[2].partition(":")[0])


def get_part_bytes(part: str) -> int:
    """Return the size of a part in bytes."""
    return int(part.rpartition(":")[2])


def find_parts(name: str, names: Iterable[str]) -> list[str]:
    """Return the parts of a variable among names."""
    return [x for x in names if x.startswith(f"{name}+")]
