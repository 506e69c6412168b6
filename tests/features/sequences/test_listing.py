"""Sequences that compute an intrinsic, as the explorer's listing shows them."""

from __future__ import annotations

from ptxscope.state.open_listing import open_listing
from tests.app.test_listing import listing, open_statements
from tests.driving.explorer import explorer
from tests.driving.states import make_state, open_text
from tests.tiers import sampled
from tools.nvcc_intrinsics import map_kernels, read_stored_ptx


def test_the_listing_of_the_explorer_folds_sequences() -> None:
    name = "__vaddss4"
    place = open_listing(map_kernels(read_stored_ptx("sm_90"))[name], "k.ptx")
    assert place
    rows = [row for row in place.rows if row.sequence]
    assert {row.sequence for row in rows} == {(0, 0)}
    assert [row.call for row in rows if row.call] == [
        "__vaddss4(%r3, %r5) → %r18  lines 19–24, 26, 28, 30, 32–38"
    ]
    assert rows[-1].call


def test_a_statement_of_two_sequences_is_a_row_of_neither() -> None:
    lines = ["vadd.u32.u32.u32 a, x, x; and.b32 u, a, 0x7f7f7f7f;"]
    for b in "bc":
        lines.append(f"xor.b32 t{b}, {b}, a; and.b32 v{b}, {b}, 0x7f7f7f7f;")
        lines.append(f"and.b32 w{b}, t{b}, 0x80808080; add.s32 s{b}, v{b}, u;")
        lines.append(f"xor.b32 d{b}, s{b}, w{b};")
    state = make_state()
    open_text(state, "\n".join(lines))
    assert state.cursor
    sequences = [row.sequence for row in state.cursor.rows]
    assert sequences == [None, None, *[(0, 0)] * 5, *[(0, 1)] * 5]


@sampled
async def test_a_sequence_is_one_row_until_the_cursor_is_in_it() -> None:
    kernel = map_kernels(read_stored_ptx("sm_90"))["__vmaxs4"]
    body = kernel[kernel.index("not.b32") : kernel.index("st.global")]
    line = "vadd4.u32.u32.u32 %r40, %r41, %r42, %r43;"
    text = f".entry k() {{ .reg .b32 %r<50>; {line} {body} ret; }}"
    async with explorer(size=(160, 50)) as drive:
        await open_statements(drive, text)
        assert "__vmaxs4(%r3, %r2) → %r13" in listing(drive)
        assert "needs %r3, %r2" in listing(drive)
        assert "lop3" not in listing(drive)
        await drive.press("down")
        assert "__vmaxs4(%r3, %r2) → %r13" in listing(drive)
        assert "lop3.b32 %r5, %r2, %r3, %r4, 0x8E" in listing(drive)
        assert "and.b32 %r10, %r5, %r2" in listing(drive)
