"""The table of keys is made once for a keymap."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ptxscope.state.actions import map_key_names, map_keys


def test_the_table_of_keys_is_made_once() -> None:
    app: Any = SimpleNamespace(user_keymap={"quit": "x"})
    assert map_keys(app) is map_keys(app)
    assert map_key_names(app) is map_key_names(app)
    assert map_keys(app)["quit"] == ("x",)
    app.user_keymap["quit"] = "z"
    assert map_keys(app)["quit"] == ("z",)
    assert map_key_names(app)["quit"] == ("z",)
