"""Help on every key, stage and glyph, made from the explorer's own tables."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen

from ...engine.micro_operations.properties import Flag, Stage
from ...engine.syntax.errors import make_printable
from ...engine.tracing.step_text import list_stage_names
from ...feature import FeatureError, arrange, list_features, load
from ...scene.scene_cells import GLYPHS
from ...state.actions import ACTIONS, GROUPS, format_key
from ...widgets.base.explorer_app import get_explorer_app
from ...widgets.base.form_fields import LINE_END_BINDINGS
from ...widgets.base.pane import Pane, StyledLine, StyledText, measure_line
from ...widgets.footer import FooterKey
from .dialog import Dialog, DialogFrame

STAGES = {
    Stage.SELECT: "Selects bytes, half-words or the whole word of the registers. `▐80▌ a.b3`: "
    "0x80, byte 3 of a. A source in another colour comes from another lane.",
    Stage.FLUSH: "With .ftz, subnormal inputs become zeros of the same sign.",
    Stage.EXTEND: "Reads the selected bits as a signed or unsigned number. `▒ff▐80▌ = -128`: the "
    "bits above 80 are copies of its top bit; `░00▐80▌ = 128`: they are zeros.",
    Stage.OPERATE: "The operation, on exact numbers: nothing wraps here.",
    Stage.COMPARE: "The comparison: ✓ 1 if it is true, ✗ 0 if it is not.",
    Stage.BOOLEAN: "Combines the comparison with the predicate c.",
    Stage.CHOOSE: "▶ marks the operand that is chosen.",
    Stage.SUM: "vmad: reads c, negates it if `-` is written, and adds it to the product.",
    Stage.CARRY: "addc, subc, madc: adds or subtracts the carry of an earlier instruction. .cc: "
    "writes the carry of this one.",
    Stage.SCALE: "vmad: .shr7 or .shr15 shifts the sum right.",
    Stage.SATURATE: "The clamp. `254 ▸ 127`: 254 is above the range and becomes 127. Below it is a "
    "number line. ├──●──┤: the exact result is in the range; `●◂╌╌○`: it is outside, on that side, "
    "and is moved to the end.",
    Stage.SECONDARY: "The secondary operation with c: .add, .min or .max.",
    Stage.MERGE: "`■ ▐7f▌`: the lane takes the result, truncated to its width; `□ ▐22▌ c.b2`: it "
    "keeps the bits of c.",
    Stage.ACCUMULATE: "A running sum from c over the lanes of the mask.",
    Stage.WRITE: "The destination's bits.",
    Stage.GUARD: "@p: if the predicate is false, the destination keeps its old value; with ptxas, "
    "some `set` convert it (E14).",
}
"""The purpose of each stage."""

GLYPH_WORDS = {
    Flag.CLAMPED_LOW: "it was below the range and is moved up",
    Flag.CLAMPED_HIGH: "it was above the range and is moved down",
    Flag.WRAPPED: "significant high bits are cut off",
    Flag.MASKED_OUT: "the lane keeps c's bits",
    Flag.FLUSHED: "a subnormal became zero",
    Flag.ROUNDED: "a float has too few bits for the number",
    Flag.NAN: "an input is not a number",
}


class HelpSection(NamedTuple):
    """Help on a panel; its bindings describe its keys."""

    text: str
    """Facts that its bindings do not describe."""
    classes: tuple[str, ...] = ()
    """The modules and names of the classes with its keys."""


_OWN_PANES = {
    "lanes": HelpSection(
        "the sources of the value under the cursor are underlined, the values that depend on it "
        "are in italics, and the operands show the exact bits; type over a chip of a register to "
        "change its value; a digit selects the source of a lane, as does "
        "dragging a wire from a chip to it, and Enter lists the choices; space or a click "
        "switches a lane of the mask, a bit of a word, or an entry of a truth table, whose "
        "formula Enter edits; < and > slide a window over a word; a click on a title goes to "
        "that step",
        ("widgets.lanes.lanes_pane:LanesPane",),
    ),
    "predict": HelpSection(
        "type the value of a lane of the next step, Enter checks it; h gives a hint; n shows the "
        "step, except where it means no; Enter after the last answer draws another line; Esc "
        "leaves and saves what you typed"
    ),
    "operands": HelpSection(
        "type a value, or edit it; Esc leaves", ("widgets.operand_table:OperandTable",)
    ),
    "modifiers": HelpSection(
        "× marks choices that are illegal here, with the reason; on a selector, a digit selects "
        "the lane's source; a left click goes to the next value, a right click or the wheel back",
        ("widgets.modifier_panes:ModifierTable", "widgets.modifier_panes:ModifierRow"),
    ),
    "line": HelpSection("u undoes all that you typed", ("widgets.ptx_line:PtxLine",)),
    "find": HelpSection(
        "names or words: average four bytes, clamp, mask, absolute difference",
        ("widgets.instruction_browser:InstructionBrowser",),
    ),
    "listing": HelpSection(
        "✗ marks an illegal line, ≠ an erratum that changes its result; a value that you give a "
        "register is used in the lines below",
        ("widgets.listing_pane:ListingPane",),
    ),
    "why?": HelpSection(
        "type the result that you got, with ? for each unknown digit; Enter goes to the "
        "explanations, Enter there compares one with the documented steps",
        ("screens.dialogs.explain_dialog:ExplainDialog",),
    ),
    "export": HelpSection(
        "arrows and Enter choose a format and the switches, ■ is on; Tab goes to the fields and "
        "the preview; Enter in a field saves",
        ("screens.dialogs.export_dialog:ExportDialog",),
    ),
}


def make_panes() -> dict[str, HelpSection]:
    """Return the sections of the core and of features, with the sentences that features add."""
    panels = [panel for feature in list_features() for panel in feature.help_panels]
    sections = dict(
        arrange(
            _OWN_PANES.items(),
            [(panel.name, panel) for panel in panels if panel.after],
            lambda panel: HelpSection(panel.text, panel.classes),
        )
    )
    for panel in panels:
        if not panel.after and (section := sections.get(panel.name)):
            text = f"{section.text}; {panel.text}"
            sections[panel.name] = section._replace(text=text)
    return sections


PANES = make_panes()
"""The panels. Help opens at the one that has the focus."""


def _load_class(target: str) -> type[DOMNode]:
    """Return the widget or screen of ``module:name``; the core's is named without its package."""
    is_own = target.startswith(("widgets.", "screens."))
    loaded: type[DOMNode] = load(f"{__package__.partition('.')[0]}.{target}" if is_own else target)
    return loaded


