"""What could have gone into a merged lane, and where results stand."""

from __future__ import annotations

from ptxscope import trace
from ptxscope.scene.scene_builder import build_scene
from ptxscope.scene.scene_model import LaneRef


def test_a_merged_lane_replaces_only_its_own_part_of_c() -> None:
    values = {"a": 0x01020304, "b": 0, "c": 0x11223344}
    row = build_scene(trace("vadd4.u32.u32.u32 d.b1, a, b, c", values)).rows["merge.t"]
    assert {(x.source, x.target.lane) for x in row.links if not x.is_taken} == {
        (LaneRef("c", 1), 1),  # lane 1 takes t
        *((LaneRef("operate.t", lane), lane) for lane in (0, 2, 3)),
    }
    assert {x.source for x in row.links if x.is_taken} == {
        LaneRef("operate.t", 1), LaneRef("c", 0), LaneRef("c", 2), LaneRef("c", 3)
    }  # fmt: skip


def test_a_merged_scalar_has_one_possible_target_lane() -> None:
    row = build_scene(trace("vadd.u32.u32.u32 d.b2, a, b, c", dict.fromkeys("abc", 1))).rows[
        "merge.t"
    ]
    assert [x.target.lane for x in row.links if x.source.key == "operate.t"] == [2]
    assert [x.source for x in row.links if not x.is_taken] == [LaneRef("c", 2)]


def test_the_results_of_a_scene_are_the_last_rows() -> None:
    shown = build_scene(trace("setp.lt.u32 p|_, a, b", {"a": 1, "b": 2}))
    assert (shown.results, shown.discarded_results) == ((LaneRef("write.p", 0),), ())
    assert shown.rows["write.p"].destination_name == "p"
    assert build_scene(trace("setp.lt.u32 _, a, b", {"a": 1, "b": 2})).results == ()
    shown = build_scene(trace("@g selp.b32 %d, a, b, c", {"a": 1, "b": 2, "c": 1, "g": 0, "%d": 7}))
    assert shown.results == (LaneRef("guard.d", 0),)
    assert shown.rows["guard.d"].destination_name == shown.rows["write.d"].destination_name == "%d"


def test_the_old_predicate_under_a_false_guard_is_shown() -> None:
    values = {"a": 1, "b": 2, "g": 0, "p": 1, "q": 0}
    rows = build_scene(trace("@g setp.lt.u32 p|q, a, b", values)).rows
    assert str(rows["guard.p"].cells[0]).startswith("old p 1 ")
    assert str(rows["guard.q"].cells[0]).startswith("old q 0 ")
