"""The command palette's providers: every action, every instruction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.types import IgnoreReturnCallbackType

from .engine.isa.catalog import CATALOG
from .engine.isa.intrinsics import intrinsics
from .keys import GROUPS
from .screens.main import MainScreen
from .widgets.browser import Browser


class Palette(CommandPalette):
    """Textual's palette, where there is no room for its list too."""

    def _action_command_list(self, action: str) -> None:
        """Move in the list; where none of it is laid out there is nowhere to go."""
        with suppress(LookupError):
            super()._action_command_list(action)


class _Command(NamedTuple):
    name: str
    about: str
    run: IgnoreReturnCallbackType


class _Commands(Provider):
    """Matches what is typed against a list of commands."""

    def commands(self) -> Iterator[_Command]:
        """The commands to match against."""
        raise NotImplementedError

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for name, about, run in self.commands():
            yield DiscoveryHit(Content(name), run, text=name, help=about)

    async def search(self, query: str) -> Hits:
        """What matches."""
        matcher = self.matcher(query)
        for name, about, run in self.commands():
            if score := matcher.match(f"{name} {about}"):
                yield Hit(score, Content(name), run, text=name, help=about)


class ActionCommands(_Commands):
    """The table of actions."""

    def commands(self) -> Iterator[_Command]:
        """Every action."""
        main = self.app.screen_stack[0]
        for group, actions in GROUPS.items():
            for action in actions:
                if action.is_command:
                    run = partial(main.run_action, action.action)
                    yield _Command(f"{group}: {action.label}", action.tooltip, run)


class InstructionCommands(_Commands):
    """The 27, and CUDA's intrinsics."""

    def commands(self) -> Iterator[_Command]:
        """Each opens its instruction."""
        main = self.app.screen_stack[0]
        assert isinstance(main, MainScreen)
        browser = main.query_one(Browser)

        def choose(message: Browser.Chosen) -> None:
            browser.post_message(message)

        for opcode, entry in CATALOG.items():
            message = Browser.Chosen(browser, opcode)
            yield _Command(opcode, entry.summary, partial(choose, message))
        for name, found in intrinsics().items():
            opcode = found.ptx.partition(".")[0]
            message = Browser.Chosen(browser, opcode, found)
            about = f"{found.ptx.partition(' ')[0]} {found.differs}".strip()
            yield _Command(name, about, partial(choose, message))
