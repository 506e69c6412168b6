"""What is kept between two runs of the explorer: where it was left, and the user's keys.

A file that is damaged, or was not written by ptxscope, is set aside under another name and
never in the way.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from .engine.annotations import NOTHING, from_json, to_json
from .engine.errors import PtxError
from .engine.models import model
from .engine.parser import parse
from .files import replace
from .session import Setup, with_line

SCHEMA = "ptxscope.state/1"


@dataclass(slots=True)
class Kept:
    """Where the explorer was left."""

    setup: Setup | None = None
    pin: Setup | None = None
    step: int = 0
    """The step shown; 0 is the last."""
    recent: list[str] = field(default_factory=list)
    """Opcodes, the latest first."""
    theme: str = ""


class Store:
    """The files of one user. ``messages`` says what went wrong with them."""

    def __init__(self, state: Path | None = None, config: Path | None = None) -> None:
        if state is None or config is None:
            from platformdirs import user_config_path, user_state_path

            state = state or user_state_path("ptxscope", appauthor=False)
            config = config or user_config_path("ptxscope", appauthor=False)
        self.state = state / "explorer.json"
        self.keys = config / "keys.toml"
        self.messages: list[str] = []

    def load(self) -> Kept:
        """What was kept; nothing where there is nothing, or nothing that can be used."""
        try:
            text = self.state.read_text(encoding="utf-8")
        except FileNotFoundError:
            return Kept()
        except (OSError, UnicodeDecodeError) as error:
            return self._set_aside(str(error))
        try:
            return _kept(json.loads(text))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            return self._set_aside(str(error) or type(error).__name__)

    def save(self, kept: Kept) -> None:
        """Keep it; raises OSError where that can't be done."""
        self.state.parent.mkdir(parents=True, exist_ok=True)
        replace(self.state, json.dumps(_as_json(kept), indent=1).encode())

    def keymap(self) -> dict[str, str]:
        """Action ids and the keys that the user gave them."""
        if not self.keys.exists():
            return {}
        import tomllib

        try:
            found = tomllib.loads(self.keys.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            self.messages.append(f"{self.keys} is not used: {error}")
            return {}
        return dict(_flat(found))

    def _set_aside(self, why: str) -> Kept:
        aside = self.state.with_suffix(".damaged")
        try:
            self.state.replace(aside)
            place = f"; it is now {aside}"
        except OSError:
            place = ""
        self.messages.append(f"what was kept could not be read ({why}){place}")
        return Kept()


def _flat(table: dict[str, object], prefix: str = "") -> list[tuple[str, str]]:
    """``[step] next = "j"`` and ``"step.next" = "j"`` alike."""
    found: list[tuple[str, str]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{name}.")
        elif isinstance(value, str):
            found.append((prefix + name, value))
    return found


def _as_json(kept: Kept) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "setup": _setup_as_json(kept.setup),
        "pin": _setup_as_json(kept.pin),
        "step": kept.step,
        "recent": kept.recent,
        "theme": kept.theme,
    }


def _setup_as_json(setup: Setup | None) -> dict[str, object] | None:
    if setup is None:
        return None
    return {
        "instruction": str(setup.instruction),
        "line": setup.line,
        "values": {role: hex(bits) for role, bits in setup.values.items()},
        "model": setup.model,
        "annotations": to_json(setup.annotations),
    }


def _kept(data: object) -> Kept:
    """Read what ``save`` wrote; raises ValueError, KeyError or TypeError for anything else."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(f"it is not {SCHEMA}")
    recent = data["recent"]
    if not isinstance(recent, list) or not all(isinstance(opcode, str) for opcode in recent):
        raise TypeError("recent is not a list of names")
    return Kept(
        _setup(data["setup"]),
        _setup(data["pin"]),
        int(data["step"]),
        recent,
        str(data["theme"]),
    )


def _setup(data: object) -> Setup | None:
    if data is None:
        return None
    if not isinstance(data, dict):
        raise TypeError("a setup is not an object")
    name = str(data["model"])
    model(name)
    values = {str(role): int(bits, 16) for role, bits in data["values"].items()}
    if any(bits < 0 or bits >> 64 for bits in values.values()):
        raise ValueError("a value has more than 64 bits")
    try:
        ins = parse(str(data["instruction"]))
    except PtxError as error:
        raise ValueError(error.message) from None
    annotations = from_json(data.get("annotations", to_json(NOTHING)))
    setup = Setup(ins, str(ins), values, name, annotations=annotations)
    return with_line(setup, str(data["line"]))
