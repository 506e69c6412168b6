"""The listing of a CUDA source, by nvcc, with the names of the source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from ...cli.support.streams import CommandError
from ...engine.syntax.errors import make_printable
from ...feature import Service, find_services
from ...sources.c_source import blank_literals
from ...sources.source_language import Language, find_language
from ...sources.source_lines import UNSEEN_LISTING

_ENTRY = re.compile(r"\.entry\s++([\w$]++)\s*+\(([^)]*+)\)")
_PARAMETER = re.compile(r"[\w$]+_param_\d++")
_KERNEL = re.compile(
    r"\b__global__\b[^;{}()]{0,300}?(?:\b__\w++\s*+\([^()]*+\)[^;{}()]{0,300}?)*?"
    r"\b(?!__)(\w++)\s*+\("
)
_NUMBERED = re.compile(r"param\d{1,4}")
_LENGTH = re.compile(r"\d++")
_LOCAL = re.compile(r"_ZZ[\w$]*?E(?P<length>\d++)(?P<name>[A-Za-z_]\w*+)")
_WORD = re.compile(r"(?<![\w$%.])[A-Za-z_$][\w$]*+")
_SYMBOL = re.compile(_WORD.pattern + r"(?=[][,;+():=])")
"""A word of a listing that is no opcode."""
_LAST_NAME = re.compile(r"(\w++)\s*+(?>(?:\[[^]]*+\]\s*+)*)$")


def is_cuda_source(text: str, file: str) -> bool:
    """Return whether a text is CUDA C++ with kernels, and no listing of it."""
    return "__global__" in text and find_language(file, text) is Language.C


def has_kernel(text: str, name: str | None, parameters: Sequence[str]) -> bool:
    """Return whether a CUDA source has a kernel with one of some parameters; any without name."""
    return any(
        name in (None, kernel) and any(x in names or _NUMBERED.fullmatch(x) for x in parameters)
        for kernel, names in _iter_kernel_names(text)
    )


def list_parameters(text: str, kernel: str) -> list[str]:
    """Return the parameters of a kernel as its CUDA source declares them.

    The list is empty if no kernel, or several, have the name.
    """
    matches = [parameters for name, parameters in _iter_kernels(text) if name == kernel]
    return matches[0] if len(matches) == 1 else []


def compile_listing(file: str, text: str, *, is_optimized: bool = True) -> str:
    """Return the PTX of a CUDA source: its kernels and their parameters have the source's names.

    A kernel keeps the name that nvcc gave it if two have the same name in the source. Raise
    CommandError if there is no nvcc here, or it fails.
    """
    compilers = find_services(Service.COMPILE_CUDA)
    if not compilers:
        raise CommandError(
            "error: no feature here compiles CUDA; `nvcc -ptx -lineinfo` makes a listing of it"
        )
    try:
        listing: str = compilers[0](file, is_optimized=is_optimized)
    except ValueError as error:
        raise CommandError(f"error: {make_printable(str(error))}") from None
    return UNSEEN_LISTING + rename_symbols(listing, text)


def rename_symbols(listing: str, source: str) -> str:
    """Return a listing with the names of the source: of kernels, parameters, local variables."""
    parameters = dict(_iter_kernel_names(source))
    entries = [(x[1], _PARAMETER.findall(x[2])) for x in _ENTRY.finditer(listing)]
    written = {name: _find_written_name(name) for name, _ in entries}
    counts = Counter(written.values())
    symbols = {*_SYMBOL.findall(listing)} - written.keys()
    names = {name: short for name, short in written.items() if counts[short] == 1}
    for entry, entry_parameters in entries:
        own = parameters.get(written[entry], ())
        if len(own) == len(entry_parameters) == len({*own}) and all(own):
            names |= dict(zip(entry_parameters, own, strict=True))
    names |= _find_local_names(symbols, {*names.values()})
    names = {name: short for name, short in names.items() if short not in symbols}
    return _WORD.sub(lambda x: names.get(x[0], x[0]), listing)


def _find_local_names(symbols: Set[str], used_names: Set[str]) -> dict[str, str]:
    """Return the names of variables that functions declare, as of a tile in shared memory.

    Variables that share a name keep the names that nvcc gave them.
    """
    names: dict[str, str] = {}
    for symbol in sorted(symbols):
        match = _LOCAL.fullmatch(symbol)
        if match and len(match["name"]) == int(match["length"]):
            names[symbol] = match["name"]
    counts = Counter(names.values())
    return {
        x: short for x, short in names.items() if counts[short] == 1 and short not in used_names
    }


def _find_written_name(name: str) -> str:
    """Return the name of a function in its source, without namespaces and template arguments."""
    if not name.startswith("_Z"):
        return name
    is_nested = name.startswith("_ZN")
    position, written = 3 if is_nested else 2, name
    while match := _LENGTH.match(name, position):
        position = match.end() + int(match[0])
        written = name[match.end() : position]
        if not is_nested:  # the types of parameters follow
            break
    return written


def _iter_kernels(source: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each kernel of a source, and the declarations of its parameters."""
    text = blank_literals(source)
    for match in _KERNEL.finditer(text):
        yield match[1], [x.partition("=")[0] for x in _split(text, match.end())]


def _iter_kernel_names(source: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each kernel, and those of its parameters; an empty one for no name."""
    for name, declarations in _iter_kernels(source):
        yield name, [x[1] if x else "" for x in map(_LAST_NAME.search, declarations)]


def _split(text: str, start: int) -> list[str]:
    """Return the texts between the commas of a list of parameters, up to its parenthesis."""
    depth, parts = 0, [""]
    for character in text[start:]:
        if character == ")" and not depth:
            break
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [x.rstrip() for x in parts if x.strip()]