def is_of_screen(section: HelpSection) -> bool:
    """Return whether a section is about a screen, whose keys the footer does not have."""
    if not section.classes:
        return False
    try:
        return issubclass(_load_class(section.classes[0]), Screen)
    except FeatureError:  # which the description of its keys reports
        return True


def describe_keys(section: HelpSection) -> Iterable[tuple[str, str]]:
    """Return each key of a panel and what it does, once; arrows of one action are together."""
    return dict.fromkeys(_iter_keys(section))


def _iter_keys(section: HelpSection) -> Iterator[tuple[str, str]]:
    for target in section.classes:
        labels: dict[str, tuple[str, str]] = {}
        arrows: dict[str, str] = {}
        try:
            bindings = _load_class(target).BINDINGS
        except FeatureError as error:
            yield "!", make_printable(str(error))
            continue
        for binding in bindings:
            assert isinstance(binding, Binding)
            key = format_key(binding.key.partition(",")[0])
            label = f"{binding.description[:1].lower()}{binding.description[1:]}"
            if key[-1] in "←→↑↓":
                label = binding.action.partition("(")[0].replace("_", " ")
                modifier = key[:-1]
                arrows[modifier] = f"{arrows.get(modifier, modifier)}{key[-1]}"
                labels[f"{modifier} {label}"] = arrows[modifier], label
            else:
                labels.setdefault(binding.action, (key, label))
        yield from labels.values()


_MARKS = {
    "▐7f▌": "a chip: bits that move as one; of a in blue, of b in green, of c in violet",
    "▒ff": "copies of the sign, added above",
    "░00": "zeros, added above",
    "╱00╱": "bits outside of a window, which nothing reads",
    "1╳": "bits that are cut off, on the side where they were",
    "■ □": "a lane that is in the mask, and one that keeps the bits of c",
    "├─●─┤": "a range, and the position of a number in it; a number outside is moved to an end",
    "━⊕": "a running sum takes a lane",
    "▁▁▁": "a result that is hidden until its step",
}


def _list_glyphs() -> Iterator[tuple[str, str]]:
    """Yield each glyph and its meaning."""
    for flag, text in GLYPH_WORDS.items():
        yield GLYPHS[flag], f"{flag}: {text}"
    yield "≠", "the two answers, or the pinned evaluation, differ here"
    yield from _MARKS.items()


_KEYS = "↑ ↓ PgUp PgDn Home End · Esc leave"


