"""State saved between runs: the explorer's, and the user's keys.

A damaged or foreign file is renamed, so that it never blocks the start.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from .. import files
from ..engine.isa.catalog import CATALOG
from ..engine.semantics.models import parse_model
from ..engine.syntax.errors import PtxError, make_printable
from ..engine.syntax.parser import parse
from ..engine.tracing.annotations import NOTHING, annotations_from_json, annotations_to_json
from .edits import with_line
from .saved_listing import (
    SavedListing,
    listing_from_json,
    listing_to_json,
    values_from_json,
    values_to_json,
)
from .setup import Setup, evaluate_setup

if TYPE_CHECKING:
    from ..engine.json_node import JsonNode

ValueT = TypeVar("ValueT")

SCHEMA = "ptxscope.state/1"
_MAX_FILE_CHARS = 1 << 22
"""Maximum bytes of a file."""
_MAX_WRITE_SECONDS = 3600
"""Age of an abandoned temporary file."""
_MAX_LINE_CHARS = 1000
"""Maximum characters of a line of the user's keys."""
_LANES = 4
"""Maximum lanes of an instruction."""


class SavedState(NamedTuple):
    """The explorer's state at its last end."""

    setup: Setup | None = None
    pin: Setup | None = None
    step: int = 0
    """The step shown; 0 is the last, -1 is before the first."""
    recent: Sequence[str] = ()
    """Opcodes, the latest first."""
    theme: str = ""
    is_result_revealed: bool = False
    """Whether the result is shown before its step."""
    guesses: Sequence[object] = ()
    """The predictions in the JSON of ``learn.prediction``."""
    predicting: bool = False
    """Whether the user predicts the step before it is shown."""
    listing: SavedListing | None = None
    """The open listing."""
    parts: Mapping[str, object] = MappingProxyType({})
    """The saved data of features, in JSON by key, including missing features'."""


class StateStore:
    """The files of one user; ``messages`` has their problems.

    Raise RuntimeError without folders for a user without a home.
    """

    def __init__(self, state: Path | None = None, config: Path | None = None) -> None:
        if state is None or config is None:
            from platformdirs import user_config_path, user_state_path

            state = state or user_state_path("ptxscope", appauthor=False)
            config = config or user_config_path("ptxscope", appauthor=False)
            if not (state.is_absolute() and config.is_absolute()):
                raise RuntimeError("there is no home folder")
        self.folder = state
        """The folder of the state's files, including features'."""
        self.state = state / "explorer.json"
        self.keys = config / "keys.toml"
        self.messages: list[str] = []

    def load(self) -> SavedState:
        """Return the saved state, or an empty state without a usable one."""
        return self.load_file(self.state, _state_from_json) or SavedState()

    def load_file(self, path: Path, parse: Callable[[JsonNode], ValueT]) -> ValueT | None:
        """Return the contents of a JSON file; None if there is no file, or if it was set aside."""
        try:
            text = files.read(path, _MAX_FILE_CHARS)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.messages += self.set_aside(error.strerror or str(error), path)
            return None
        import json

        from ..engine.json_node import parse_json

        try:
            data = parse_json(text.decode())
            # a lone surrogate can't be shown, copied or saved
            json.dumps(data.value, ensure_ascii=False).encode()
            return parse(data)
        except Exception as error:  # its evaluation may raise anything
            self.messages += self.set_aside(str(error) or type(error).__name__, path)
            return None

    def save(self, state: SavedState) -> None:
        """Save the state. Raise OSError if it cannot be written."""
        self.save_file(self.state, format_state(state))

    @staticmethod
    def save_file(path: Path, text: str) -> None:
        """Replace a file. Raise OSError if it cannot be written."""
        path.parent.mkdir(parents=True, exist_ok=True)
        for left_file in path.parent.glob(files.TEMPORARY_NAME.format("*")):
            with suppress(OSError):  # of a killed process
                if time.time() - left_file.stat().st_mtime > _MAX_WRITE_SECONDS:
                    left_file.unlink()
        files.replace(path, text.encode())

    def load_keymap(self) -> dict[str, str]:
        """Return action ids and the keys that the user assigned to them."""
        try:
            text = files.read(self.keys, _MAX_FILE_CHARS).decode()
            if len(max(text.splitlines(), key=len, default="")) > _MAX_LINE_CHARS:
                # tomllib takes memory by the square of the parts of a dotted key
                raise ValueError(f"a line has more than {_MAX_LINE_CHARS} characters")
            import tomllib

            keymap = tomllib.loads(text)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            why = getattr(error, "strerror", None) or str(error)
            self.messages.append(f"{self.keys} is not used: {why}")
            return {}
        return dict(_iter_keys(keymap))

    def set_aside(self, why: str, path: Path | None = None) -> list[str]:
        """Rename a saved file and return messages about it."""
        path = path or self.state
        aside, count = path.with_suffix(".damaged"), 1
        try:
            while os.path.lexists(aside):  # an earlier file may be the only copy of some work
                count += 1
                aside = path.with_suffix(f".damaged-{count}")
            path.replace(aside)
            place = f"; it is now {aside}"
        except OSError:
            place = ""
        return [f"the saved state could not be read ({make_printable(why)}){place}"]


