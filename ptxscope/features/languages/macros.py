"""Macros of a C source, expanded in its asm statements.

A macro must be certain: defined in the same file outside of all conditions, or supplied by the
caller. Variadic macros are not expanded.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...engine.syntax.c_lexer import NAME, CToken, CTokenKind, iter_c_tokens
from ...engine.syntax.source import Fragment, TextFragment, join_fragments
from ...sources.preprocessor import Definition, Definitions, iter_definitions, read_definition
from ...sources.source_location import find_span

_WORD = re.compile(NAME)
_STRING_SPECIAL = re.compile(r'[\\"]')
_LITERALS = (CTokenKind.STRING, CTokenKind.RAW_STRING, CTokenKind.CHAR)
_MAX_CHARS = 1 << 14
"""Maximum characters of an asm statement for expanding macros."""
_MIN_TOKEN_BUDGET = 1 << 16
"""Minimum budget of expanded tokens in a file; it grows with the file's length."""
_MAX_DEPTH = 60
_MAX_NESTED = 20
"""Maximum nesting of macros around one with an asm statement."""


class _Macro(NamedTuple):
    parameters: tuple[str, ...] | None
    """None for an object macro."""
    body: tuple[CToken, ...]


class _Event(NamedTuple):
    """A name is defined or undefined."""

    position: int
    macro: _Macro | None
    """None for an uncertain macro, or one that is not expanded."""


class _Body(NamedTuple):
    """The range of a definition, its macro's name, and the names of its parameters."""

    start: int
    end: int
    name: str
    parameters: frozenset[str]


class _TooLongError(Exception):
    """An expansion is too long or too deep."""


