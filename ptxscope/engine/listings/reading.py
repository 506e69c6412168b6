"""The statements of a PTX listing that may be one of the 27, read in one pass, chunk by chunk.

Nothing is parsed here: one regular expression finds opcodes, scopes and declarations, so that
the lines between them cost little. Memory is bounded by the longest statement.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ..isa.catalog import CATALOG
from ..text.errors import Span
from ..text.parser import scan

WINDOW = 200
"""Characters of a line that are kept on either side of a statement."""
LONGEST = 3 * WINDOW
"""Characters of a line that are kept from where something is wrong on."""
_DEEPEST = 200
"""Braces in braces whose declarations are told apart."""
_LONGEST = 1 << 20
"""A statement of more characters than this is taken to end there."""

_HEADER = 1 << 10
"""How far the names of variables and functions are looked for: what overlaps costs little."""

_EVENT = re.compile(
    r"""(?P<skip>"[^"\n]*+"|//[^\n]*+|/\*.*?\*/|\{[\w$%,\s]*+\})
      | (?P<comment>/\*)
      | (?P<scope>[{}])
      | (?P<reg>\.reg\s)
      | (?P<function>\.(?:entry|func)\b)
      | (?P<variable>(?<![\w$])\.(?:global|shared|const|local|param)\s)
      | \.version\s++(?P<version>\d++\.\d++)
      | \.target\s+(?P<target>[^\n/]*+)
      | (?P<opcode>(?<![\w.$%])(?!st\.|sub\.|sh[lr]\.)[sSvV][A-Za-z0-9]*+
         (?=[ \t]*+\.|\s++\.[a-z]|[ \t]++[\w$%]++[ \t]*+[,|]))""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_ALONE = re.compile(r"(?<![\w.$%])[sSvV][A-Za-z0-9]*+\s++\Z", re.ASCII)
"""What may be an opcode, with nothing behind it yet."""
_GUARD = re.compile(r"@\s*+(?:!\s*+)?+[\w$%]*+\s*+\Z", re.ASCII)
_OPCODES = "|".join(CATALOG)
_END = re.compile(
    r"//[^\n]*+|/\*.*?(?:\*/|\Z)|(?P<stop>[;{}])"
    rf"|\n\s*+(?P<line>(?=(?:@\s*+(?:!\s*+)?+[\w$%]++\s++)?+(?:{_OPCODES})\.))?",
    re.DOTALL | re.ASCII,
)
_DECLARATION_END = re.compile(r"[;){}]")
_DECLARED = re.compile(r"(?:^|\.reg\s)\s*+(\.v[24]\s*+)?\.(\w++)\s++([^.;)]*+)", re.ASCII)
_NAME = re.compile(r"([A-Za-z_$%][\w$]*+)\s*+(?:<\s*+(\d++)\s*+>)?", re.ASCII)
_VARIABLE = re.compile(r"(?<![\w$%.])[A-Za-z_$%][\w$]*", re.ASCII)
"""A name in a declaration that is no type or space."""
_VARIABLES_END = re.compile(r"[;){}=]")
_FUNCTION_END = re.compile(r"[{;]")
_FUNCTION = re.compile(r"\s*+(?:\([^)]*+\)\s*+)?+([\w$%]++)", re.ASCII)
_TARGET = re.compile(r"(?:sm|compute)_(\d+)")


class Place(NamedTuple):
    """Where something stands in a file, and the line it stands in."""

    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    excerpt: str
    """The line; only what is near, where it is very long."""
    span: Span
    """Which of the excerpt's characters are meant."""
    width: int = 0
    """How many characters of the line are meant, also beyond the excerpt."""


FUNCTION = ".func"
"""What a kernel or function is declared as."""


class Declared(NamedTuple):
    """What a name was declared as."""

    type: str
    """Of a register, as ``b32``; of a variable, its space, as ``.shared``."""
    vector: bool = False
    register: bool = True


