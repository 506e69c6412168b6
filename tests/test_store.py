"""What the explorer keeps is whole, whoever else writes it."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from ptxscope.state.setup import make_example
from ptxscope.state.state_store import SavedState, StateStore
from tests.driving.killed import PLACES, run_and_kill
from tests.tiers import ci_only, some


@ci_only
def test_two_explorers_that_end_together_save_one_valid_state(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def save(opcode: str) -> None:
        store = StateStore(tmp_path, tmp_path)
        try:
            for step in range(40):
                store.save(
                    SavedState(make_example(opcode), step=step, recent=[opcode] * (step % 7 * 50))
                )
        except BaseException as error:
            failures.append(error)

    StateStore(tmp_path, tmp_path).save(SavedState())
    savers = [threading.Thread(target=save, args=(x,)) for x in ("vset4", "vmad", "setp", "slct")]
    for saver in savers:
        saver.start()
    reader = StateStore(tmp_path, tmp_path)
    while any(saver.is_alive() for saver in savers):
        reader.load()
    assert reader.messages == []
    assert not failures
    assert [x.name for x in tmp_path.iterdir()] == ["explorer.json"]


@pytest.mark.parametrize("place", some(PLACES))
def test_a_process_that_is_killed_while_it_saves_leaves_one_whole_state(
    place: str, tmp_path: Path
) -> None:
    store = StateStore(tmp_path, tmp_path)
    store.save(SavedState(recent=["vmad"] * 500))
    code = """
from pathlib import Path
from ptxscope.state.state_store import SavedState, StateStore
StateStore(Path(), Path()).save(SavedState(recent=["vset4"] * 500))
"""
    run_and_kill(code, place, folder=tmp_path)
    saved = store.load()
    assert {*saved.recent} == {"vset4" if place == "replaced" else "vmad"}
    assert store.messages == []
    # what the killed process has left goes when it is certain that nobody writes it
    for left in tmp_path.glob(".ptxscope-*"):
        store.save(saved)
        assert left.exists()
        os.utime(left, (0, 0))
    store.save(saved)
    assert [x.name for x in tmp_path.iterdir()] == ["explorer.json"]


def test_an_unwritable_state_is_reported_and_the_old_state_is_kept(tmp_path: Path) -> None:
    store = StateStore(tmp_path, tmp_path)
    store.save(SavedState(recent=["vmad"]))
    store.state.rename(tmp_path / "before")
    store.state.mkdir()
    with pytest.raises(OSError, match=r"explorer\.json"):
        store.save(SavedState())
    store.state.rmdir()
    (tmp_path / "before").rename(store.state)
    assert json.loads(store.state.read_text())["recent"] == ["vmad"]


def test_each_damaged_state_is_kept(tmp_path: Path) -> None:
    store = StateStore(tmp_path, tmp_path)
    for text in ("first", "second", "third"):
        store.state.write_text(text)
        store.load()
    kept = {x.name: x.read_text() for x in tmp_path.iterdir()}
    assert kept == {
        "explorer.damaged": "first",
        "explorer.damaged-2": "second",
        "explorer.damaged-3": "third",
    }
    assert "explorer.damaged-3" in store.messages[-1]


def test_keys_are_read_however_deep_a_table_is(tmp_path: Path) -> None:
    store = StateStore(tmp_path, tmp_path)
    deep = ".".join("a" * 480)
    nested = "".join(f"[{'.'.join('b' * n)}]\n" for n in range(1, 480))
    store.keys.write_text(f'step.next = "j"\n{deep} = "x"\n{nested}')
    assert store.load_keymap() == {"step.next": "j"}
    assert store.messages == []
    store.keys.write_text(f"{'.'.join('a' * 100_000)} = 'x'")
    assert store.load_keymap() == {}
    assert "a line has more than 1000 characters" in store.messages[0]
