"""The options of a document, in one table for the parser, commands, manuals, dialogs and checks.

They are in the order of printed commands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import Flag, StrEnum, auto
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..engine.micro_operations.properties import Stage
from ..engine.syntax.errors import format_names, quote_value
from ..engine.tracing.display import FigureOptions
from ..engine.tracing.trace import StepPlace, Trace
from .theme import THEMES, Theme

if TYPE_CHECKING:
    from ..feature import PictureLayout

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,99}\Z")


class Motion(StrEnum):
    """The motion of an SVG picture."""

    STILL = "still"
    STEPPING = "stepping"
    """The fragment ``#step-saturate`` in the address shows the steps up to it."""


TALL = "tall"
"""The layout of the core: steps from top to bottom, 800 px wide."""


class Options(NamedTuple):
    """Options for every format; formats ignore the ones without effect."""

    both: bool = False
    """Also show the steps of the other answer, if the models differ."""
    standalone: bool = False
    """Write a whole page instead of a fragment."""
    result: bool = True
    """Show the result; if False, values that reveal it are also hidden."""
    format: str = ""
    """Format of the document, for its printed command."""
    compact: bool = False
    """Pictures: fit one column of a paper, and omit steps that change nothing."""
    layout: str = TALL
    """Pictures: the shape, "tall" or a feature's."""
    motion: Motion = Motion.STILL
    """SVG: motion."""
    scale: float | None = None
    """PNG and PDF: factor over the size of the SVG; None is the default of the format."""
    width: int | None = None
    """PNG and PDF: width in px, instead of a scale."""
    theme: Theme = Theme.AUTO
    """Light, dark, or the surrounding page's."""
    id: str = ""
    """Prefix of ids; by default, a hash of the content and the options."""
    heading_level: int | None = None
    """Markdown: level of the title, 1 to 6, with steps one level below; 0 makes bold text.

    None is level 2 below a title, and bold text without one.
    """
    is_early: bool = False
    """Whether the steps end early (``--until``): values before a hidden result stay visible."""

    footer: bool = True
    """Show the source with the version, and the command."""
    has_version: bool = True
    """Show the version of ptxscope in the footer."""
    sentences: bool = True
    """Pictures: show ptxscope's sentences."""
    numbers: bool = True
    """Pictures: show operands as numbers."""
    beside: Trace | None = None
    """Pictures: another trace beside it, of another line or of other values."""
    steps: frozenset[StepPlace] | None = None
    """Steps to show; None shows all."""
    folded: frozenset[int] = frozenset()
    """Statements of a block without steps, by number from 1."""

    def shows(self, place: StepPlace) -> bool:
        """Whether a step is shown."""
        return self.steps is None or place in self.steps


class NamedOptions(FigureOptions, total=False):
    """The fields of ``Options`` that ``export`` accepts by name."""

    both: bool
    result: bool
    is_early: bool
    steps: frozenset[StepPlace] | None
    folded: frozenset[int]
    beside: Trace | None


DEFAULT = Options()


def validate_options(options: Options, trace: Trace | None = None) -> Options:
    """Return the options for a trace's document, with enum members for names.

    Raise ValueError or TypeError if an option is invalid.
    """
    if not isinstance(options, Options):
        raise TypeError(
            f"options must be an Options, as in Options(both=True), not {quote_value(options)}"
        )
    for name in ("scale", "width"):
        size = getattr(options, name)
        if size is not None and (isinstance(size, bool) or not isinstance(size, int | float)):
            raise ValueError(f"{name} is {quote_value(size)}; it is a number above 0, or None")
        if size is not None and not 0 < size < float("inf"):
            raise ValueError(
                f"a scale and a width are numbers above 0; {name} is {quote_value(size)}"
            )
    if options.layout not in LAYOUTS:
        raise _make_choice_error("layout", options.layout, LAYOUTS)
    if options.compact and options.layout != TALL:
        raise ValueError(f"compact and the layout {options.layout}: choose one of them")
    level: object = options.heading_level
    if level is not None and (type(level) is not int or level not in range(7)):
        raise ValueError(f"heading_level is {quote_value(level)}; it is 1 to 6, or 0 for bold text")
    if options.beside is not None:
        for each in filter(None, (options.beside, trace)):
            if not isinstance(each, Trace):
                raise TypeError(
                    f"beside is {quote_value(each)}; it is a Trace, as trace(…) returns"
                )
            if len(each.parts) > 1:
                raise ValueError("beside is for one instruction, not a block")
        rivals = {
            "compact": options.compact, "both": options.both,
            "motion": options.motion is not Motion.STILL,
        }  # fmt: skip
        if names := [name for name, is_given in rivals.items() if is_given]:
            raise ValueError(f"two traces side by side and {names[0]}: choose one of them")
    return options._replace(
        theme=_parse_member("theme", options.theme, Theme),
        motion=_parse_member("motion", options.motion, Motion),
        id=validate_id(options.id) if options.id else "",
        steps=None if options.steps is None else frozenset(map(_parse_place, options.steps)),
    )


