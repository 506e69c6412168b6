"""Features whose record is wrong: each is left out with one line, and nothing ends a start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ptxscope import feature as records
from ptxscope import trace
from ptxscope.cli import main
from ptxscope.cli.support.arguments import group_commands, map_commands
from ptxscope.documents import FORMATS, export, map_formats
from ptxscope.feature import Feature, FeatureError, Key, list_features, list_problems, load
from ptxscope.state.actions import ACTIONS, make_action, make_groups
from ptxscope.state.requests import ShowHint
from tests.driving.states import make_state

Install = Callable[..., None]

BEGINNING = "from ptxscope.feature import *\n"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs the text of modules, each of which has the record of a feature."""

    def clear() -> None:
        records.find_features.cache_clear()
        records.refused_parts.clear()
        group_commands.cache_clear()
        map_formats.cache_clear()

    def add(*texts: str) -> None:
        rows = []
        for number, text in enumerate(texts, 1):
            rows.append(f"other{number} = other{number}_feature:FEATURE")
            (tmp_path / f"other{number}_feature.py").write_text(BEGINNING + text)
            sys.modules.pop(f"other{number}_feature", None)
        info = tmp_path / "other-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
        (info / "entry_points.txt").write_text("\n".join(["[ptxscope.features]", *rows, ""]))
        monkeypatch.syspath_prepend(tmp_path)
        clear()

    yield add
    clear()


KEY = 'Key("{id}", "{group}", "pin", "{keys}", "other", "Do another thing", "other1_feature:run")'


def format_key(id_: str = "other", group: str = "See", keys: str = "") -> str:
    return f"FEATURE = Feature('other', keys=({KEY.format(id=id_, group=group, keys=keys)},))"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("raise ValueError('it is\\nbroken')", "it is broken"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("", "module 'other1_feature' has no attribute 'FEATURE'"),
        ("FEATURE = 5", "its record is not a Feature"),
        ("FEATURE = Feature('other', keys=5)", "'int' object is not iterable"),
        ("FEATURE = Feature('other', needs=('nobody',))", "it needs nobody"),
        (f"{format_key()}; FEATURE = FEATURE._replace(keys=FEATURE.keys * 2)", "its action other"),
        ("assert False", "AssertionError"),
    ],
)
def test_a_feature_with_a_wrong_record_is_left_out(
    text: str, reason: str, install: Install
) -> None:
    others = list_features()
    install(text)
    assert list_features() == others
    (problem,) = list_problems()
    assert problem.startswith("the feature other")
    assert f" is left out: {reason}" in problem
    assert "\n" not in problem


def test_the_second_feature_of_one_name_is_left_out(install: Install) -> None:
    before = list_features()
    install("FEATURE = Feature('same')", "FEATURE = Feature('same', needs=('nobody',))")
    assert list_features() == (*before, Feature("same"))
    assert list_problems() == ("the feature other2 is left out: same is the name of another",)


def test_what_needs_a_feature_that_is_left_out_is_left_out_too(install: Install) -> None:
    install(
        "FEATURE = 5",
        "FEATURE = Feature('two', needs=('one',))",
        "FEATURE = Feature('three', needs=('two',))",
    )
    assert "three" not in [x.name for x in list_features()]
    assert [x.rpartition("left out: ")[2] for x in list_problems()] == [
        "its record is not a Feature",
        "it needs one",
        "it needs two",
    ]


def test_two_features_with_one_key(install: Install) -> None:
    second = format_key("second", keys="f8").replace("'other'", "'second'")
    install(format_key(keys="f7,f8"), second)
    assert list_features()[-1].name == "other"
    assert list_problems() == ("the feature other2 is left out: its key f8 is that of other",)


OWN = "ptxscope has its own"


