"""Play a script of keys in the running app, as screenshots/demo.svg: `python3 dev.py demo`.

Every settled screen is a frame of one animated SVG, drawn from the compositor's strips, without
scripts, fonts or pictures from elsewhere. Frames share the drawing of common rows. Readers without
animation, or with reduced motion, see the last frame.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME
from textual._context import visible_screen_stack
from textual.keys import format_key
from textual.pilot import Pilot
from textual.strip import Strip

from ptxscope import parse
from ptxscope.app.app import Explorer
from ptxscope.state.setup import Setup

PATH: Final = Path(__file__).resolve().parent.parent / "screenshots" / "demo.svg"


class Beat(NamedTuple):
    """Keys, separated by blanks, and the seconds for which their effect is shown."""

    keys: str
    seconds: float


PTX: Final = "vadd4.s32.s32.u32.sat d.b310, a, b.b4567, c"
VALUES: Final = {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 0xCCCCCCCC}
SIZE: Final = (100, 30)
SCRIPT: Final = (
    Beat("home", 3.0),  # select
    Beat("n", 2.5),  # extend
    Beat("n", 2.5),  # add
    Beat("n", 3.0),  # saturate
    Beat("n", 2.5),  # merge: lane 2 keeps c
    Beat("n", 2.5),  # write
    Beat("l", 1.2),  # a cursor: the origins of these bytes
    Beat("up", 1.0),
    Beat("right", 1.2),
    Beat("space", 3.0),  # the mask takes lane 2 in
    Beat("o", 0.8),
    Beat("right right right right", 0.8),
    Beat("enter", 0.6),
    Beat("minus", 0.4),
    Beat("7", 0.8),
    Beat("enter", 2.0),  # a's lane 2 is -7
    Beat("escape", 5.0),
)


# --- playing -----------------------------------------------------------------------------


class Frame(NamedTuple):
    """A settled screen."""

    rows: Sequence[Strip]
    beat: Beat


async def play(script: Sequence[Beat] = SCRIPT) -> tuple[list[Frame], Setup]:
    """Play a script in the app; return the screen after each beat, and the final app."""
    app = Explorer(parse(PTX), VALUES)
    app.animation_level = "none"
    frames = []
    async with app.run_test(size=SIZE) as pilot:
        for beat in script:
            await pilot.press(*beat.keys.split())
            frames.append(Frame(await _wait_until_settled(pilot), beat))
        setup = app.current_state.setup
    assert setup is not None
    return frames, setup


async def _wait_until_settled(pilot: Pilot[None]) -> Sequence[Strip]:
    """Return the screen once it stops changing."""
    seen: Sequence[Strip] = ()
    for _ in range(50):
        await pilot.pause()
        visible_screen_stack.set(pilot.app._background_screens)
        before, seen = seen, pilot.app.screen._compositor.render_strips()
        if seen == before:
            break
    return seen


# --- drawing ---------------------------------------------------------------------------

WIDTH: Final = 8
HEIGHT: Final = 16
"""The height of a character."""
BAR: Final = 32
"""The height of the bar above the screen, with the window's title and the pressed keys."""
EDGE: Final = 8
"""The width of the border around the screen."""
_FONTS: Final = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace'
_PAPER: Final = "#121212"
"""The background of the window and of most cells."""


