"""The screen of the manual: a page as text, with its links."""

from __future__ import annotations

from itertools import chain
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ....screens.dialogs.dialog import AnswerScreen, DialogFrame
from ....screens.dialogs.key_menu import KeyMenu
from ....screens.dialogs.prompts import MenuDialog
from ....screens.main.action_runner import ActionRunner
from ....state.requests import AskItem, MenuItem
from ....widgets.base.explorer_app import PostedMessage
from ....widgets.base.form_fields import LINE_END_BINDINGS
from ....widgets.base.pane import Pane, StyledLine, StyledText
from ..page_text import lay_out_page
from ..pages import ManualPlace, find_link, find_place, list_pages, read_page

_MAX_COLUMNS = 92
"""Maximum columns of a line of text: longer ones are hard to read."""


def open_page(runner: ActionRunner) -> None:
    """Open the page about the focus of the screen below the menu of keys, or close the manual."""
    app = runner.view.screen.app
    if isinstance(app.screen, KeyMenu):
        app.screen.close_with(None)
    if isinstance(app.screen, ManualScreen):
        app.screen.close_with(None)
        return
    nodes = chain.from_iterable(
        (screen.focused or screen).ancestors_with_self for screen in reversed(app.screen_stack)
    )
    place = find_place(map(type, nodes), is_predicting=runner.state.is_predicting)
    app.push_screen(ManualScreen(place))


class ManualPane(Pane):
    """A page; Tab goes from link to link, and Enter follows one."""

    BINDING_GROUP_TITLE = "Manual"
    BINDINGS: ClassVar[list[BindingType]] = [
        *LINE_END_BINDINGS,
        Binding("space", "page_down", "Page down", show=False),
        Binding("tab", "move(1)", "Next link", show=False),
        Binding("shift+tab", "move(-1)", "Previous link", show=False),
        Binding("enter", "follow", "Follow the link", show=False),
    ]
    DEFAULT_CSS = """
    ManualPane { height: 1fr; border: none; &:focus { border: none; } }
    """

    class LinkFollowed(PostedMessage):
        """Posted to go where a link leads."""

        control: ManualPane
        href: str

    def __init__(self, place: ManualPlace) -> None:
        super().__init__("manual-page", "")
        self._place, self._link = place, -1
        self._links: list[tuple[str, int]] = []
        """The address and the line of each link."""
        self._anchors: dict[str, int] = {}

    def show(self, place: ManualPlace) -> None:
        """Show a page, from a heading on."""
        self._place, self._link = place, -1
        self.redraw_lines()
        self.scroll_to(y=self._anchors.get(place.heading, 0), animate=False)

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines of the page."""
        text = lay_out_page(read_page(self._place.page), min(width, _MAX_COLUMNS))
        self._anchors, self._links = text.anchors, []
        lines: list[StyledLine] = []
        href = ""
        for line in text.lines:
            lines.append([])
            for piece in line:
                if piece.href and piece.href != href:
                    self._links.append((piece.href, len(lines) - 1))
                href = piece.href or ("" if piece.text.strip() else href)
                number = len(self._links) - 1
                cursor = " cursor" if piece.href and number == self._link else ""
                target = number if piece.href else None
                lines[-1].append(StyledText(piece.text, f"{piece.style_name}{cursor}", target))
        return lines

    def action_move(self, delta: int) -> None:
        """Go to the next link or the one before, starting from the visible lines."""
        top = self.scroll_offset.y
        rows = range(top, top + self.size.height)
        visible = [number for number, (_, row) in enumerate(self._links) if row in rows]
        if self._link in visible or not visible:
            self._link = min(max(self._link + delta, 0), len(self._links) - 1)
        else:
            self._link = visible[0 if delta > 0 else -1]
        self.redraw_lines()
        self.show_target(self._link)

    def action_follow(self) -> None:
        """Go where the link under the cursor leads."""
        if self._link >= 0:
            self.post_message(self.LinkFollowed(self, self._links[self._link][0]))

    def handle_click(self, target: object) -> None:
        """Follow the clicked link."""
        if isinstance(target, int):
            self._link = target
            self.action_follow()


class ManualScreen(AnswerScreen[None]):
    """A page of the manual in a frame; links and a list lead to others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "choose_page", "Pages", show=False),
        Binding("backspace", "go_back", "Back", show=False),
        Binding("q", "leave", "Leave", show=False),
    ]

    def __init__(self, place: ManualPlace) -> None:
        super().__init__()
        self.place = place
        """The place that is shown."""
        self._visited: list[ManualPlace] = []

    def compose(self) -> ComposeResult:
        """Yield the page in a frame."""
        keys = "Tab Enter link · p pages · Backspace back · Esc leave"
        with DialogFrame("", keys, is_whole=True):
            yield ManualPane(self.place)

    def on_mount(self) -> None:
        """Show the page."""
        super().on_mount()
        self.call_after_refresh(self._show, self.place)

    def _show(self, place: ManualPlace) -> None:
        self.place = place
        self.query_one(DialogFrame).border_title = f"Manual · {list_pages()[place.page]}"
        self.query_one(ManualPane).show(place)

    def _go(self, place: ManualPlace) -> None:
        self._visited.append(self.place)
        self._show(place)

    def on_manual_pane_link_followed(self, event: ManualPane.LinkFollowed) -> None:
        """Go to another page; copy the address of a page that is elsewhere."""
        place = find_link(self.place.page, event.href)
        if place is None:
            self.copy(event.href, event.href)
        else:
            self._go(place)

    def action_go_back(self) -> None:
        """Go back to the page before, or leave the first."""
        if self._visited:
            self._show(self._visited.pop())
        else:
            self.action_leave()

    def action_choose_page(self) -> None:
        """Ask for a page."""
        names = list(list_pages())

        def go(index: int | None) -> None:
            if index is not None:
                self._go(ManualPlace(names[index]))

        items = [MenuItem(title) for title in list_pages().values()]
        request = AskItem("Manual", items, names.index(self.place.page))
        self.app.push_screen(MenuDialog(request), go)