def _parse_place(place: object) -> StepPlace:
    """Return the place of a step; raise ValueError for any other value."""
    if not isinstance(place, tuple) or len(place) != 2 or not isinstance(place[0], int):
        raise ValueError(
            f"steps: {quote_value(place)} is not the number of a statement and a stage"
        )
    return StepPlace(place[0], _parse_member("steps", place[1], Stage))


_Kind = TypeVar("_Kind", bound=StrEnum)


def _parse_member(field: str, value: object, enum_type: type[_Kind]) -> _Kind:
    """Return the member of an enum equal to a value; raise ValueError if none exists."""
    for member in enum_type:
        if value == member:
            return member
    raise _make_choice_error(field, value, enum_type)


def _make_choice_error(field: str, value: object, choices: Iterable[str]) -> ValueError:
    return ValueError(f"{field}: {quote_value(value)} is not one of {', '.join(choices)}")


def validate_id(text: object) -> str:
    """Return an author's id; raise ValueError if a format does not allow it."""
    if not isinstance(text, str) or not _ID.match(text):
        raise ValueError(
            f"{text!r:.42} is not an id: a letter, then letters, digits, '-', '_' and '.', "
            "at most 100 in all"
        )
    return text


PICTURES = ("svg", "png", "pdf")
"""Formats of pictures."""
_WORDED = ("text", "markdown", "rst", "asciidoc", "html", "json", *PICTURES)
"""All formats of the core: features' formats have no author's texts, and all steps."""


class DocumentSubject(Flag):
    """The kind of a document's subject."""

    LINE = auto()
    BLOCK = auto()
    PLOT = auto()
    """A picture that a feature draws."""


_TRACE = DocumentSubject.LINE | DocumentSubject.BLOCK
_ALL = _TRACE | DocumentSubject.PLOT


class Option(NamedTuple):
    """An option of ``ptxscope trace`` and other commands with documents."""

    name: str
    group: str
    """Heading in the help."""
    help: str
    """``{formats}`` are the formats that it changes."""
    metavar: str | None = None
    """Name of its value; empty for a flag."""
    formats: tuple[str, ...] = ()
    """Formats that it changes; empty if it changes all."""
    field: str = ""
    """The field of ``Options`` with its value."""
    value: object = True
    """The value of the field if the flag is present; None if the text is the value."""
    subjects: DocumentSubject = _TRACE
    rivals: str = ""
    """Name of a group of mutually exclusive options."""
    switch: str = ""
    """Label of a flag in the export dialog."""
    is_in_manual: bool = False
    """Whether documents in manual pages have it."""
    is_for_command: bool = False
    """Whether only the command has it, not documents in pages."""
    otherwise: str = ""
    """The implicit value."""
    pattern: str = ""
    """Matches an optional value."""
    settings: Mapping[str, Any] = MappingProxyType({})
    """More arguments for ``add_argument``."""
    about: object = ""
    """The text ``%(about)s`` of the help, if features have a part of it."""

    @property
    def is_flag(self) -> bool:
        """Whether it has no value."""
        return self.metavar is None and "choices" not in self.settings

    @property
    def dest(self) -> str:
        """The attribute of parsed arguments."""
        return self.name.replace("-", "_")

    @property
    def default(self) -> object:
        """The attribute if the option is absent."""
        if self.is_flag:
            return False
        return self.settings.get("default", getattr(DEFAULT, self.field, None))

    def is_given(self, values: Mapping[str, Any]) -> bool:
        """Whether it is among parsed arguments by ``dest``."""
        return bool(values.get(self.dest, self.default) != self.default)

    def changes(self, format_: str) -> bool:
        """Whether it may change a format; True for an unknown one."""
        return not (format_ and self.formats) or format_ in self.formats

    def make_arguments(self) -> dict[str, Any]:
        """Return the arguments for ``add_argument``."""
        text = self.help.replace("{formats}", format_names(self.formats))
        if self.is_flag:
            return {"action": "store_true", "help": text}
        return {"metavar": self.metavar, "default": self.default, "help": text, **self.settings}