class Macros:
    """The macros of a C source."""

    def __init__(self, text: str, definitions: Definitions) -> None:
        self.text = text
        self.events = defaultdict[str, list[_Event]](list)
        self.bodies = list[_Body]()
        self.budget = _MIN_TOKEN_BUDGET + 4 * len(text)
        self._depth = 0
        for name, body in definitions.items():
            macro = None if body is None else _Macro(None, tuple(iter_c_tokens(body)))
            self.events[name].append(_Event(-1, macro))
        for directive, is_conditional in iter_definitions(text) if "define" in text else ():
            definition = read_definition(text[directive.rest_start : directive.end])
            if definition:
                name = definition.name
                names = frozenset(definition.parameters or ())
                self.bodies.append(_Body(*directive.span, name, names))
                is_certain = directive.word == "define" and not is_conditional
                macro = _make_macro(definition) if is_certain else None
                self.events[name].append(_Event(directive.start, macro))

    def expand_statement(self, start: int, limit: int) -> Fragment | None:
        """Return the asm statement at ``start`` with its macros expanded.

        ``limit`` is the start of the next statement. The result is None if there is nothing to
        expand. The positions are in the source.
        """
        if not self.events:
            return None
        body = self._find_body(start)
        end = min(limit, start + _MAX_CHARS)
        code = self.text[start:end]
        if not any(x in code for x in self.events) or self.events.keys().isdisjoint(
            _WORD.findall(code)
        ):
            return None
        tokens, is_closed = self._read_call(start, end)
        if not is_closed:
            return None
        parts, copied_end = list[TextFragment](), start
        try:
            for first, last, expansion in self._expand_uses(tokens, start, body):
                use_start, use_end = tokens[first].start, tokens[last].end
                parts.append((self.text[copied_end:use_start], copied_end, 0))
                parts.append((_join(expansion), use_start, use_end - use_start))
                copied_end = use_end
        except _TooLongError:
            self._depth = 0
            return None
        if not parts:
            return None
        end = tokens[-1].end
        parts.append((self.text[copied_end:end], copied_end, 0))
        return join_fragments(x for x in parts if x[0])

    def find_definition(self, position: int) -> str:
        """Return the name of the macro whose definition contains a position; may be empty."""
        body = self._find_body(position)
        return body.name if body else ""

    def expand_calls(
        self, names: Iterable[str], code: str
    ) -> Iterator[tuple[frozenset[str], Fragment]]:
        """Yield the expansion of each call of some macros, with these and the others that it uses.

        ``code`` is the source with blanked comments and strings.
        """
        users = self._find_users(names)
        for name, start in self._find_calls(users, code):
            if expansion := self._expand_call(start):
                yield users[name] | {name}, expansion

    def _find_users(self, names: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return the macros that directly or indirectly use some of ``names``, and which of them.

        A macro counts as using itself.
        """
        users = {name: frozenset((name,)) for name in names}
        named = {x.name: frozenset(_WORD.findall(self.text, x.start, x.end)) for x in self.bodies}
        for _ in range(_MAX_NESTED):
            reached = {
                name: frozenset().union(*(users[x] for x in words & users.keys()))
                for name, words in named.items()
            }
            added = {x: users.get(x, frozenset()) | names for x, names in reached.items() if names}
            if all(users.get(x) == names for x, names in added.items()):
                break
            users |= added
        return users

    def _find_calls(self, names: Iterable[str], code: str) -> Iterator[tuple[str, int]]:
        """Yield the name and position of each use of some macros outside of definitions.

        ``code`` is the source with blanked comments and strings.
        """
        pattern = re.compile(rf"\b(?:{'|'.join(names)})\b(?=\s*+\()", re.ASCII)
        for match in pattern.finditer(code):
            if not self._find_body(match.start()):
                yield match[0], match.start()

    def _expand_call(self, start: int) -> Fragment | None:
        """Return the expansion of a macro's call at a position; None if uncertain."""
        tokens, _ = self._read_call(start, start + _MAX_CHARS)
        macro = self._find(tokens[0], start)
        use = _read_use(tokens, 0, macro) if macro else None
        if not macro or not use:
            return None
        arguments, end = use
        try:
            expansion = self._substitute(macro, arguments, start, {tokens[0].text})
        except _TooLongError:
            self._depth = 0
            return None
        width = tokens[end - 1].end - start
        return join_fragments([(_join(expansion), start, width)])

    def _read_call(self, start: int, end: int) -> tuple[list[CToken], bool]:
        """Return the tokens through the first closing parenthesis, and whether all are closed."""
        tokens, depth = list[CToken](), 0
        for token in iter_c_tokens(self.text, start, end):
            depth += (token.text == "(") - (token.text == ")")
            tokens.append(token)
            if token.text == ")" and not depth:
                break
        return tokens, not depth

    def _find_body(self, position: int) -> _Body | None:
        index = find_span(self.bodies, position)
        return self.bodies[index] if index >= 0 else None

    def _expand_uses(
        self, tokens: Sequence[CToken], position: int, body: _Body | None
    ) -> Iterator[tuple[int, int, list[CToken]]]:
        """Yield each use of a macro: its first and last token, and its expansion.

        ``body`` is the definition that contains the tokens.
        """
        index = next((i for i, x in enumerate(tokens) if x.text == "("), len(tokens))
        while index < len(tokens):
            macro = self._find(tokens[index], position)
            name = tokens[index].text
            if macro and body and (name in body.parameters or len(self.events[name]) > 1):
                macro = None  # a parameter, or redefined before the macro is used
            use = _read_use(tokens, index, macro) if macro else None
            if macro and use:
                arguments, end = use
                yield index, end - 1, self._substitute(macro, arguments, position, {name})
                index = end
            else:
                index += 1

    def _find(self, token: CToken, position: int) -> _Macro | None:
        """Return the macro with a token's name if it is certain at a position."""
        events = self.events.get(token.text) if token.kind is CTokenKind.NAME else None
        index = bisect_left(events, (position,)) - 1 if events else -1
        return events[index].macro if events and index >= 0 else None

    def _substitute(
        self, macro: _Macro, arguments: list[list[CToken]], position: int, hidden: set[str]
    ) -> list[CToken]:
        """Expand the body of a macro with its arguments."""
        values = dict(zip(macro.parameters or (), arguments, strict=True))
        expanded_values = dict[str, list[CToken]]()
        result, body, index = list[CToken](), macro.body, 0
        while index < len(body):
            token = body[index]
            following = _skip_blanks(body, index + 1)
            right = body[following] if following < len(body) else CToken(CTokenKind.BLANK, "")
            if token.text == "#" and right.text in values:
                result.append(_make_string(values[right.text]))
                index = following + 1
                continue
            if token.text == "##":
                while result and result[-1].kind is CTokenKind.BLANK:
                    result.pop()
                words = _trim(values.get(right.text, [right]))
                if result and words:
                    pasted_text = result.pop().text + words[0].text
                    result += [*iter_c_tokens(pasted_text), *words[1:]]
                else:
                    result += words
                index = following + 1
                continue
            if token.text in values:
                value = values[token.text]
                if right.text == "##":
                    result += _trim(value)
                else:
                    if token.text not in expanded_values:
                        expanded_values[token.text] = self._rescan(value, position, hidden)
                    result += expanded_values[token.text]
            else:
                result.append(token)
            self._spend(len(result) - index)
            index += 1
        return self._rescan(result, position, hidden)

    def _rescan(self, tokens: list[CToken], position: int, hidden: set[str]) -> list[CToken]:
        """Expand all macros in tokens except the hidden ones."""
        self._spend(len(tokens))
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _TooLongError
        result, index = list[CToken](), 0
        while index < len(tokens):
            token = tokens[index]
            macro = self._find(token, position) if token.text not in hidden else None
            use = _read_use(tokens, index, macro) if macro else None
            if macro and use:
                arguments, index = use
                result += self._substitute(macro, arguments, position, hidden | {token.text})
            else:
                result.append(token)
                index += 1
        self._depth -= 1
        return result

    def _spend(self, count: int) -> None:
        self.budget -= max(count, 1)
        if self.budget < 0:
            raise _TooLongError


def _make_macro(definition: Definition) -> _Macro | None:
    body = tuple(_trim(list(iter_c_tokens(definition.body))))
    names = definition.parameters
    is_variadic = names is not None and not all(map(_WORD.fullmatch, names))
    return None if is_variadic else _Macro(names, body)


def _skip_blanks(tokens: Sequence[CToken], index: int) -> int:
    while index < len(tokens) and tokens[index].kind is CTokenKind.BLANK:
        index += 1
    return index


def _trim(tokens: list[CToken]) -> list[CToken]:
    start, end = 0, len(tokens)
    while start < end and tokens[start].kind is CTokenKind.BLANK:
        start += 1
    while start < end and tokens[end - 1].kind is CTokenKind.BLANK:
        end -= 1
    return tokens[start:end]


def _read_use(
    tokens: Sequence[CToken], index: int, macro: _Macro
) -> tuple[list[list[CToken]], int] | None:
    """Return the arguments of the macro at an index, and the index after the use.

    The arguments are None if the name is not a use of the macro.
    """
    if macro.parameters is None:
        return [], index + 1
    index = _skip_blanks(tokens, index + 1)
    if index >= len(tokens) or tokens[index].text != "(":
        return None
    arguments, depth = [list[CToken]()], 1
    for end, token in enumerate(tokens[index + 1 :], index + 2):
        depth += (token.text == "(") - (token.text == ")")
        if not depth:
            arguments = [_trim(x) for x in arguments]
            if not macro.parameters and arguments == [[]]:
                arguments = []
            return (arguments, end) if len(arguments) == len(macro.parameters) else None
        if token.text == "," and depth == 1:
            arguments.append([])
        else:
            arguments[-1].append(token)
    return None


def _make_string(tokens: Sequence[CToken]) -> CToken:
    """Return an argument as a string literal (C11 6.10.3.2)."""
    text = "".join(
        _STRING_SPECIAL.sub(r"\\\g<0>", token.text) if token.kind in _LITERALS else token.text
        for token in tokens
    )
    return CToken(CTokenKind.STRING, f'"{text}"')


def _join(tokens: Sequence[CToken]) -> str:
    """Return the text of an expansion between blanks."""
    return f" {''.join(x.text for x in tokens)} "
