"""The keys by action, with the user's key map."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import chain
from pathlib import Path

from textual.screen import Screen

import ptxscope
from ptxscope.feature import list_features
from ptxscope.screens.main.action_runner import ActionRunner
from ptxscope.screens.main.explorer_view import ExplorerView
from ptxscope.screens.main.main_screen import make_bindings
from ptxscope.state.actions import ACTIONS, map_key_names, map_keys
from ptxscope.state.requests import act
from ptxscope.widgets.base.explorer_app import ExplorerApp


def test_keys_of_the_user_replace_the_default_keys() -> None:
    keys = map_keys({"quit": "x", "step.number": "f1, f2"})
    assert keys["quit"] == ("x",)
    assert keys["pin"] == ("equals_sign",)
    assert map_key_names(keys)["quit"] == ("x",)
    assert map_key_names(keys)["step.number"] == ("F1 … F2",)


def test_the_table_of_keys_is_made_once() -> None:
    app = ExplorerApp()
    assert app.action_keys is app.action_keys
    assert app.key_names is app.key_names


def test_the_core_has_at_most_28_actions_with_a_key_and_a_feature_two() -> None:
    added = [[key.id for key in x.keys if key.keys] for x in list_features()]
    own = {x.id for x in ACTIONS.values() if x.keys} - {*chain(*added)}
    assert len(own) <= 28
    assert all(len(ids) <= 2 for ids in added)


def test_a_capital_letter_is_the_action_of_its_small_letter_reversed_or_enlarged() -> None:
    added = {key.id for feature in list_features() for key in feature.keys}
    actions = {
        key: action
        for action in ACTIONS.values()
        if action.id not in added
        for key in action.keys.split(",")
    }
    both = [(key, key.lower()) for key in actions if key.isupper() and key.lower() in actions]
    assert both == [("N", "n")]
    assert actions["n"].run is actions["N"].run
    assert (actions["n"].arguments, actions["N"].arguments) == ((1,), (-1,))


def test_the_manual_names_the_id_of_every_action() -> None:
    text = (Path(ptxscope.__file__).parents[1] / "docs" / "explorer.md").read_text("utf-8")
    named = re.findall(r"`([\w.]+)`", text.partition("The ids are:")[2])
    assert {*ACTIONS} <= {*named}
    assert len({*named}) == len(named)


def test_an_action_without_a_key_is_named_by_the_filter_of_the_menu() -> None:
    names = map_key_names(map_keys({}))
    assert names["note"] == ("^p note",)
    keys = map_keys({"note": "f9", "palette": "f8"})
    assert map_key_names(keys)["note"] == ("F9",)
    ids = [binding.id for binding in make_bindings() if not isinstance(binding, tuple)]
    assert "note" in ids  # so that a key map can give it a key


def test_every_request_of_a_transition_has_a_method_of_the_screen() -> None:
    root = Path(ptxscope.__file__).parent
    folders = ("state", "widgets", "features")
    texts = [x.read_text("utf-8") for name in folders for x in (root / name).rglob("*.py")]
    asked = {name for text in texts for name in re.findall(r'\b[Aa]ct(?:\(|, )"(\w+)"', text)}
    asked |= {str(x.arguments[0]) for x in ACTIONS.values() if x.run is act}
    assert {"leave", "escape", "go_back"} <= asked <= {*dir(ActionRunner), *dir(ExplorerView)}
    opened = [x for text in texts for x in re.findall(r'Open\(\s*"([\w.]+):(\w+)"', text)]
    assert len(opened) >= 3
    for module, name in opened:
        assert issubclass(getattr(import_module(f"ptxscope.screens.{module}"), name), Screen)