class LazyNames(Collection[str]):
    """Names of the core and, only if these are not enough, of features."""

    def __init__(self, own: Collection[str], list_all: Callable[[], Collection[str]]) -> None:
        self._own = own
        self._list_all = list_all

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._own or name in self._list_all())

    def __iter__(self) -> Iterator[str]:
        return iter(self._list_all())

    def __len__(self) -> int:
        return len(self._list_all())


@cache
def _map_layouts() -> Mapping[str, PictureLayout]:
    """Return the layouts of features by name."""
    from ..feature import list_features

    return {x.name: x for feature in list_features() for x in feature.layouts if x.name != TALL}


LAYOUTS: Collection[str] = LazyNames((TALL,), lambda: (TALL, *_map_layouts()))
"""The names of the layouts."""


class _LayoutText:
    """The layouts of features in words, which are looked for only if the help is printed."""

    def __str__(self) -> str:
        return "".join(f"; {x.name}, with {x.about}" for x in _map_layouts().values())


def load_layout(name: str) -> Callable[..., Any]:
    """Return a feature's function that draws a document in a layout."""
    from ..feature import load

    draw: Callable[..., Any] = load(_map_layouts()[name].draw)
    return draw


def map_switches() -> Mapping[str, Mapping[str, object]]:
    """Return the arguments, by ``dest``, of each switch in the export dialog."""
    switches = {x.switch: {x.dest: True} for x in OPTIONS if x.switch}
    return switches | {x.switch: {"layout": x.name} for x in _map_layouts().values()}