class ScreenWriter:
    """Draws screens, with shared definitions of common parts."""

    def __init__(self) -> None:
        self._inks: dict[str, str] = {}
        """Class names, by their CSS."""
        self._shapes: dict[str, str] = {}
        """Definitions of drawn characters, by id."""
        self._rows: dict[str, str] = {}
        """Ids, by the contents of rows."""

    def format_definitions(self) -> tuple[str, str]:
        """Return the style sheet and the definitions of the drawn screens."""
        inks = "\n".join(f".{name}{{{css}}}" for css, name in self._inks.items())
        rows = (f'<g id="{name}">{drawn}</g>' for drawn, name in self._rows.items())
        return inks, "\n".join((*self._shapes.values(), *rows))

    def draw_screen(self, rows: Sequence[Strip]) -> str:
        """Return the rows of a screen, each as a reference to its definition."""
        drawn = (self._define_row(row) for row in rows)
        return "".join(
            f'<use href="#{self._rows.setdefault(row, f"r{len(self._rows)}")}" y="{y * HEIGHT}"/>'
            for y, row in enumerate(drawn)
            if row
        )

    def _define_row(self, strip: Strip) -> str:
        cells = list(_iter_cells(strip))
        papers = groupby(cells, lambda cell: cell.paper)
        inks = groupby(cells, lambda cell: cell.ink)
        return "".join(
            (
                *(self._draw_background(paper, list(run)) for paper, run in papers),
                *(self._draw_text(ink, list(run)) for ink, run in inks),
            )
        )

    def _name_class(self, css: str) -> str:
        return self._inks.setdefault(css, f"c{len(self._inks)}")

    def _draw_background(self, paper: str, cells: list[Cell]) -> str:
        if paper == _PAPER:
            return ""
        x, end = cells[0].x, cells[-1].x + cells[-1].width
        size = f'x="{x * WIDTH}" width="{(end - x) * WIDTH}" height="{HEIGHT}"'
        return f'<rect class="{self._name_class(f"color:{paper}")}" {size}/>'

    def _draw_text(self, ink: str, cells: list[Cell]) -> str:
        """Return cells of one ink: words, single characters, and repeated shapes."""
        text, drawn = "".join(cell.char for cell in cells), []
        for found in _TOKENS.finditer(text):
            token, first, last = found[0], cells[found.start()], cells[found.end() - 1]
            place = f'class="{self._name_class(ink)}" x="{first.x * WIDTH}"'
            if shape := self._define_shape(token[0], len(token)):
                drawn.append(f'<use {place} href="#{shape}"/>')
            else:
                width = (last.x + last.width - first.x) * WIDTH
                fit = f'textLength="{width}" lengthAdjust="spacingAndGlyphs"'
                drawn.append(f'<text {place} y="12" {fit}>{escape(token)}</text>')
        return "".join(drawn)

    def _define_shape(self, char: str, count: int) -> str | None:
        """Return the id of a repeated drawn character, which contains both."""
        drawn = make_outline(char, count)
        if drawn is None:
            return None
        name = f"u{ord(char):x}x{count}"
        self._shapes[name] = f'<path id="{name}" d="{drawn}"/>'
        return name


