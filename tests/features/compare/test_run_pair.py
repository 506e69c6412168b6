"""Two runs of a counterexample: pairs of steps, positions, marks and memory, without widgets."""

from __future__ import annotations

import pytest

from ptxscope.documents.formats.report import write_report
from ptxscope.features.compare.comparison_report import iter_comparison_blocks
from ptxscope.features.compare.run_pair import RunPair, follow_pair, run_comparison
from tests.features.compare.kernel_texts import compare, make_kernel

pytest.importorskip("bitwuzla")

_INDEX = "mul.wide.u32 x, t, 8;\nadd.u64 O, O, x;\n"
_ONE = f"{_INDEX}add.u32 a, n0, 1;\nst.global.u32 [O], a;\nst.global.u32 [O+4], 7;"
_OTHER = f"{_INDEX}not.b32 c, n0;\nneg.s32 c, c;\nadd.u32 c, c, 1;\nst.global.u32 [O], c;\n" + (
    "st.global.u32 [O+4], 7;"
)


def pair_of(a: str, b: str, **options: str) -> RunPair:
    return run_comparison(compare(a, b, **options))


def texts_of(pair: RunPair) -> tuple[str, str]:
    """The next statements of both; empty for one that waits."""
    position = pair.position
    if position == len(pair.steps.pairs):
        return "", ""
    a, b = (
        "" if i is None else run.steps[i].statement.text
        for run, i in zip(pair.runs, pair.steps.pairs[position], strict=True)
    )
    return a, b


def test_the_runs_begin_at_the_store_that_first_leaves_other_bytes() -> None:
    pair = pair_of(_ONE, _OTHER)  # -(~n) = n + 1, and then 1 more
    assert texts_of(pair) == ("st.global.u32 [O], a", "st.global.u32 [O], c")
    assert [x.is_suspect for x in pair.runs[0].rows if x.text.startswith("st")] == [True, False]
    assert [x.is_suspect for x in pair.runs[1].rows if x.text.startswith("st")] == [True, False]
    word = pair.differences[0]
    assert word.values[1] == (word.values[0] + 1) & 0xFFFFFFFF
    first, second = (f"{x:#010x}" for x in word.values)
    assert pair.runs[0].message == f"param1[0] is {first} at the end; B leaves {second}."
    assert pair.runs[1].message == f"param1[0] is {second} at the end; A leaves {first}."


def test_steps_with_the_same_work_are_pairs() -> None:
    pair = pair_of(_ONE, _OTHER).move_to(0)
    seen = [texts_of(pair)]
    while pair.position < len(pair.steps.pairs):
        pair = pair.move_into()
        seen.append(texts_of(pair))
    assert ("add.u64 O, O, x", "add.u64 O, O, x") in seen
    assert ("", "not.b32 c, n0") in seen
    assert ("", "neg.s32 c, c") in seen
    assert ("add.u32 a, n0, 1", "add.u32 c, c, 1") in seen
    assert ("st.global.u32 [O+4], 7", "st.global.u32 [O+4], 7") in seen
    assert seen[-2:] == [("ret", "ret"), ("", "")]
    assert [len(x.steps) - x.position for x in pair.runs] == [0, 0]
    for side, run in enumerate(pair.runs):
        own = [x[side] for x in pair.steps.pairs if x[side] is not None]
        assert own == [*range(len(run.steps))]


def test_a_move_goes_through_both_runs_and_back() -> None:
    start = pair_of(_ONE, _OTHER).move_to(0)
    positions = [x.position for x in start.runs]
    assert positions == [0, 0]
    assert start.move_back() == start
    end = start.move_to_end()
    assert end.move_into() == end
    assert end.move_to_first_difference() == pair_of(_ONE, _OTHER)
    pair = start
    while (after := pair.move_to_difference(1)) != pair:
        assert after.move_to_difference(-1).position in (pair.position, after.position)
        pair = after
    assert texts_of(pair)[0] == "st.global.u32 [O], a"
    earlier = pair.move_to_difference(-1)
    assert texts_of(earlier) == ("add.u32 a, n0, 1", "add.u32 c, c, 1")
    assert earlier.move_to_difference(-1) == earlier


def test_a_function_is_stepped_over_or_into() -> None:
    function = (
        ".func (.param .b32 r) next(.param .b32 v)\n{\n.reg .b32 e;\nld.param.b32 e, [v];\n"
        "add.u32 e, e, 1;\nst.param.b32 [r], e;\nret;\n}\n"
    )
    called = make_kernel(
        ".param .b32 p0; .param .b32 r0; st.param.b32 [p0], n0; call (r0), next, (p0);\n"
        "ld.param.b32 a, [r0];\nst.global.u32 [O], a;"
    )
    called = called.replace(".visible", f"{function}.visible", 1)
    pair = pair_of(called, _OTHER).move_to(0)
    over, into = [pair], [pair]
    for seen, move in ((over, RunPair.move_over), (into, RunPair.move_into)):
        while (after := move(seen[-1])) != seen[-1]:
            seen.append(after)
    assert "add.u32 e, e, 1" in [texts_of(x)[0] for x in into]
    assert "add.u32 e, e, 1" not in [texts_of(x)[0] for x in over]
    assert over[-1] == into[-1]


def test_a_kernel_without_the_step_waits() -> None:
    pair = pair_of(_ONE, _OTHER).move_to_difference(-1).move_back()
    assert texts_of(pair) == ("", "neg.s32 c, c")
    assert "waits" in pair.format_side(0)
    assert "waits" not in pair.format_side(1)
    moved = pair.move_into()
    assert moved.runs[0].position == pair.runs[0].position
    assert moved.runs[1].position == pair.runs[1].position + 1


