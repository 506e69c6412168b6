"""Texts that threads print by ``printf``, which nvcc compiles to a call of ``vprintf``.

The host formats it as C does. The arguments are in memory, each at a multiple of its size.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import copysign, isfinite

import numpy as np

from .memory_regions import WINDOW_BITS, find_space_of_window
from .thread_state import PrintedText, ThreadValues, WaveState

_MAX_STRING_BYTES = 1 << 12
_MAX_FIELD = 1 << 12
"""The largest width and precision."""
_MAX_CHARACTERS = 1 << 20
"""Limit of characters over all threads: a GPU has room for as many bytes."""
_DIRECTIVE = re.compile(
    r"%([-+ #0]*)(\*|[1-9][0-9]*)?(?:\.(\*|[0-9]*))?(hh?|ll?|[jztL])?([diouxXcfFeEgGaAsp%])"
)
"""Flags, width, precision, length and kind."""
_INTEGER_BYTES = {"hh": 1, "h": 2, "l": 8, "ll": 8, "j": 8, "z": 8, "t": 8}
"""The bytes of an integer by the length before its kind; 4 for any other."""
_PREFIX = re.compile("[-+ ]?(?:0[xX])?")
"""The sign and prefix before the zeros that pad a number."""
_UNKNOWN = "?"
"""The text of a value that is not known."""

ReadBytes = Callable[[int, int], bytes]
"""Function that returns the known bytes from a generic address on, up to a count."""
_TakeBits = Callable[[int], int | None]
"""Function that returns the next argument, of some bytes; None if it is unknown."""


class Printer:
    """Keeps the texts that the threads of a launch print."""

    def __init__(self) -> None:
        self.lost_count = 0
        """The calls whose text is not kept, since there is too much."""
        self._texts: list[tuple[int, PrintedText]] = []
        self._size = 0

    def print_text(
        self, state: WaveState, lane: int, line: int, arguments: Sequence[ThreadValues | None]
    ) -> None:
        """Keep the text of a call; the arguments are the addresses of the format and the values."""
        if self._size > _MAX_CHARACTERS:
            self.lost_count += 1
            return
        read = make_reader(state, lane)
        format_address, address = [*(find_integer(x, lane) for x in arguments), None, None][:2]
        text = format_text(read_string(read, format_address), read, address)
        number = int(state.wave.threads[lane])
        thread = state.wave.shape.format_thread(number)
        self._texts.append((number, PrintedText(thread, line, text)))
        self._size += len(text) + 1

    def list_texts(self) -> tuple[PrintedText, ...]:
        """Return the texts in the order of their threads, and each thread's in its own order."""
        return tuple(x for _, x in sorted(self._texts, key=lambda x: x[0]))


def iter_lines_of_texts(texts: Sequence[PrintedText]) -> Iterator[str]:
    """Yield the lines of texts; the first text of another thread begins a line."""
    start, thread = "", ""
    for x in texts:
        if start and x.thread != thread:
            yield start
            start = ""
        *lines, start = (start + x.text).split("\n")
        yield from lines
        thread = x.thread
    if start:
        yield start


# --- values in memory --------------------------------------------------------------------


def find_integer(values: ThreadValues | None, lane: int) -> int | None:
    """Return the bits of a lane; None if they are not known."""
    if values is None or (values.causes is not None and values.causes[lane]):
        return None
    return int(values.bits[lane])


def make_reader(state: WaveState, lane: int) -> ReadBytes:
    """Return a function that reads the memory of a thread."""
    return partial(_read_bytes, state, lane)


def _read_bytes(state: WaveState, lane: int, address: int, limit: int) -> bytes:
    space = state.spaces.get(find_space_of_window(address >> WINDOW_BITS) or "")
    offset = address & (1 << WINDOW_BITS) - 1
    region = space.find_region(offset) if space else None
    if space is None or region is None:
        return b""
    instances = state.instances.get(space.name)
    row, end = 0 if instances is None else int(instances[lane]), min(offset + limit, region.end)
    data, causes = space.read_row(row, offset, end)
    unknown = np.flatnonzero(causes) if causes is not None else np.zeros(0)
    return data[: unknown[0] if unknown.size else None].tobytes()


def read_string(read: ReadBytes, address: int | None) -> str:
    """Return the text at an address, up to its NUL; ``?`` if it is not known."""
    data = b"" if address is None else read(address, _MAX_STRING_BYTES)
    text, end, _ = data.partition(b"\0")
    is_known = end or len(data) == _MAX_STRING_BYTES
    return text.decode("utf-8", "replace") if is_known else _UNKNOWN