_SHOWN, DRAWN, _WRITTEN = "what to show", "pictures", "output"
GROUPS = (_SHOWN, DRAWN, _WRITTEN, "blocks")
"""Headings in the help, in order."""
OPTIONS = (
    Option(
        "title", _SHOWN, "title above the document", "TEXT", _WORDED,
        subjects=_ALL, is_in_manual=True, settings={"default": ""},
    ),
    Option(
        "caption", _SHOWN, "caption below the document", "TEXT", _WORDED,
        is_in_manual=True, settings={"default": ""},
    ),
    Option(
        "note", _SHOWN,
        "note on a step, by its name or number, or on a lane: 'lane 2=…'; in a block "
        "'s2.saturate=…'; repeatable",
        "STEP=TEXT", _WORDED, is_in_manual=True, settings={"action": "append", "default": []},
    ),
    Option(
        "both", _SHOWN, "if isa and ptxas differ, show the steps of both to the end",
        field="both", switch="both answers", is_in_manual=True,
    ),
    Option(
        "standalone", _WRITTEN, "write a whole page instead of a fragment ({formats})",
        formats=("html", "rst", "asciidoc"), field="standalone", switch="whole page",
    ),
    Option(
        "theme", _WRITTEN, "light, dark, or auto to follow the surrounding page (default)",
        formats=("html", *PICTURES), field="theme", subjects=_ALL, is_in_manual=True,
        settings={"choices": THEMES},
    ),
    Option(
        "id", _WRITTEN, "prefix of ids in {formats}", "NAME", ("html", "svg"), "id", subjects=_ALL
    ),
    Option(
        "heading-level", _WRITTEN,
        "level of the title in {formats}, 1 to 6; 0 for bold text instead of headings (default: 2 "
        "with a title, 0 without)",
        "N", ("markdown",), "heading_level", settings={"type": int, "choices": range(7)},
    ),
    Option(
        "no-footer", _WRITTEN, "omit the source with the version, and the command",
        formats=("text", "markdown", "rst", "asciidoc", "html", *PICTURES),
        field="footer", value=False, is_in_manual=True,
    ),
    Option(
        "no-text", DRAWN, "draw no sentences, only titles, names and values",
        formats=PICTURES, field="sentences", value=False, is_in_manual=True,
    ),
    Option(
        "compact", DRAWN, "fit one column of a paper, and omit steps that change nothing",
        formats=PICTURES, field="compact", switch="compact figure", is_in_manual=True,
    ),
    Option(
        "layout", DRAWN,
        "shape: tall, with steps from top to bottom, for a page (default)%(about)s",
        "LAYOUT", PICTURES, "layout", is_in_manual=True, settings={"choices": LAYOUTS},
        about=_LayoutText(),
    ),
    Option(
        "stepping", DRAWN,
        "make an SVG that steps on a click; FILE.svg#step-saturate shows the steps up to that one",
        formats=("svg",), field="motion", value=Motion.STEPPING,
    ),
    Option(
        "beside", DRAWN,
        "another line, other values (name=value), or both, to draw beside the first",
        "WORDS", PICTURES, "beside", None, DocumentSubject.LINE, is_in_manual=True,
    ),
    Option(
        "scale", DRAWN, "size of a PNG or PDF in multiples of the SVG's (default: PNG 2, PDF 1)",
        "N", ("png", "pdf"), "scale", subjects=_ALL, rivals="size", settings={"type": float},
    ),
    Option(
        "width", DRAWN, "width of a PNG or PDF, in px",
        "PX", ("png", "pdf"), "width", subjects=_ALL, rivals="size", settings={"type": int},
    ),
    Option(
        "steps", _SHOWN, "steps to show, by number or name: 1,3-4; of a block also s2, s2.saturate",
        "1-4", _WORDED, rivals="part", is_in_manual=True,
    ),
    Option(
        "until", _SHOWN,
        "last step to show; the result is shown only if this is the last step of all",
        "STEP", _WORDED, rivals="part", is_in_manual=True,
    ),
    Option("no-result", _SHOWN, "hide the result", formats=_WORDED, is_in_manual=True),
    Option(
        "fold", "blocks",
        "statements of a block whose steps are hidden: by number, all, or but-last (the default "
        "without a value)",
        "2-4", subjects=DocumentSubject.BLOCK, is_in_manual=True,
        otherwise="but-last", pattern=r"[\d,-]++|all|but-last",
    ),
    Option(
        "frames", DRAWN,
        "folder for a picture of each step (-f svg, png or pdf), all of one size; with -f pdf and "
        "a name that ends in .pdf, one file with a page for each step",
        "DIR", is_for_command=True,
    ),
    Option(
        "alt", _WRITTEN,
        "description of a picture in words: one sentence for an alt= (short), or all its steps "
        "(long, default); with -o, in addition to the picture",
        formats=PICTURES, is_for_command=True, otherwise="long", pattern="short|long",
        settings={"nargs": "?", "choices": ("short", "long"), "const": "long"},
    ),
)  # fmt: skip


def drop_idle_options(options: Options, format_: str) -> Options:
    """Reset options without effect in a format, which would only change the ids."""
    idle = (x.field for x in OPTIONS if x.field and not x.changes(format_))
    return options._replace(format=format_, **{field: getattr(DEFAULT, field) for field in idle})


def make_options(values: Mapping[str, Any]) -> Options:
    """Return options from parsed arguments by ``dest``, without derived fields."""
    fields: dict[str, Any] = {
        option.field: option.value if option.is_flag else values[option.dest]
        for option in OPTIONS
        if option.field and option.value is not None and option.is_given(values)
    }
    return DEFAULT._replace(**fields)
