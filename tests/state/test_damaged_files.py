"""Files that are no listing, and saved states that are junk: named, set aside, never waited for."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.open_listing import MAX_CHARS, read_listing
from ptxscope.state.saved_listing import SavedListing
from ptxscope.state.setup import make_example
from ptxscope.state.state_store import SCHEMA, SavedState, StateStore, state_to_json
from tests.tiers import examples

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
_LISTING = SavedListing(
    *("k.ptx", "vadd4.u32.u32.u32 d, a, b, b;\nnot.b32 e, d;", "isa", ({"a": 7},), 0, 0),
    is_block=False,
    is_stepping=False,
    is_detached=False,
)
GOOD: dict[str, Any] = state_to_json(
    SavedState(
        *(make_example("vadd4"), make_example("vset4"), 2, ["vadd4"], "nord"), listing=_LISTING
    )
)


# --- a listing that is no listing ---------------------------------------------------------


@POSIX
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("fifo", "it is a FIFO"),
        ("folder", "it is a directory"),
        ("link", "it is a FIFO"),
        ("/dev/tty", "it is a device"),
        ("/dev/zero", "it is a device"),
        ("~nosuchuser/x", "the home folder of ~nosuchuser is not known"),
        ("large", "it has 4,000,001 bytes; the limit is 4,000,000"),
        ("long", " characters"),
        ("binary", "is not a text file"),
        ("n" * 300, "File name too long"),
        ("nul\0", "it is not a file name"),
    ],
)
def test_only_a_regular_file_of_a_bounded_size_is_read(
    name: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    Path("link").symlink_to("fifo")
    Path("folder").mkdir()
    Path("large").write_bytes(b" " * (4 * MAX_CHARS + 1))
    Path("long").write_bytes(b" " * (MAX_CHARS + 1))
    Path("binary").write_bytes(b"\x7fELF\0\0vadd.u32.u32.u32 d, a, b;")
    with pytest.raises(ValueError, match="^" + name[:1]) as caught:
        read_listing(name)
    assert why in str(caught.value)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
def test_a_listing_is_read_as_its_mark_says(mark: bytes, tmp_path: Path) -> None:
    encoding = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(mark, "utf-8")
    line = "vadd.u32.u32.u32 d, a, b; // é\n"
    path = tmp_path / "x.ptx"
    path.write_bytes(mark + line.encode(encoding))
    assert read_listing(str(path)) == line


@POSIX
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "secret.ptx"
    path.write_text("vadd.u32.u32.u32 d, a, b;", encoding="utf-8")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read everything")
    with pytest.raises(ValueError, match="Permission denied"):
        read_listing(str(path))


# --- a state that is junk -----------------------------------------------------------------


def kept_with(path: tuple[str, ...], value: object) -> dict[str, Any]:
    """A good state with something else in one place."""
    data: dict[str, Any] = json.loads(json.dumps(GOOD))
    inner = data
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return data


def test_what_a_feature_saved_is_kept_by_a_start_without_it(tmp_path: Path) -> None:
    part = {"lanes": [1, 2], "name": "é"}
    (tmp_path / "explorer.json").write_text(json.dumps({**GOOD, "other": part}), encoding="utf-8")
    store = StateStore(tmp_path, tmp_path)
    state = ExplorerState(make_example("vadd4"), store.load(), store)
    assert state.saved_parts == {"other": part}
    state.saved_parts["own"] = 7
    store.save(state.make_saved_state())
    assert StateStore(tmp_path, tmp_path).load().parts == {"other": part, "own": 7}
    assert not store.messages


def test_a_good_state_is_read(tmp_path: Path) -> None:
    (tmp_path / "explorer.json").write_text(json.dumps(GOOD), encoding="utf-8")
    store = StateStore(tmp_path, tmp_path)
    kept = store.load()
    assert not store.messages
    assert state_to_json(kept) == GOOD
    assert GOOD["schema"] == SCHEMA


NOTE = {"title": "", "caption": "", "notes": [{"text": "x", "stage": None, "lane": 0}]}
JUNK: list[tuple[tuple[str, ...], object]] = [
    (("recent",), ["nosuchopcode"]),
    (("recent",), [5]),
    (("recent",), {}),
    (("step",), float("inf")),
    (("step",), True),
    (("step",), None),
    (("theme",), ["nord"]),
    (("theme",), "\ud800"),
    (("setup",), []),
    (("setup", "values"), []),
    (("setup", "values", "a"), 5),
    (("setup", "values", "a"), "-0x1"),
    (("setup", "model"), "E99"),
    (("setup", "line"), None),
    (("setup", "line"), "\udfff"),
    (("setup", "instruction"), "nosuch.u32 d, a, b;"),
    (("setup", "annotations"), []),
    (("setup", "annotations"), {}),
    (("setup", "annotations", "notes"), 1),
    (("setup", "annotations", "notes"), [[]]),
    (("setup", "annotations", "notes"), [{**NOTE["notes"][0], "lane": -3}]),  # type: ignore[dict-item]
    (("setup", "annotations", "notes"), [{**NOTE["notes"][0], "lane": 1e400}]),  # type: ignore[dict-item]
    (("setup", "annotations", "notes"), [{**NOTE["notes"][0], "stage": "no"}]),  # type: ignore[dict-item]
    (("setup", "annotations", "title"), "\udc80"),
    (("pin", "values"), None),
]


@pytest.mark.parametrize(("path", "value"), JUNK)
def test_a_state_with_junk_in_it_is_set_aside(
    path: tuple[str, ...], value: object, tmp_path: Path
) -> None:
    (tmp_path / "explorer.json").write_text(json.dumps(kept_with(path, value)), encoding="utf-8")
    store = StateStore(tmp_path, tmp_path)
    assert store.load() == SavedState()
    assert "could not be read" in store.messages[0]
    assert (tmp_path / "explorer.damaged").exists()


@POSIX
@pytest.mark.parametrize("name", ["explorer.json", "keys.toml"])
def test_a_state_that_is_no_file_does_not_hang(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    store = StateStore(tmp_path, tmp_path)
    assert (store.load(), store.load_keymap()) == (SavedState(), {})
    assert "it is a FIFO" in store.messages[0]


def test_keys_that_are_junk_are_not_used(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text("a = " + "[" * 100_000, encoding="utf-8")
    store = StateStore(tmp_path, tmp_path)
    assert store.load_keymap() == {}
    assert "is not used" in store.messages[0]


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
_PLACES = [
    ("setup",),
    ("pin",),
    ("step",),
    ("recent",),
    ("theme",),
    ("listing",),
    *((top, name) for top in ("setup", "pin", "listing") for name in GOOD[top]),
    ("setup", "values", "a"),
    ("setup", "annotations", "notes"),
]


@examples(80)
@given(st.sampled_from(_PLACES), _VALUES)
def test_any_state_is_read_or_set_aside(path: tuple[str, ...], value: object) -> None:
    """What is read can be kept again, and is the same then."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as name:
        folder = Path(name)
        text = json.dumps(kept_with(path, value))
        (folder / "explorer.json").write_text(text, encoding="utf-8")
        store = StateStore(folder, folder)
        kept = store.load()
        if store.messages:
            assert kept == SavedState()
            return
        if kept.setup:
            assert ExplorerState(kept.setup, kept).trace.steps
        store.save(kept)
        assert state_to_json(StateStore(folder, folder).load()) == state_to_json(kept)