class Context:
    """What a listing has said up to a statement: its version, its target, its registers."""

    def __init__(
        self, registers: dict[str, str] | None = None, elsewhere: Context | None = None
    ) -> None:
        self.version: tuple[int, int] | None = None
        self.target: int | None = None
        """The number of the lowest ``sm_`` that is named."""
        self.functions: dict[str, Declared] = {}
        self._scopes: list[_Scope] = [_Scope(registers or {})]
        self._deeper = 0
        """Braces that are open in the deepest scope."""
        self.elsewhere = elsewhere
        """What other texts of the same file declare, wherever it holds."""
        self._header: _Scope | None = None

    def type_of(self, name: str) -> str | None:
        """The declared type of a register, as ``b32``; None where it is not declared."""
        found = self.declared(name)
        return found.type if found and found.register else None

    def declared(self, name: str) -> Declared | None:
        """What a name was declared as; None where no declaration of it is in sight."""
        for scope in reversed(self._scopes):
            if (scope.names or scope.numbered) and (found := scope.look_up(name)):
                return found
        return self.functions.get(name)

    @property
    def declares(self) -> bool:
        """Whether registers are declared here: one that is not is unknown to an assembler.

        So it is in a kernel or function of a module that tells its version, too.
        """
        if self.version is not None and len(self._scopes) > 1:
            return True
        return any(scope.registers for scope in self._scopes)

    def module(self, version: str) -> None:
        """A ``.version``: what stood before was another module, and is forgotten."""
        major, _, minor = version[:9].partition(".")
        self.version = (int(major), int(minor or 0))
        self.target = self._header = None
        self._deeper = 0
        self.functions = {}
        del self._scopes[1:]
        self._scopes[0] = _Scope({})

    def function(self, header: str) -> None:
        """A function's header begins: what it declares belongs to its body."""
        if name := _FUNCTION.match(header):
            self.functions[name[1]] = Declared(FUNCTION, register=False)
        if len(self._scopes) == 1:
            self._header = _Scope({})

    def open(self) -> None:
        """A ``{``."""
        if len(self._scopes) > _DEEPEST:
            self._deeper += 1
            return
        self._scopes.append(self._header or _Scope({}))
        self._header = None

    def close(self) -> None:
        """A ``}``."""
        if self._deeper:
            self._deeper -= 1
        elif len(self._scopes) > 1:
            self._scopes.pop()

    def declare(self, text: str) -> None:
        """What stands behind ``.reg``: ``.b32 %r<22>, x``."""
        scope = self._header or self._scopes[-1]
        for part in _DECLARED.finditer(text):
            found = Declared(part[2], vector=part[1] is not None)
            for name in _NAME.finditer(part[3]):
                scope.declare(name[1], int(name[2][:9]) if name[2] else None, found)

    def variables(self, space: str, text: str) -> None:
        """What stands behind ``.shared`` and the like: ``.align 4 .b32 x[4]``."""
        scope = self._header or self._scopes[-1]
        for name in _VARIABLE.findall(text):
            if name not in scope.names:
                scope.names[name] = Declared(space, register=False)

    def set_target(self, text: str) -> None:
        """What stands behind ``.target``."""
        numbers = [int(number[:6]) for number in _TARGET.findall(text)]
        self.target = min(numbers) if numbers else None


