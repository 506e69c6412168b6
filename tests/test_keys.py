"""The keys by action, with the user's key map."""

from __future__ import annotations

import re
from pathlib import Path

from ptxscope.state.actions import ACTIONS, make_bindings, map_key_names, map_keys
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


def test_the_readme_names_keys_of_the_explorer() -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"^Press `.*$", text, re.MULTILINE)
    names = {name for names in map_key_names(map_keys({})).values() for name in names}
    assert set(re.findall("`(.)`", sentence)) <= names


def test_at_most_thirty_actions_have_a_key() -> None:
    assert sum(bool(action.keys) for action in ACTIONS) <= 30


def test_a_capital_is_its_small_letter_reversed_or_nothing_else() -> None:
    actions = {key: action.action for action in ACTIONS for key in action.keys.split(",")}
    both = [(key, key.lower()) for key in actions if key.isupper() and key.lower() in actions]
    assert both == [("N", "n")]
    assert (actions["n"], actions["N"]) == ("step(1)", "step(-1)")


def test_an_action_without_a_key_is_named_by_the_palette() -> None:
    names = map_key_names(map_keys({}))
    assert names["note"] == ("^p note",)
    keys = map_keys({"note": "f9", "palette": "f8"})
    assert map_key_names(keys)["note"] == ("F9",)
    assert map_key_names(keys)["machine_code"] == ("F8 SASS",)
    ids = [binding.id for binding in make_bindings() if not isinstance(binding, tuple)]
    assert "note" in ids  # so that a key map can give it a key
