"""What ``check`` makes of macros and of line markers.

Expected places follow C11 6.10.3 and 6.10.4 and GCC's documentation of line markers.
"""

from __future__ import annotations

from ptxscope.features.check.diagnostic import CheckedInstruction
from ptxscope.features.check.lint import check_source, check_text
from ptxscope.sources.source_language import Language, find_language

IO = ' : "=r"(d) : "r"(a), "r"(b));'


def check(text: str, **definitions: str | None) -> list[CheckedInstruction]:
    return list(check_source(text, "x.cu", Language.C, definitions))


def test_macros_with_exponential_growth_are_not_expanded() -> None:
    lines = [f"#define A{i} A{i + 1} A{i + 1}" for i in range(60)]
    text = "\n".join([*lines, '#define A60 "vadd4"', f'asm(A0 ".u32"{IO}'])
    (item,) = check(text)
    assert item.is_unreadable


PREPROCESSED = f"""\
# 0 "x.cu"
# 1 "/usr/include/stdc-predef.h" 1 3 4
# 1 "/opt/cuda/bin/../include/cuda_runtime.h" 1
# 9 "/opt/cuda/bin/../include/crt/device.h"
asm("vadd4.u32.u32 %0, %1, %2, %1;"{IO}
# 1 "x.cu" 2
# 3 "inc/y.cuh" 1
asm("vsub4.u32.u32 %0, %1, %2, %1;"{IO}
# 40 "x.cu" 2

asm("vmin4.u32.u32 "
  "%0, %1, %9, %1;"{IO}
#line 7
asm("vmax4.u32.u32 %0, %1, %2, %1;"{IO}
#line 70 "a\\"b.cu"
asm("vset4.u32.u32 %0, %1, %2, %1;"{IO}
"""


def test_line_markers_are_obeyed() -> None:
    assert find_language("-", PREPROCESSED) is Language.C
    items = list(check_text(PREPROCESSED, "-"))
    places = [
        (item.file, x.location.line, item.ptx.split(".")[0])
        for item in items
        for x in item.diagnostics
    ]
    assert places == [
        ("inc/y.cuh", 3, "vsub4"),
        ("x.cu", 41, "vmin4"),
        ("x.cu", 42, "vmin4"),
        ("x.cu", 7, "vmax4"),
        ('a"b.cu', 70, "vset4"),
    ]


def test_deeply_nested_macros_stay_unexpanded() -> None:
    deep = "A(" * 2000 + '"vadd4"' + ")" * 2000
    (item,) = check(f'#define A(x) x\nasm({deep} ".u32.u32.u32 %0, %1, %2, %1;"{IO}')
    assert item.is_unreadable