def test_the_values_that_differ_are_marked() -> None:
    pair = pair_of(_ONE, _OTHER).move_into()
    for run in pair.runs:
        marked = [x.text.split()[0] for x in run.rows if x.result.startswith("≠")]
        assert marked == ["add.u32", "st.global.u32"]
    before, after = (x.show_buffers("param1") for x in (pair.move_back(), pair))
    for first, second in (before, after):
        assert first
        assert second
        wrong = [x.hex_text != y.hex_text for x, y in zip(first.elements, second.elements)]  # noqa: B905
        assert [x.is_wrong for x in first.elements] == wrong
        assert [x.is_wrong for x in second.elements] == wrong
    assert before[0]
    assert after[0]
    assert not any(x.is_wrong for x in before[0].elements)
    assert [x.is_wrong for x in after[0].elements[:2]] == [True, False]
    assert pair.show_buffers("") == (None, None)


def test_the_cursor_is_in_one_kernel_and_both_runs_go_to_it() -> None:
    pair = pair_of(_ONE, _OTHER).move_to(0).with_side(1)
    place = next(x.place for x in pair.run.rows if x.text == "neg.s32 c, c")
    pair = pair.move_cursor_to(place).move_to_cursor()
    assert texts_of(pair) == ("", "neg.s32 c, c")
    assert pair.move_cursor(1).runs[0] == pair.runs[0]
    assert pair.move_cursor(1).run.line == pair.run.line + 1


@pytest.mark.parametrize(
    ("a", "b", "message", "other"),
    [
        (  # a guard: A writes 5 unless n is 9
            "setp.eq.u32 p, n0, 9;\n@!p st.global.u32 [O], 5;",
            "st.global.u32 [O], 5;",
            "param1[0] stays 0x",
            "param1[0] is 0x00000005 at the end",
        ),
        (  # an index: the words beside it
            "st.global.u32 [O+4], 5;",
            "st.global.u32 [O], 5;",
            "param1[0] stays 0x",
            "param1[0] is 0x00000005 at the end",
        ),
    ],
)
def test_a_kernel_that_does_not_write_the_word_says_so(
    a: str, b: str, message: str, other: str
) -> None:
    pair = pair_of(a, b)
    assert pair.runs[0].message.startswith(message)
    assert "; B writes 0x00000005." in pair.runs[0].message
    assert pair.runs[1].message.startswith(other)
    assert "st.global" in "".join(texts_of(pair))
    for run in pair.runs:
        assert [x.text for x in run.rows if x.is_suspect and "st" in x.text]


def test_the_first_word_of_a_vector_is_named_and_the_others_are_counted() -> None:
    stores = "st.global.v2.u32 [O], {{1, {}}};\nst.global.u32 [O+8], {};"
    pair = pair_of(stores.format(2, 3), stores.format(4, 3))
    assert pair.runs[0].message == "param1[1] is 0x00000002 at the end; B leaves 0x00000004."
    more = pair_of(stores.format(2, 3), "st.global.v2.u32 [O], {5, 4};\nst.global.u32 [O+8], 6;")
    assert more.runs[0].message == (
        "param1[0] is 0x00000001 at the end; B leaves 0x00000005. "
        "2 other words of this thread differ, too."
    )


def test_another_thread_is_followed_in_both() -> None:
    pair = pair_of(_ONE, _OTHER, where="ntid.x == 4 and tid.x == 2")
    assert pair.thread_text == "thread (2,0,0) of block (0,0,0)"
    other = follow_pair(pair.with_side(1), 1)
    assert [x.thread for x in other.runs] == [1, 1]
    assert other.side == 1
    assert texts_of(other)[0] == "st.global.u32 [O], a"


def test_kernels_that_are_equal_have_no_runs_to_show() -> None:
    with pytest.raises(ValueError, match="no run shows a difference"):
        pair_of(_ONE, _ONE)


def test_a_kernel_that_fails_is_shown_at_its_last_step() -> None:
    aligned = "ld.global.u32 a, [I]; st.global.u32 [O], a;"
    pair = pair_of(
        aligned.replace("[I]", "[I+2]"), aligned.replace("ld.global.u32 a, [I]", "mov.u32 a, 0")
    )
    fails = [x for x in pair.runs if x.result is None]
    assert [x.next_step for x in fails] == [None]
    assert [x.text for x in fails[0].rows if x.is_suspect] == ["ld.global.u32 a, [I+2]"]
    assert "line" in fails[0].message
    assert next(x.text for x in fails[0].rows if x.has_cursor) == "ld.global.u32 a, [I+2]"
    assert "has failed" in pair.format_side(pair.runs.index(fails[0]))
    assert "failed" not in pair.move_to(0).format_side(pair.runs.index(fails[0]))
    other = pair.runs[1 - pair.runs.index(fails[0])]
    assert other.message == "A fails."


def test_the_report_has_the_steps_that_differ() -> None:
    found = compare(make_kernel(_ONE), make_kernel(_OTHER))
    text = write_report(iter_comparison_blocks(found), "text")
    lines = [x.split() for x in text.partition("that differ\n")[2].splitlines()[:4]]
    assert [x[0] for x in lines] == ["A", "B", "A", "B"]
    assert [x[2] for x in lines] == ["add.u32", "add.u32", "st.global.u32", "st.global.u32"]
    values = [int(x[x.index("=") + 1], 16) for x in lines]
    assert values[:2] == values[2:] == [*found.replay.differences[0].values]  # type: ignore[union-attr]
