"""What threads print, against the ``printf`` of this machine's C library."""

from __future__ import annotations

import ctypes
import struct
import sys
from random import Random

import pytest

from ptxscope.features.kernels.launches.kernel_run import run_kernel
from ptxscope.features.kernels.launches.printed_text import format_text, iter_lines_of_texts
from ptxscope.features.kernels.launches.thread_state import LaunchError
from tests.driving.kernel_texts import read_kernels
from tests.features.kernels.test_launches import KERNEL_DATA
from tests.tiers import some

_FLOATS = (0.0, -0.0, 1.0, -1.5, 0.1, 2.5, 1.9999999, 255 / 256, 1e300, 5e-324, 1e-5, 123456789.0)
_SPECIAL = (float("inf"), -float("inf"), float("nan"))
_TEXT_ADDRESS = 1 << 20


class _Arguments:
    """Values as C takes them, and as a kernel has them in memory."""

    def __init__(self) -> None:
        self.values: list[ctypes._SimpleCData[int] | ctypes._SimpleCData[float] | object] = []
        self.data = b""

    def add(self, value: object, data: bytes) -> None:
        self.values.append(value)
        self.data += b"\0" * (-len(self.data) % len(data)) + data

    def add_int(self, value: int) -> None:
        self.add(ctypes.c_int(value), struct.pack("<i", value))

    def read(self, address: int, count: int) -> bytes:
        data = b"some text\0" if address >= _TEXT_ADDRESS else self.data[address:]
        return data[:count]


def _draw_directive(draw: Random) -> tuple[str, _Arguments]:
    flags = "".join(draw.sample("-+ #0", draw.choice([0, 0, 1, 2, 3])))
    width, precision = draw.choice(["", "5", "12", "*"]), draw.choice(["", ".", ".0", ".3", ".*"])
    kind = draw.choice("diouxXcfFeEgGaAs")
    length = draw.choice(["", "hh", "h", "l", "ll", "j", "z", "t"]) if kind in "diouxX" else ""
    arguments = _Arguments()
    for part in (width, precision):
        if "*" in part:
            arguments.add_int(draw.randint(0, 14))
    if kind in "diouxX":
        size = 8 if length in ("l", "ll", "j", "z", "t") else 4
        bits = draw.choice([0, 1, -1, 127, 128, draw.getrandbits(8 * size)]) % (1 << 8 * size)
        number = ctypes.c_uint64(bits) if size == 8 else ctypes.c_uint32(bits)
        arguments.add(number, bits.to_bytes(size, "little"))
    elif kind == "c":
        arguments.add_int(draw.randint(33, 126))
    elif kind == "s":
        arguments.add(ctypes.c_char_p(b"some text"), struct.pack("<q", _TEXT_ADDRESS))
    else:
        any_float = struct.unpack("<d", draw.randbytes(8))[0]
        value = draw.choice([*_FLOATS, *_SPECIAL, draw.uniform(-1e3, 1e3), any_float])
        arguments.add(ctypes.c_double(value), struct.pack("<d", value))
    arguments.add_int(draw.randint(-99, 99))
    return f"<%{flags}{width}{precision}{length}{kind}> 100%% %d", arguments


@pytest.mark.skipif(sys.platform != "linux", reason="needs a C library's printf")
@pytest.mark.parametrize("seed", some(range(8)))
def test_a_format_prints_as_in_c(seed: int) -> None:
    library, draw = ctypes.CDLL(None), Random(seed)
    for _ in range(4000):
        text, arguments = _draw_directive(draw)
        room = ctypes.create_string_buffer(4096)
        library.snprintf(room, 4096, text.encode(), *arguments.values)
        assert format_text(text, arguments.read, 0) == room.value.decode(), text


_KERNELS = read_kernels(KERNEL_DATA / "launches.ptx")
_PRINT = _KERNELS["print"]


def make_kernel(body: str) -> str:
    return _KERNELS["printing"].replace("BODY", body)


def test_threads_print_in_their_order() -> None:
    again = "setp.eq.u32 %p1, %r1, 0; @%p1 bra END; mov.f32 %f1, 0f7F800000;"
    result = run_kernel(make_kernel(f"{_PRINT} {again} {_PRINT} END:"), {}, grid=2, block=2)
    assert [x.thread for x in result.printed] == [
        f"thread ({x},0,0) of block ({y},0,0)" for y in (0, 1) for x in (0, 1, 1)
    ]
    block = ["0 of odd: 0", "1 of odd: 0.5", "1 of odd: inf"]
    assert list(iter_lines_of_texts(result.printed)) == 2 * block
    assert result.is_exact


def test_an_unknown_value_is_printed_as_a_question_mark() -> None:
    body = _PRINT.replace("cvt.f64.f32 %fd1, %f1;", "mov.u32 %r1, %clock;")
    (printed,) = run_kernel(make_kernel(body), {}).printed
    assert printed.text == "? of odd: ?\n"
    nan = f"mov.f32 %f1, 0f7FC00000; {_PRINT}"
    (printed,) = run_kernel(make_kernel(nan), {}).printed
    assert printed.text == "0 of odd: ?\n"


def test_a_failed_assertion_carries_its_message_and_the_earlier_output() -> None:
    message = r"an assertion fails: i < 3, in void k\(\), a\.cu:13$"
    with pytest.raises(LaunchError, match=message) as caught:
        run_kernel(make_kernel(_PRINT + _KERNELS["assert"]), {})
    assert [x.text for x in caught.value.printed] == ["0 of odd: 0\n"]