_MAX_KEY_PARTS = 8
"""More than the parts of any action's id."""


def _iter_keys(table: dict[str, object], *prefix: str) -> Iterator[tuple[str, str]]:
    """Yield dotted keys and their values: ``[step] next = "j"`` equals ``"step.next" = "j"``."""
    for name, value in table.items():
        if isinstance(value, dict) and len(prefix) < _MAX_KEY_PARTS:
            yield from _iter_keys(value, *prefix, name)
        elif isinstance(value, str):
            yield ".".join((*prefix, name)), value


def format_state(state: SavedState) -> str:
    """Return the state as the text of a file."""
    import json

    return json.dumps(state_to_json(state), indent=1)


def state_to_json(state: SavedState) -> dict[str, object]:
    """Return the saved part of a state."""
    return {
        **state.parts,
        "schema": SCHEMA,
        "setup": _setup_to_json(state.setup),
        "pin": _setup_to_json(state.pin),
        "step": state.step,
        "recent": list(state.recent),
        "theme": state.theme,
        "asked": state.is_result_revealed,
        "guesses": list(state.guesses),
        "predicting": state.predicting,
        "listing": listing_to_json(state.listing),
    }


def _setup_to_json(setup: Setup | None) -> dict[str, object] | None:
    if setup is None:
        return None
    return {
        "instruction": str(setup.instruction),
        "line": setup.line,
        "values": values_to_json(setup.values),
        "model": setup.model,
        "annotations": annotations_to_json(setup.annotations),
    }


def _state_from_json(data: JsonNode) -> SavedState:
    """Parse the output of ``save``; raise ValueError for anything else."""
    data.check_schema(SCHEMA)
    recent = [*data.get_field("recent", list).iter_items(str)]
    for opcode in recent:
        if opcode.value not in CATALOG:
            raise opcode.make_error("this is not an instruction")
    guesses = data.value.get("guesses")
    listing = None
    if "listing" in data.value:
        listing = listing_from_json(data.get_field("listing", dict, type(None)))
    own_keys = state_to_json(SavedState())
    return SavedState(
        _setup_from_json(data.get_field("setup", dict, type(None))),
        _setup_from_json(data.get_field("pin", dict, type(None))),
        data.get_field("step", int).value,
        [opcode.value for opcode in recent],
        data.get_field("theme", str).value,
        data.value.get("asked") is True,
        guesses if isinstance(guesses, list) else (),
        data.value.get("predicting") is True,
        listing,
        {key: part for key, part in data.value.items() if key not in own_keys},
    )


def _setup_from_json(data: JsonNode) -> Setup | None:
    if data.value is None:
        return None
    name = data.get_field("model", str).value
    parse_model(name)
    values = values_from_json(data.get_field("values", dict))
    try:
        ins = parse(data.get_field("instruction", str).value)
    except PtxError as error:
        raise ValueError(error.message) from None
    annotations = NOTHING
    if "annotations" in data.value:
        annotations = annotations_from_json(data.get_field("annotations", dict))
    if any(note.lane is not None and note.lane >= _LANES for note in annotations.notes):
        raise ValueError(f"a note is on a lane from {_LANES} on")
    setup = with_line(
        Setup(ins, str(ins), values, name, annotations=annotations),
        data.get_field("line", str).value,
    )
    evaluate_setup(setup)
    return setup
