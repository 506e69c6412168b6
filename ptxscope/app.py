"""The Textual application."""

from __future__ import annotations

from collections.abc import Mapping

from textual.app import App
from textual.screen import Screen

from .engine.instruction import Instruction
from .screens.main import MainScreen
from .session import example, opened


class Explorer(App[None]):
    """The explorer, opened on an instruction or on an example."""

    TITLE = "ptxscope"

    def __init__(
        self,
        instruction: Instruction | None = None,
        values: Mapping[str, int] | None = None,
        model: str = "isa",
    ) -> None:
        super().__init__()
        if instruction is None:
            self._setup = example("vset4")
        else:
            self._setup = opened(instruction, values or {}, model)

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return MainScreen(self._setup)
