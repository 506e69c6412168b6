"""What `dev.py removal` deletes, and whose turn it is; CI runs it itself."""

from __future__ import annotations

from collections import Counter

import pytest

from ptxscope.feature import list_features
from tools.removal import CORE, choose_turn, list_dependents

FEATURES = list_features()


def test_what_needs_a_feature_goes_with_it() -> None:
    for feature in FEATURES:
        gone = list_dependents(feature.name)
        assert gone[0] == feature.name
        assert len({*gone}) == len(gone)
        for other in FEATURES:
            assert (other.name in gone) == (other is feature or bool({*other.needs} & {*gone}))


def test_each_feature_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    class Done:
        returncode = 0
        stdout = ""

    monkeypatch.setattr("tools.removal.subprocess.run", lambda *_, **__: Done)
    turns: Counter[str] = Counter()
    names = [*(feature.name for feature in FEATURES), CORE]
    for commit in range(len(names)):
        Done.stdout = f"{commit}\n"
        chosen = choose_turn(1)
        turns.update(chosen)
    assert turns == dict.fromkeys(names, 1)