class HelpDialog(Dialog[None]):
    """A page of text, opened at a section; any of the usual keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "show_all", "Everything", show=False, id="help"),
        Binding("q,enter", "leave", "Leave", show=False),
    ]

    def __init__(self, section: str, keys: Sequence[FooterKey], screen_text: str) -> None:
        super().__init__()
        self._text = HelpText(section, keys, screen_text)

    def compose(self) -> ComposeResult:
        """Yield the text."""
        with DialogFrame("Help", f"? everything · {_KEYS}"):
            yield self._text

    def action_show_all(self) -> None:
        """Show everything; the second time, return to the explorer."""
        if self._text.show_all():
            self.query_one(DialogFrame).border_subtitle = _KEYS
        else:
            self.close_with(None)


class HelpText(Pane):
    """The keys of a panel and the glyphs on the screen; on demand, every key, stage and glyph."""

    BINDINGS: ClassVar[list[BindingType]] = LINE_END_BINDINGS
    DEFAULT_CSS = """
    HelpText { height: auto; max-height: 100%; border: none; &:focus { border: none; } }
    """

    def __init__(self, section: str, keys: Sequence[FooterKey], screen_text: str) -> None:
        super().__init__("help", "")
        self._section, self._keys, self._screen_text = section, keys, screen_text
        self._section_row = 0
        self._is_full = False

    def show_all(self) -> bool:
        """Show everything, at the section; return whether it was not shown before."""
        was_full, self._is_full = self._is_full, True
        self.redraw_lines()
        self.call_after_refresh(self._show_section)
        return not was_full

    def _show_section(self) -> None:
        if self.visible_lines:
            self.scroll_to(y=self._section_row, animate=False)

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines of the page."""
        return self._draw_all(width) if self._is_full else self._draw_panel(width)

    def _draw_panel(self, width: int) -> list[StyledLine]:
        """Return the keys and the glyphs that matter now, side by side if there is room."""
        has_columns = width >= _TWO_COLUMNS
        room = width // 2 - 1 if has_columns else width
        keys: list[StyledLine] = [[StyledText(f"Keys: {self._section or 'steps'}", "focus")]]
        panel = [key for key in self._keys if key.node is not None]
        others = [key for key in self._keys if key.node is None]
        section = PANES[self._section] if self._section else None
        described = [*describe_keys(section)] if section and is_of_screen(section) else []
        taken = "".join(name for name, _ in described)
        panel = [key for key in panel if not all(name in taken for name, _ in key.names)]
        keys += _list_keys(panel, room)
        for name, text in described:
            keys += _entry_lines(name, text, room)
        if section:
            keys.append([])
            for text in section.text.split("; "):
                lines = textwrap.wrap(text, room, initial_indent="· ", subsequent_indent="  ")
                keys += [[StyledText(x)] for x in lines]
            keys.append([])
        keys += _list_keys(others, room)
        glyphs: list[StyledLine] = [[StyledText("On the screen", "focus")]]
        for glyph, text in _list_glyphs():
            signs = [x for x in glyph if not (x.isalnum() or x.isspace())]
            wanted = signs if glyph in _MARKS else [glyph]  # a mark has digits for example
            if all(x in self._screen_text for x in wanted):
                glyphs += _entry_lines(glyph, text, room)
        glyphs = glyphs if len(glyphs) > 1 else []
        if not has_columns:
            return [*keys, [], *glyphs]
        return [
            [*left, StyledText(" " * (width - room - measure_line(left))), *right]
            for left, right in zip_longest(keys, glyphs, fillvalue=())
        ]

    def _draw_all(self, width: int) -> list[StyledLine]:
        """Return the lines of the whole page."""
        lines: list[StyledLine] = []
        names = get_explorer_app(self).key_names
        for group, actions in GROUPS.items():
            lines += [[], [StyledText(group, "focus")]]
            for action in actions:
                lines += _entry_lines(" ".join(names[action.id]), action.tooltip, width)
        lines += [[], [StyledText("In the panels", "focus")]]
        for name, section in PANES.items():
            text = "; ".join((*map(" ".join, describe_keys(section)), section.text))
            if name == self._section:
                self._section_row = len(lines) - 1  # the first line is left out
            lines += _entry_lines(name, text, width, "focus" if name == self._section else "strong")
        lines += [[], [StyledText("The stages", "focus")]]
        for stage, text in STAGES.items():
            first, *others = list_stage_names(stage)
            also = f" Or {', '.join(others)}." if others else ""
            lines += _entry_lines(f"{first} …" if others else first, text + also, width)
        lines += [[], [StyledText("Glyphs", "focus")]]
        for glyph, text in _list_glyphs():
            lines += _entry_lines(glyph, text, width)
        lines += [[], *_wrap_text(_KEYMAP, width)]
        return lines[1:]


def _list_keys(keys: Sequence[FooterKey], width: int) -> Iterator[StyledLine]:
    for key in keys:
        names = key.separator.join(name for name, _ in key.names)
        yield from _entry_lines(names, key.tooltip or key.label, width)


_KEYMAP = (
    'Keys can be changed: write a line such as  step.next = "j"  for an action\'s id into '
    "keys.toml in ptxscope's configuration folder. The ids are: " + ", ".join(ACTIONS) + "."
)


_TWO_COLUMNS = 100
"""Minimum columns for glyphs beside keys."""
_BESIDE = 36
"""Minimum columns for a description beside its name."""


def _entry_lines(
    name: str, text: str, width: int, style_name: str = "strong"
) -> Iterator[StyledLine]:
    if width < _BESIDE:
        yield [StyledText(f"  {name}", style_name)]
        yield from ([StyledText(f"    {line}")] for line in textwrap.wrap(text, max(width - 4, 12)))
        return
    for i, line in enumerate(textwrap.wrap(text, width - 16)):
        yield [StyledText(f"  {name if i == 0 else '':<13} ", style_name), StyledText(line)]


def _wrap_text(text: str, width: int) -> Iterator[StyledLine]:
    for line in textwrap.wrap(text, max(width, 12)):
        yield [StyledText(line, "quiet")]