class _Scope:
    """The registers that one pair of braces declares."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = {name: Declared(type_) for name, type_ in names.items()}
        self.numbered: dict[str, tuple[int, Declared]] = {}
        self.registers = False
        """Whether a ``.reg`` stands in it."""

    def declare(self, name: str, count: int | None, declared: Declared) -> None:
        self.registers = True
        if count is None:
            self.names[name] = declared
        else:
            self.numbered[name] = (count, declared)

    def look_up(self, name: str) -> Declared | None:
        if name in self.names:
            return self.names[name]
        if not self.numbered:
            return None
        stem = name.rstrip("0123456789")
        count, declared = self.numbered.get(stem, (0, None))
        number = name[len(stem) :].lstrip("0")[:10]
        return declared if len(stem) < len(name) and int(number or 0) < count else None


class Statement(NamedTuple):
    """A statement whose opcode is one of the 27, or is likely meant to be one."""

    text: str
    """From its guard to its ``;``, or to where that is missing."""
    opcode: int
    """Where in the text the opcode stands."""
    start: int
    """Where in the whole listing the text starts."""
    line: int
    column: int
    """Where the text starts."""
    before: str
    """What stands in front of it in its line."""
    after: str
    """What stands behind it in its last line."""
    context: Context
    """Holds what was said up to here, until the next statement is read."""

    def place(self, start: int, end: int) -> Place:
        """Where a range of the text stands."""
        lines = _line_starts(self.text)
        index = bisect_right(lines, start) - 1
        first = lines[index]
        last = lines[index + 1] - 1 if index + 1 < len(lines) else len(self.text)
        near = max(first, start - 2 * WINDOW)
        before = "" if near else self.before
        excerpt = before + self.text[near : min(last, start + LONGEST)]
        if last == len(self.text) and last - start <= LONGEST:
            excerpt += self.after
        column = (start - first + 1) if first else self.column + start
        shift = len(before) - near
        span = (start + shift, max(min(end + shift, len(excerpt)), start + shift))
        return Place(self.line + index, column, excerpt, span, max(min(end, last) - start, 0))


@lru_cache(maxsize=2)
def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))] if "\n" in text else [0]


def statements(chunks: Iterable[str], context: Context | None = None) -> Iterator[Statement]:
    """Every statement of a listing that may be one of the 27, in order.

    The chunks may end anywhere.
    """
    reader = _Reader(context or Context())
    waiting = list[str]()
    size = 0
    for chunk in chunks:
        waiting.append(chunk)
        size += len(chunk)
        # what is not read yet is looked at again when there is as much again
        if size > len(reader.text) - reader.at:
            reader.take("".join(waiting))
            yield from reader.read(reader.safe())
            waiting, size = [], 0
    reader.take("".join(waiting))
    yield from reader.read(len(reader.text), final=True)


_MEANT: dict[str, bool] = dict.fromkeys(CATALOG, True)


def _meant(opcode: str) -> bool:
    """Whether an opcode is one of the 27, or like one and unlike any other."""
    known = _MEANT.get(opcode)
    if known is None:
        if len(_MEANT) > 1 << 14:
            return False
        known = _MEANT[opcode] = any(True for _ in scan(f"{opcode}.u32;"))
    return known


class _Reader:
    """A window on the listing that moves forward."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.text = ""
        self.base = 0
        """Characters of the listing before the window."""
        self.at = 0
        """How far the window is read."""
        self.line = 1
        self.line_start = 0
        """Where the current line starts in the listing."""
        self.counted = 0
        """How far the window's line ends are counted."""
        self.in_comment = False
        self.semicolon = -1
        """The first in the window from where it was looked for; its length where there is none."""

    def take(self, chunk: str) -> None:
        """Move the window on; a little of what is read stays, for its line and its guard."""
        keep = max(self.at - WINDOW, 0)
        self._count(keep)
        self.text = self.text[keep:] + chunk
        self.base += keep
        self.at -= keep
        self.counted -= keep
        self.semicolon = -1

    def safe(self) -> int:
        """How far the window can be read before more of the listing is there."""
        end = self.text.rfind("\n", self.at) + 1
        if not end and len(self.text) - self.at > _LONGEST:
            end = self.text.rfind(";", self.at) + 1 or len(self.text)
        if alone := _ALONE.search(self.text, max(self.at, end - WINDOW), max(end, self.at)):
            end = alone.start()  # its modifiers may stand in the next line
        return end or self.at

    def read(self, limit: int, *, final: bool = False) -> Iterator[Statement]:
        text, context = self.text, self.context
        search, meant = _EVENT.search, _meant
        if self.in_comment:
            end = text.find("*/", self.at)
            if end < 0:
                self.at = len(text) if final else max(len(text) - 1, self.at)
                return
            self.in_comment, self.at = False, end + 2
        while (event := search(text, self.at, limit)) is not None:
            kind = event.lastgroup
            end = event.end()
            if kind == "opcode":
                if meant(event[0]):
                    end = self._end(event.end(), limit, final=final)
                    if end < 0:
                        self.at = event.start()
                        return
                    yield self._statement(event.start(), end)
            elif kind == "scope":
                context.open() if event[0] == "{" else context.close()
            elif kind == "reg":
                stop = _DECLARATION_END.search(text, end, limit)
                if stop is None and not final and limit - end < _LONGEST:
                    self.at = event.start()
                    return
                end = stop.start() if stop else limit
                context.declare(text[event.end() : end])
            elif kind == "variable":
                near = min(limit, end + _HEADER)
                stop = _VARIABLES_END.search(text, end, near)
                if stop is None and not final and limit - end < _HEADER:
                    self.at = event.start()
                    return
                context.variables(event[0].strip(), text[end : stop.start() if stop else near])
            elif kind == "function":
                near = min(limit, end + _HEADER)
                stop = _FUNCTION_END.search(text, end, near)
                if stop is None and not final and limit - end < _HEADER:
                    self.at = event.start()
                    return
                context.function(text[end : stop.start() if stop else near])
            elif kind == "version":
                context.module(event["version"])
            elif kind == "target":
                context.set_target(event["target"])
            elif kind == "comment":
                self.in_comment = True
                end = len(text) if final else len(text) - 1
                end = max(end, event.end())
                if (close := text.find("*/", event.end())) >= 0:
                    self.in_comment, end = False, close + 2
                self.at = end
                if self.in_comment or end > limit:
                    return
                continue
            self.at = end
        self.at = max(self.at, limit)

    def _end(self, start: int, limit: int, *, final: bool) -> int:
        """Where a statement ends; -1 where that is not to be seen yet."""
        if self.semicolon < start:
            self.semicolon = self.text.find(";", start)
            if self.semicolon < 0:
                self.semicolon = len(self.text)
        stop = self.semicolon
        if stop < limit and not _UNUSUAL.search(self.text, start, stop):
            return stop + 1
        depth = 0
        for match in _END.finditer(self.text, start, limit):
            if match["line"] is not None:
                return match.start()
            mark = match["stop"]
            if mark == ";":
                return match.end()
            if mark == "}" and not depth:
                return match.start()
            depth += (mark == "{") - (mark == "}")
        return limit if final or limit - start > _LONGEST else -1

    def _count(self, position: int) -> None:
        """Count the lines of the window up to a position."""
        if position <= self.counted:
            return
        found = self.text.count("\n", self.counted, position)
        if found:
            self.line += found
            self.line_start = self.base + self.text.rfind("\n", self.counted, position) + 1
        self.counted = position

    def _statement(self, opcode: int, end: int) -> Statement:
        text = self.text
        start, head = opcode, text[max(opcode - 80, 0) : opcode]
        if "@" in head and (guard := _GUARD.search(head)):
            start = opcode - len(head) + guard.start()
        self._count(start)
        line_start = max(self.line_start - self.base, start - WINDOW, 0)
        line_end = text.find("\n", end, end + WINDOW)
        return Statement(
            text[start:end],
            opcode - start,
            self.base + start,
            self.line,
            self.base + start - self.line_start + 1,
            text[line_start:start],
            text[end : line_end if line_end >= 0 else end + WINDOW],
            self.context,
        )


_UNUSUAL = re.compile(r"[{}\n/]")
_LINE_END = re.compile("\n")