@pytest.mark.parametrize(
    ("text", "what", "reason"),
    [
        (format_key("pin"), "action pin", OWN),
        (format_key(group="None"), "action other", "there is no group None"),
        (format_key(keys="q,f7"), "key q", OWN),
    ],
)
def test_a_key_of_the_core_stays_its_own(
    text: str, what: str, reason: str, install: Install
) -> None:
    install(text)
    added = {x.id: x for actions in make_groups().values() for x in actions}
    assert list_problems() == (f"the {what} of the feature other is left out: {reason}",)
    if what == "key q":
        assert added.pop("other").keys == "f7"
    assert {id_: x.keys for id_, x in added.items()} == {id_: x.keys for id_, x in ACTIONS.items()}


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ("commands=(Command('trace', 'other', 'other1_feature', 'eval'),)", "command trace"),
        ("formats=(DocumentFormat('svg', 'other1_feature:x', ('x',), 'text'),)", "format svg"),
    ],
)
def test_a_command_and_a_format_of_the_core_stay_its_own(
    fields: str, what: str, install: Install
) -> None:
    commands, formats = dict(map_commands()), [*FORMATS]
    install(f"FEATURE = Feature('other', {fields})")
    assert dict(map_commands()) == commands
    assert [*FORMATS] == formats
    assert list_problems() == (f"the {what} of the feature other is left out: {OWN}",)


# --- what a record names is missing -------------------------------------------------------


@pytest.mark.parametrize("target", ["no_such_module:x", "ptxscope.nothing:x", "ptxscope.feature:x"])
def test_a_missing_target_is_named(target: str) -> None:
    module = target.partition(":")[0]
    with pytest.raises(FeatureError, match=f"a feature names .*{module}.*(missing|has no x)"):
        load(target)


def test_a_missing_command_is_an_error_of_one_line(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install(
        "FEATURE = Feature('other', commands=(Command('gone', 'x', 'nowhere.gone', 'eval'),"
        " Command('empty', 'x', 'other1_feature', 'gone')))"
    )
    for name, message in (
        ("gone", "a feature names the module nowhere.gone, which is missing"),
        ("empty", "a feature names other1_feature:run, but other1_feature has no run"),
    ):
        assert main([name]) == 2
        assert capsys.readouterr().err == f"error: {message}\n"


def test_a_missing_transition_or_condition_is_refused() -> None:
    state, record = make_state(), Key("x", "Edit", "", "", "x", "x", "nowhere:run")
    for wrong in (record, record._replace(check="nowhere:check")):
        (hint,) = make_action(wrong).perform(state)
        assert isinstance(hint, ShowHint)
        assert "a feature names the module nowhere, which is missing" in hint.text


def test_a_missing_renderer_is_an_error_of_one_line(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install(
        "FEATURE = Feature('other', formats=(DocumentFormat('x', 'nowhere:x', ('x',), 'svg'),))"
    )
    message = "a feature names the module nowhere, which is missing"
    with pytest.raises(FeatureError, match=message):
        export(trace("add.u32 d, a, b", {"a": 1, "b": 2}), "x")
    assert main(["trace", "add.u32 d, a, b", "a=1", "b=2", "-f", "x"]) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


# --- a start ------------------------------------------------------------------------------


def test_wrong_features_end_no_start(install: Install, tmp_path: Path) -> None:
    needy = "FEATURE = Feature('x', needs=('y',))"
    install("raise KeyError('\\x1b[31mred')", format_key("pin"), needy)

    def start(*words: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])
        return subprocess.run(
            [sys.executable, *words],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )

    helped = start("-m", "ptxscope", "--help")
    assert helped.returncode == 0
    assert "  trace " in helped.stdout
    warnings = helped.stderr.splitlines()
    assert len(warnings) == 2
    assert all(x.startswith("warning: the feature ") for x in warnings)
    assert "\x1b" not in helped.stderr
    traced = start("-m", "ptxscope", "trace", "add.u32 d, a, b", "a=1", "b=2")
    assert (traced.returncode, traced.stderr) == (0, "")
    explorer = start(str(Path(__file__).parents[1] / "tools" / "one_frame.py"))
    assert explorer.returncode == 0, explorer.stderr
