"""The page's JavaScript reads exactly the names that Python provides."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import pytest

from ptxscope.features.page.explorer_page import ExplorerPage
from ptxscope.features.page.live_figure import LiveFigure
from ptxscope.features.page.page_actions import PAGE_ACTIONS
from ptxscope.features.page.page_view import make_view
from ptxscope.features.page.tool_table import map_panel_actions, map_tools
from ptxscope.state.actions import ACTIONS
from tests.features.page.default_site import make_default_site
from tests.features.page.test_site import FILES_FOLDER

SCRIPTS = {path.name: path.read_text("utf-8") for path in FILES_FOLDER.glob("*.js")}
INDEX = (FILES_FOLDER / "index.html").read_text("utf-8")
WORDS = ["vadd4.s32.s32.s32.sat d, a, b, c", "a=0x7f", "b=1", "c=0", "-f", "html"]


def find(script: str, pattern: str) -> list[str]:
    """The names in a script that a pattern finds, at least one."""
    names = re.findall(pattern, SCRIPTS[script])
    assert names, f"{script} has no {pattern}"
    return names


def read_lists(texts: Iterable[str]) -> set[str]:
    """The names in lists with commas: ``size, zones, links``."""
    return {name for text in texts for name in re.findall(r"\w+", text)}


def test_the_python_objects_have_all_names_that_javascript_reads() -> None:
    figure = LiveFigure(json.dumps(WORDS))
    assert {*find("page.js", r"(?<!features\.)\bpage\.(\w+)")} <= {*dir(ExplorerPage)}
    assert {*find("live.js", r"\blive\.(\w+)")} <= {*dir(figure)}
    wanted = {name for name in dir(ExplorerPage) if not name.startswith("_")}
    # what `dev.py page` reads, and what `handle` returns
    unread = {"svg", "format_changes"}
    assert wanted - {*find("page.js", r"(?<!features\.)\bpage\.(\w+)")} == unread
    answer = json.loads(figure.render('{"a": "1", "b": "1", "c": "0"}'))
    error = json.loads(figure.render('{"a": "<", "b": "1", "c": "0"}'))
    parts = find("live.js", r"\{(\w+): text, (\w+)\} = JSON\.parse\(await live\.render")
    assert {*parts[0]} == {*answer, *error}


@pytest.mark.parametrize("script", ["page.js", "live.js"])
def test_the_names_that_javascript_imports_exist(script: str) -> None:
    for name_ in find(script, r'make\("([\w.]+:\w+)"'):
        module, name = name_.split(":")
        assert hasattr(import_module(module), name), f"{module}:{name}"


def test_the_changes_have_all_names_that_javascript_reads() -> None:
    changes = json.loads(ExplorerPage().format_changes())
    read = {*find("page.js", r"\bchanges\.(\w+)"), *find("page.js", r'"(\w+)" in changes')}
    regions = {name for name in changes if name.startswith("#")}
    assert read <= {*changes}
    # the keys that decide whether Python redraws a picture
    assert {*changes} - read - regions == {"trace", "options"}
    ids = {*re.findall(r'\bid="([\w-]+)"', INDEX)}
    assert {name[1:] for name in regions} <= ids
    assert {*find("page.js", r'\bget\("([\w-]+)"\)')} <= ids


def test_the_zones_have_all_parts_that_javascript_reads() -> None:
    zones = json.loads(ExplorerPage().list_zones())
    assert zones["pictures"] == []  # nothing is drawn before the first changes
    page = ExplorerPage()
    page.format_changes()
    zones = json.loads(page.list_zones())
    (picture,) = zones["pictures"]
    assert {*find("page.js", r"\bzones\.(\w+)")} == {*zones}
    assert read_lists(find("picture.js", r"pictures\.map\(\(\{([\w, ]+)\}")) == {*picture}
    (parts,) = find("picture.js", r"const \[([\w, ]+)\] of zones\)")
    assert {len(zone) for zone in picture["zones"]} == {len(parts.split(","))}
    (parts,) = find("picture.js", r"links\.map\(\(\[([\w, ]+)\]")
    assert {len(link) for link in picture["links"]} == {len(parts.split(","))}


def test_the_completions_have_all_parts_that_javascript_reads() -> None:
    rows = json.loads(ExplorerPage().list_completions("vadd4."))
    (parts,) = find("page.js", r"options\.words\.map\(\(\[([\w, ]+)\]")
    assert {len(row) for row in rows} == {len(parts.split(","))}


def test_the_actions_that_javascript_and_markup_perform() -> None:
    actions = {*find("page.js", r'\bsend\("(\w+)"'), *find("picture.js", r'\bsend\("(\w+)"')}
    actions |= {*re.findall(r'data-(?:on|do)="(\w+)"', INDEX)}
    assert actions <= {*PAGE_ACTIONS, *ACTIONS}
    slow: Any = make_view(ExplorerPage().state)["slow"]
    assert {*slow} <= {*PAGE_ACTIONS, *ACTIONS}


def test_the_page_sends_all_arguments_that_actions_read() -> None:
    """They are data attributes and names of fields, and what the scripts pass with an action."""
    source = "".join(path.read_text("utf-8") for path in FILES_FOLDER.parent.glob("*.py"))
    read = {*re.findall(r'arguments(?:\.get\(|\[)"(\w+)"', source)}
    given = {*re.findall(r'\bdata_(\w+)=|"data_(\w+)":|\bname="(\w+)"', source)}
    given |= {*re.findall(r'\bdata-(\w+)="()()', INDEX)}
    passed = [
        *find("page.js", r"\bsend\([^,]+, (\{.*\})"),
        *find("page.js", r"return (\{compact, .*\});"),
        *find("picture.js", r"send\([^,]+, (\{.*\})"),
    ]
    assert read == read & {name for names in given for name in names} | read & read_lists(passed)


def test_the_actions_of_elements() -> None:
    page = ExplorerPage()

    def list_actions(child: object) -> Iterable[str]:
        if isinstance(child, list):
            if len(child) > 1 and isinstance(child[1], dict):
                yield from (child[1][x] for x in ("data-do", "data-on") if x in child[1])
            for x in child:
                yield from list_actions(x)

    seen = set[str]()
    for id_ in map_tools().values():
        page.handle(id_)
        seen |= {*list_actions([x for x in make_view(page.state).values() if isinstance(x, list)])}
    page.handle("predict")
    seen |= {*list_actions([x for x in make_view(page.state).values() if isinstance(x, list)])}
    assert (
        {"step", "step.next", "predict", "value", "guess"}
        <= seen
        <= {*PAGE_ACTIONS, *map_panel_actions(), *ACTIONS}
    )


def test_an_action_of_a_panel_has_a_name_of_its_own() -> None:
    assert not {*map_panel_actions()} & {*PAGE_ACTIONS, *ACTIONS}


def test_the_engine_settings_have_all_names_that_javascript_reads() -> None:
    config = json.loads(make_default_site()["engine.json"])
    assert {*find("worker.js", r"\bconfig\.(\w+)")} == {*config}
    file = next(iter(config["files"].values()))
    assert {*find("worker.js", r"\bfile\.(\w+)")} == {*file}


def test_the_opening_has_all_names_that_javascript_reads() -> None:
    opening = json.loads(make_default_site()["opening.json"])
    parts = find("opening.js", r"\{([\w, ]+)\} = this\.data") + find("opening.js", r"data\.(\w+)")
    assert read_lists(parts) == {*opening}
    assert {*find("opening.js", r"\bframe\.(\w+)")} == {*opening["frames"][0]}
    assert {*find("page.js", r"\bframe\.(\w+)")} <= {*opening["names"]}
