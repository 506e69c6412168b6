"""The keys by action, with the user's key map."""

from __future__ import annotations

from ptxscope.state.actions import map_key_names, map_keys
from ptxscope.widgets.base.explorer_app import ExplorerApp


def test_the_users_keys_take_the_place_of_the_tables() -> None:
    keys = map_keys({"quit": "x", "step.number": "f1, f2"})
    assert keys["quit"] == ("x",)
    assert keys["pin"] == ("equals_sign",)
    assert map_key_names(keys)["quit"] == ("x",)
    assert map_key_names(keys)["step.number"] == ("F1 … F2",)


def test_the_table_of_keys_is_made_once() -> None:
    app = ExplorerApp()
    assert app.action_keys is app.action_keys
    assert app.key_names is app.key_names
