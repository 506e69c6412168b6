"""What the explorer keeps is whole, whoever else writes it."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from ptxscope.state.setup import make_example
from ptxscope.state.state_store import SavedState, StateStore


def test_two_explorers_that_end_at_once_leave_one_whole_state(tmp_path: Path) -> None:
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


def test_a_state_that_cannot_be_kept_is_told_and_what_was_kept_stays(tmp_path: Path) -> None:
    store = StateStore(tmp_path, tmp_path)
    store.save(SavedState(recent=["vmad"]))
    store.state.rename(tmp_path / "before")
    store.state.mkdir()
    with pytest.raises(OSError, match=r"explorer\.json"):
        store.save(SavedState())
    store.state.rmdir()
    (tmp_path / "before").rename(store.state)
    assert json.loads(store.state.read_text())["recent"] == ["vmad"]


def test_a_linked_state_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "explorer.json").symlink_to(tmp_path / "real" / "kept.json")
    store = StateStore(tmp_path / "link", tmp_path)
    store.save(SavedState(recent=["vmad"]))
    assert store.state.is_symlink()
    assert StateStore(tmp_path / "link", tmp_path).load().recent == ["vmad"]
