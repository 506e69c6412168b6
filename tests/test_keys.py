"""The table of keys is made once for a keymap."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxscope.state.actions import key_names, keys_by_id


def test_the_table_of_keys_is_made_once() -> None:
    app: Any = SimpleNamespace(user_keymap={"quit": "x"})
    assert keys_by_id(app) is keys_by_id(app)
    assert key_names(app) is key_names(app)
    assert keys_by_id(app)["quit"] == ("x",)
    app.user_keymap["quit"] = "z"
    assert keys_by_id(app)["quit"] == ("z",)
    assert key_names(app)["quit"] == ("z",)