def draw_animation(frames: Sequence[Frame]) -> str:
    """Return an animated SVG that shows frames one at a time, repeatedly."""
    pen = ScreenWriter()
    ends = list(accumulate(frame.beat.seconds for frame in frames))
    starts = [0.0, *ends[:-1]]
    width = frames[0].rows[0].cell_length * WIDTH + 2 * EDGE
    height = len(frames[0].rows) * HEIGHT + BAR + EDGE
    drawn, moving = [], [f".f{{animation:{ends[-1]:g}s step-end infinite}}"]
    for at, (frame, start, end) in enumerate(zip(frames, starts, ends, strict=True)):
        begin, leave = (f"{100 * when / ends[-1]:.3f}%" for when in (start, end))
        is_last = at == len(frames) - 1
        turns = ["0%{visibility:hidden}"] * bool(at) + [f"{begin}{{visibility:visible}}"]
        turns += [f"{leave}{{visibility:hidden}}"] * (not is_last)
        moving.append(f"#f{at}{{animation-name:k{at}}}@keyframes k{at}{{{''.join(turns)}}}")
        shown = "visible" if is_last else "hidden"
        drawn.append(
            f'<g id="f{at}" class="f" visibility="{shown}">{_draw_key_cap(frame.beat.keys, width)}'
            f'<g class="s" transform="translate({EDGE} {BAR})">{pen.draw_screen(frame.rows)}'
            "</g></g>"
        )
    inks, definitions = pen.format_definitions()
    dots = "".join(
        f'<circle cx="{18 + 18 * at}" cy="{BAR // 2}" r="5" fill="{ink}"/>'
        for at, ink in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" \
height="{height}" role="img" aria-label="ptxscope's explorer, played">
<style>
text{{font:13.3px {_FONTS};fill:currentColor}}
rect{{fill:currentColor;shape-rendering:crispEdges}}
path{{fill:currentColor}}
{inks}
@media (prefers-reduced-motion:no-preference){{
{chr(10).join(moving)}
}}
</style>
<defs>
{definitions}
</defs>
<path d="M0 8q0-8 8-8h{width - 16}q8 0 8 8v{height - 16}q0 8-8 8h-{width - 16}q-8 0-8-8z" \
color="{_PAPER}"/>
{dots}
<text x="{width // 2}" y="{BAR // 2 + 4}" text-anchor="middle" color="#9a9a9a">ptxscope</text>
{chr(10).join(drawn)}
</svg>
"""


def _draw_key_cap(keys: str, width: int) -> str:
    """Return the keys of a frame, on a key cap in the title bar."""
    runs = [(_format_key(key), len(list(run))) for key, run in groupby(keys.split())]
    said = " ".join(name if count == 1 else f"{name} ×{count}" for name, count in runs)
    if not said:
        return ""
    wide = (len(said) + 2) * WIDTH
    x, y = width - EDGE - wide, BAR // 2
    cap = f"M{x} {y - 6}q0-4 4-4h{wide - 8}q4 0 4 4v12q0 4-4 4h-{wide - 8}q-4 0-4-4z"
    return (
        f'<path d="{cap}" color="#e0e0e0"/>'
        f'<text x="{x + wide // 2}" y="{y + 4}" text-anchor="middle" color="#121212">'
        f"{escape(said)}</text>"
    )


def _format_key(key: str) -> str:
    name = format_key(key)
    return name if len(name) == 1 else name.title()


# --- drawing: characters -----------------------------------------------------------------


class Cell(NamedTuple):
    """A character with its position and CSS."""

    char: str
    x: int
    width: int
    ink: str
    paper: str


_TOKENS: Final = re.compile(r"[!-~]+(?>(?: [!-~]+)*)|([^ !-~])\1*+")


def _format_css(color: Color | None, *, is_ink: bool = False) -> str:
    triplet = (color or Color.default()).get_truecolor(SVG_EXPORT_THEME, foreground=is_ink)
    return triplet.hex


def _iter_cells(strip: Strip) -> Iterator[Cell]:
    x = 0
    for segment in strip:
        style = segment.style or Style.null()
        ink = _format_css(style.color, is_ink=True)
        paper = _format_css(style.bgcolor)
        if style.reverse:
            ink, paper = paper, ink
        css = f"color:{ink}"
        for is_so, said in (
            (style.bold, "font-weight:bold"),
            (style.italic, "font-style:italic"),
            (style.underline, "text-decoration:underline"),
            (style.strike, "text-decoration:line-through"),
        ):
            css += f";{said}" * bool(is_so)
        for char in segment.text:
            yield Cell(char, x, cell_len(char), css, paper)
            x += cell_len(char)


_Box = tuple[float, float, float, float]
"""x, y, width and height."""
_MIDDLE: Final = (WIDTH / 2 + 0.5, HEIGHT / 2 + 0.5)
_THICK: Final = {"LIGHT": 1.0, "HEAVY": 3.0}
_DASHES: Final = {"DOUBLE": 2, "TRIPLE": 3, "QUADRUPLE": 4}
_SIDES: Final = {
    **{side: side[0] for side in ("LEFT", "RIGHT", "UP", "DOWN")},
    "HORIZONTAL": "LR",
    "VERTICAL": "UD",
}
_BLOCKS: Final[dict[str, _Box]] = {
    **{chr(0x2580 + n): (0, HEIGHT - 2 * n, WIDTH, 2 * n) for n in range(1, 9)},
    **{chr(0x2590 - n): (0, 0, n, HEIGHT) for n in range(1, 8)},
    "▀": (0, 0, WIDTH, HEIGHT / 2),
    "▐": (WIDTH / 2, 0, WIDTH / 2, HEIGHT),
    "▔": (0, 0, WIDTH, 2),
    "▕": (WIDTH - 1, 0, 1, HEIGHT),
}


def make_outline(char: str, count: int) -> str | None:
    """Return the path of repeated blocks or lines; None for characters of a font."""
    if char in _BLOCKS:
        return _make_path([_BLOCKS[char]], count)
    words = unicodedata.name(char, "").split()
    sides = _parse_sides(words)
    if not sides:
        return None
    if "ARC" in words:
        return _make_arc("".join(sides)) if count == 1 else None
    return _make_path(_make_dashes(sides, words) if "DASH" in words else _make_lines(sides), count)


def _parse_sides(words: list[str]) -> dict[str, float] | None:
    """Return the sides of a box drawing's lines and their thickness, by its name."""
    if words[:2] != ["BOX", "DRAWINGS"]:
        return None
    # an attribute precedes all sides, or follows each
    told = words[2:] if words[2] in _THICK else words[:1:-1]
    found, thick = {}, 0.0
    for word in told:
        thick = _THICK.get(word, thick)
        found.update(dict.fromkeys(_SIDES.get(word, ""), thick))
    known = {"AND", "ARC", "DASH", *_THICK, *_DASHES, *_SIDES}
    return found if known.issuperset(told) and thick else None


def _make_lines(sides: dict[str, float]) -> list[_Box]:
    """Return lines from the middle to the sides, extended by the thickness of lines across."""
    x, y = _MIDDLE
    boxes: list[_Box] = []
    across = max(sides.get("U", 0), sides.get("D", 0)) / 2
    along = max(sides.get("L", 0), sides.get("R", 0)) / 2
    for side, thick in sides.items():
        match side:
            case "L":
                boxes.append((0, y - thick / 2, x + across, thick))
            case "R":
                boxes.append((x - across, y - thick / 2, WIDTH - x + across, thick))
            case "U":
                boxes.append((x - thick / 2, 0, thick, y + along))
            case "D":
                boxes.append((x - thick / 2, y - along, thick, HEIGHT - y + along))
    return boxes


def _make_dashes(sides: dict[str, float], words: list[str]) -> list[_Box]:
    """Return a line's dashes, with gaps of half a dash."""
    count = next(_DASHES[word] for word in words if word in _DASHES)
    (x, y), thick = _MIDDLE, max(sides.values())
    if "L" in sides:
        step = WIDTH / count
        return [(step * (k + 1 / 6), y - thick / 2, step * 2 / 3, thick) for k in range(count)]
    step = HEIGHT / count
    return [(x - thick / 2, step * (k + 1 / 6), thick, step * 2 / 3) for k in range(count)]


def _make_path(boxes: list[_Box], count: int) -> str:
    """Return the path of boxes, repeated from left to right; touching boxes are joined."""
    repeated = [(y, h, x + WIDTH * at, w) for at in range(count) for x, y, w, h in boxes]
    merged: list[tuple[float, float, float, float]] = []
    for y, h, x, w in sorted(repeated):
        if merged and merged[-1][:2] == (y, h) and x <= merged[-1][2] + merged[-1][3]:
            _, _, first, wide = merged.pop()
            x, w = first, max(x + w, first + wide) - first
        merged.append((y, h, x, w))
    return "".join(f"M{x:.4g} {y:.4g}h{w:.4g}v{h:.4g}h-{w:.4g}z" for y, h, x, w in merged)


def _make_arc(sides: str) -> str:
    """Return the outline of a light quarter turn."""
    x, y = _MIDDLE
    right, down = (1 if "R" in sides else -1), (1 if "D" in sides else -1)
    edge, end = (WIDTH if right > 0 else 0), (HEIGHT if down > 0 else 0)
    turn_x, turn_y = x + 3.5 * right, y + 3.5 * down
    outer, inner = ((x - k * right, y - k * down) for k in (0.5, -0.5))
    return (
        f"M{outer[0]:g} {end}V{turn_y:g}Q{outer[0]:g} {outer[1]:g} {turn_x:g} {outer[1]:g}"
        f"H{edge}V{inner[1]:g}H{turn_x:g}Q{inner[0]:g} {inner[1]:g} {inner[0]:g} {turn_y:g}V{end}z"
    )


# --- the command -------------------------------------------------------------------------


def main() -> None:
    """Play the script and write the animation."""
    frames, _ = asyncio.run(play())
    svg = draw_animation(frames)
    PATH.write_text(svg, encoding="utf-8")
    seconds = sum(frame.beat.seconds for frame in frames)
    size = len(svg.encode())
    print(f"drawn: {PATH.name}, {len(frames)} frames, {seconds:g} s, {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