# --- formats -----------------------------------------------------------------------------


def format_text(text: str, read: ReadBytes, address: int | None) -> str:
    """Format values, which begin at an address, as ``printf`` does."""

    def take(size: int) -> int | None:
        nonlocal address
        if address is None:
            return None
        start = -(-address // size) * size
        address = start + size
        data = read(start, size)
        return int.from_bytes(data, "little") if len(data) == size else None

    return _DIRECTIVE.sub(lambda x: _format_directive(x, take, read), text)


def _format_directive(match: re.Match[str], take: _TakeBits, read: ReadBytes) -> str:
    flags, width_text, precision_text, length, kind = match.groups()
    if kind == "%":
        return "%"
    width, precision = (_take_field(x, take) for x in (width_text, precision_text))
    if width is not None and width < 0:
        flags, width = f"{flags}-", -width
    if precision is not None and precision < 0:
        precision = None
    is_integer, size = kind in "diouxX", _INTEGER_BYTES.get(length, 4)
    bits = take(max(size, 4) if is_integer or kind == "c" else 8)
    body, takes_zeros = _UNKNOWN, False
    if bits is None:
        pass
    elif is_integer:
        body = _format_integer(bits & (1 << 8 * size) - 1, size, flags, precision, kind)
        takes_zeros = precision is None
    elif kind == "s":
        body = (read_string(read, bits) if bits else "(null)")[:precision]
    elif kind in "cp":
        body = chr(bits & 0xFF) if kind == "c" else f"{bits:#x}" if bits else "(nil)"
    else:
        value: float = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
        body, takes_zeros = _format_float(value, flags, precision, kind), isfinite(value)
    width = width or 0
    if "-" in flags:
        return body.ljust(width)
    if "0" in flags and takes_zeros:
        start = len(_PREFIX.match(body)[0])  # type: ignore[index]
        return body[:start] + body[start:].rjust(width - start, "0")
    return body.rjust(width)


def _take_field(text: str | None, take: _TakeBits) -> int | None:
    """Return a width or a precision: a number, or an argument of type ``int``."""
    if text is None:
        return None
    number = int(text or "0") if text != "*" else ((take(4) or 0) ^ (1 << 31)) - (1 << 31)
    return max(min(number, _MAX_FIELD), -_MAX_FIELD)


def _format_integer(bits: int, size: int, flags: str, precision: int | None, kind: str) -> str:
    number, prefix = bits, ""
    if kind in "di":
        half = 1 << 8 * size - 1
        number = (bits ^ half) - half
        prefix = _choose_sign(number < 0, flags)
    digits = format(abs(number), "d" if kind in "diu" else kind).zfill(precision or 0)
    if precision == 0 and not bits:
        digits = ""
    if "#" in flags and kind == "o" and not digits.startswith("0"):
        prefix = "0"
    elif "#" in flags and kind in "xX" and bits:
        prefix = f"0{kind}"
    return prefix + digits


def _choose_sign(is_negative: bool, flags: str) -> str:
    return "-" if is_negative else next((x for x in "+ " if x in flags), "")


def _format_float(value: float, flags: str, precision: int | None, kind: str) -> str:
    sign, value = _choose_sign(copysign(1, value) < 0, flags), abs(value)
    mark = "#" if "#" in flags else ""
    if kind not in "aA" or not isfinite(value):
        kind = kind.translate(str.maketrans("aA", "fF"))
        return sign + f"%{mark}.{6 if precision is None else precision}{kind}" % value
    digits, _, exponent = value.hex().removeprefix("0x").partition("p")
    number = int(digits.replace(".", "").ljust(14, "0"), 16)
    places = 13 if precision is None else precision
    if places < 13:  # to the nearest, ties to even
        step = 1 << 4 * (13 - places)
        number = (number + step // 2 - (number % (2 * step) == step // 2)) // step
    whole, fraction = divmod(number, 1 << 4 * min(places, 13))
    text = f"{fraction:0{min(places, 13)}x}" if places else ""
    text = text.rstrip("0") if precision is None else text.ljust(places, "0")
    body = f"0x{whole}{'.' if text or mark else ''}{text}p{exponent}"
    return sign + (body.upper() if kind == "A" else body)
