"""A listing's registers: which block they are of, what wrote them, what an erratum can change."""

from __future__ import annotations

from ptxscope.state.listing_transitions import paste_text
from ptxscope.state.open_listing import MAX_CHARS, open_listing
from ptxscope.state.requests import AskText, Focus, Notify, ShowOutcome
from ptxscope.state.setup import evaluate_setup, make_example
from tests.driving.states import answer, do, make_state, move_by, open_text, set_values


def test_a_register_of_an_inner_block_hides_the_outer_one_only_there() -> None:
    text = (
        ".reg .b32 a, b, d, e, f;\nmov.b32 a, 0x80ff7f01; mov.b32 b, 0x01010101;\n"
        "vsub4.u32.u32.u32 d, a, b, b;\n{ .reg .b32 a;\nmov.b32 a, 3;\n"
        "vadd.u32.u32.u32 e, a, a; }\nvsub4.u32.u32.u32 f, a, b, b;\n"
    )
    cursor = open_listing(text, "x.ptx")
    assert cursor is not None
    found = []
    for index, statement in enumerate(cursor.listing.programs[0].statements):
        if statement.explained_instruction:
            setup = cursor.move_to(0, index).make_setup(make_example("vadd"))
            found.append((setup.values["a"], evaluate_setup(setup).result))
    outer = {"d": 0x7FFE7E00}  # byte by byte: 80-1, ff-1, 7f-1, 01-1
    assert found == [(0x80FF7F01, outer), (3, {"e": 6}), (0x80FF7F01, {"f": outer["d"]})]


def test_the_line_that_wrote_other_bits_is_found() -> None:
    def expect(text: str) -> str:
        *_, outcome = do(state, "listing.expect", text)
        assert isinstance(outcome, ShowOutcome)
        return outcome.text

    state = make_state()
    open_text(
        state,
        "vadd4.u32.u32.u32 t, 1, 2, 0;\nvadd.u32.s32.s32.sat d.b1, a, 0, 5;\n"
        "vadd.u32.u32.u32.sat d.b0, 7, 0, d;\nmov.b32 e, d;",
    )
    assert "the run stops at line 2, which needs a" in expect("e=0x0000ff07")
    move_by(state, 1)
    set_values(state, a=0xFFFFFFFF)
    assert "line 2 wrote the bits that differ" in expect("e=0x0000ff07")
    assert state.cursor
    assert state.cursor.statement.line == 2
    assert "e is as observed" in expect("e=0x??????07")


def test_a_pasted_text_may_have_carriage_returns_and_be_wrong_or_too_long() -> None:
    state = make_state()
    text = "// a\rvadd.u32.u32.u32 x, a, b; // b\r\nvadd.u32.u32.u32 y, x, x;"
    answer(paste_text(state, text))
    assert state.cursor
    assert [row.line for row in state.cursor.rows] == [2, 3]
    before = state.setup
    (told,) = answer(paste_text(state, "x" * (MAX_CHARS + 1)))
    assert isinstance(told, Notify)
    assert told.text.startswith(f"more than {MAX_CHARS:,} characters")
    assert state.setup == before
    *_, focus = answer(paste_text(state, 'asm volatile("vadd4.u32.u32 %0,\n %1, %2, %3;" : )'))
    assert focus == Focus("line")
    assert state.setup.line == 'asm volatile("vadd4.u32.u32 %0, %1, %2, %3;" : )'
    assert state.setup.error
    assert "missing its type of b" in state.setup.error.message
    assert state.setup.instruction == before.instruction


def test_a_register_to_expect_is_asked_for_until_there_is_one() -> None:
    state = make_state()
    open_text(state, "vadd4.u32.u32.u32 t, 1, 2, 0;\nmov.b32 e, t;")
    first, told, again = do(state, "listing.expect", "z=1", None)
    assert isinstance(told, Notify)
    assert "`z` is not a register here" in told.text
    assert isinstance(first, AskText)
    assert first._replace(text="z=1") == again
