"""Sweeps as pictures and in cells: what is drawn is what was computed."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET
from random import Random

import pytest

from ptxscope.documents.options import Options
from ptxscope.documents.svg.text_styles import MIN_LETTER_PX
from ptxscope.documents.theme import Theme
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.features.sweep import sweep_picture, terminal_plot
from ptxscope.features.sweep.computation import Sweep
from ptxscope.features.sweep.register_parts import (
    choose_default_parts,
)
from ptxscope.features.sweep.sweep_text import render
from ptxscope.features.sweep.sweep_words import describe_sweep
from ptxscope.features.sweep.terminal_plot import COLOUR_RAMP
from tests.driving.drawings import NS, texts
from tests.driving.inked import decoded
from tests.features.sweep.sweeps import read_block, sweep_line
from tests.tiers import sampled, some


def test_a_map_has_the_shade_of_its_value_in_every_cell() -> None:
    found = sweep_line("vadd4.s32.s32.s32.sat d, a, b, c", "a.b0", "b.b0")
    images = re.findall('href="data:image/png;base64,([^"]+)"', sweep_picture.render(found))
    colours = decoded(base64.b64decode(images[0]))[..., :3]
    for row in range(256):
        for column in range(0, 256, 5):
            a, b = column - 128, 127 - row
            value = min(max(a + b, -128), 127)
            assert tuple(colours[row, column]) == COLOUR_RAMP[value + 128]


def test_only_cells_with_different_models_are_hatched() -> None:
    found = sweep_line("vadd.u32.s32.s32.sat d.b0, a.b0, b.b0, c", "a.b0", "b.b0")
    root = ET.fromstring(sweep_picture.render(found))
    hatches = [x.get("d", "") for x in root.iter(f"{NS}path") if x.get("class") == "px-s-ink"]
    lines = re.findall(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", max(hatches, key=len))
    assert len(lines) > 30
    (image, *_) = root.iter(f"{NS}image")
    left, top, side = (float(image.get(name, "")) for name in ("x", "y", "width"))
    hatched = 0.0
    for line in lines:
        x, y, to_x, to_y = map(float, line)
        for part in (0.02, 0.5, 0.98):
            at_x, at_y = x + (to_x - x) * part, y + (to_y - y) * part
            column = int((at_x - left) / side * 256)
            row = int((top + side - at_y) / side * 256)
            assert found.divergence_mask[min(row, 255), min(column, 255)]
        hatched += abs(to_x - x)
    assert hatched > 1000


def test_a_line_is_drawn_at_the_height_of_its_values() -> None:
    found = sweep_line("vadd4.s32.s32.s32.sat d, a, b, c", "a.b0", b=100)
    root = ET.fromstring(sweep_picture.render(found))
    paths = [(x.get("class"), x.get("d", "")) for x in root.iter(f"{NS}path")]
    plain, clamped = (
        max((d for css, d in paths if css == f"px-s-{ink}"), key=len) for ink in ("a", "mark")
    )
    start = re.match(r"M([\d.]+) ([\d.]+)", plain)
    assert start
    heights = [float(start[2]), *map(float, re.findall(r"V([\d.]+)", plain))]
    assert len(heights) == 156  # from -28 to 127
    for at, height in enumerate(heights):
        expected = heights[0] - (heights[0] - heights[-1]) * at / 155
        assert height == pytest.approx(expected, abs=0.06)
    plateau = re.match(r"M([\d.]+) ([\d.]+)(H[\d.]+)+$", clamped)
    assert plateau
    assert float(plateau[2]) == heights[-1]
    ends = [float(start[1]), float(plateau[1]), float(re.findall(r"H([\d.]+)", clamped)[-1])]
    share = (ends[1] - ends[0]) / (ends[2] - ends[0])
    assert share == pytest.approx(156 / 256, abs=0.001)


@sampled
@pytest.mark.parametrize("opcode", some(CATALOG, 0, 13))
@pytest.mark.parametrize("theme", [Theme.AUTO, Theme.DARK])
def test_every_example_is_drawn(opcode: str, theme: Theme) -> None:
    ptx, values = CATALOG[opcode].example
    x, y = choose_default_parts(read_block(ptx))
    assert x
    for second in ("", y.text if y else ""):
        found = sweep_line(ptx, x.text, second, values=values)
        svg = sweep_picture.render(found, Options(theme=theme))
        root = ET.fromstring(svg)
        width, height = (float(root.get(name, "")) for name in ("width", "height"))
        assert width == 800
        for text in root.iter(f"{NS}text"):
            assert float(text.get("font-size", "")) >= MIN_LETTER_PX
            assert 0 <= float(text.get("x", "")) <= width
            assert 0 <= float(text.get("y", "")) <= height
            assert not (text.text or "").endswith("\u2026")
        assert svg == sweep_picture.render(found, Options(theme=theme))


def test_a_hostile_title_of_a_sweep_stays_text() -> None:
    found = sweep_line("setp.lt.u16 p, a, b", "a")
    title = "</title><script>alert(1)</script>&\"'\x00\u202e"
    root = ET.fromstring(sweep_picture.render(found, title=title))
    assert not list(root.iter(f"{NS}script"))
    assert "<script>alert(1)</script>" in (root.findtext(f"{NS}title") or "")
    assert "\u202e" not in (root.findtext(f"{NS}title") or "")


def test_the_id_of_a_sweep_depends_on_its_content() -> None:
    def name(found: Sweep, id_: str = "") -> str:
        shown = re.search('<title id="([^"]+)-title"', sweep_picture.render(found, Options(id=id_)))
        assert shown
        return shown[1]

    one, other = (sweep_line("vmin4.s32.s32.s32 d, a, b, c", "a.b0", b=x) for x in (1, 2))
    assert name(one) != name(other)
    assert name(one, "mine") == "mine"


def test_dots_are_drawn_at_their_values() -> None:
    found = sweep_line("vmin4.u32.u32.u32 d, a, b, c", "a.b0", b=255)  # a itself
    found.has_current_point = False
    lines = terminal_plot.draw_plot_lines(found, terminal_plot.PlotSize(4 + 64, 2 + 16))
    dots = set()
    for row, line in enumerate(lines[:16]):
        for column, cell in enumerate(line[2:]):
            bits = ord(cell.text) - 0x2800 if cell.text != " " else 0
            # the Unicode standard numbers them 1 2 3 7 down the left, 4 5 6 8 down the right
            for x, numbers in enumerate(((1, 2, 3, 7), (4, 5, 6, 8))):
                for y, number in enumerate(numbers):
                    if bits >> (number - 1) & 1:
                        dots.add((2 * column + x, 63 - (4 * row + y)))
    for x in range(128):
        low, high = (round(value * 63 / 255) for value in (2 * x, 2 * x + 1))
        assert {(x, y) for y in range(low, high + 1)} <= dots
    assert all(abs(y - x * 63 / 127) <= 1.5 for x, y in dots)


@pytest.mark.parametrize(
    "means", some([(True, True), (False, False), (True, False), (False, True)])
)
@pytest.mark.parametrize("lanes", some(["a.b0", "a b", "a", "a.b0 b.b0"], 0, 1))
def test_a_plot_fits_into_any_room(lanes: str, means: tuple[bool, bool]) -> None:
    unicode, colours = means
    x, _, y = lanes.partition(" ")
    rng = Random(1)
    found = sweep_line("vadd.s32.s32.s32.sat d.b0, a, b, c", x, y, a=5, b=9)
    for width, height in [(1, 1), (20, 5), (80, 24), (200, 60)] + [
        (rng.randrange(1, 120), rng.randrange(1, 60)) for _ in range(6)
    ]:
        lines = terminal_plot.draw_plot_lines(
            found, terminal_plot.PlotSize(width, height, unicode, colours)
        )
        shown = terminal_plot.format_lines(lines)
        assert shown.isascii() or unicode
        if width >= 20 and height >= 6:
            assert all(len(line) <= width for line in shown.split("\n"))
            assert all(line == line.rstrip() for line in shown.split("\n"))
            assert len(lines) <= height
            assert (
                sum(cell.kind is terminal_plot.PlotCellKind.HERE for line in lines for cell in line)
                == 1
            )


def test_one_result_has_one_label_beside_its_line_and_one_sentence() -> None:
    found = sweep_line("vmin4.u32.u32.u32 d, a, b, c", "a.b0", of="d.b0", a=1)
    lines = terminal_plot.draw_plot_lines(found, terminal_plot.PlotSize(40, 12, True))
    labels = [line[0].text.strip() for line in lines[:-2]]
    assert [x for x in labels if x] == ["0"]
    shown = terminal_plot.format_lines(lines).split("\n")[labels.index("0")]
    assert len(shown.partition("│")[2].strip()) == 38
    assert sum("is 0" in x for x in describe_sweep(found)) == 1


def test_long_numbers_are_brief_beside_an_axis() -> None:
    found = sweep_line("selp.f64 d, a, b, c", "a", c=1, a=0x5FEFFFFFFFFFFFFF, b=0)
    for unicode, sign in ((True, "\u2248"), (False, "~")):
        shown = terminal_plot.format_lines(
            terminal_plot.draw_plot_lines(found, terminal_plot.PlotSize(60, 12, unicode))
        )
        assert f"{sign}1.34e+154" in shown
        assert shown.isascii() or unicode
    assert "\u22481.34e+154</text>" in sweep_picture.render(found)
    assert "d = 1.3407807929942596e+154" in render(found)  # in full, in words


def test_halves_of_cells_have_the_shades_of_their_values() -> None:
    found = sweep_line("vadd4.u32.u32.u32 d, a, b, c", "a.b0", "b.b0")
    found.has_current_point = False
    lines = terminal_plot.draw_plot_lines(
        found, terminal_plot.PlotSize(4 + 256, 2 + 128, True, True)
    )
    for row in range(128):
        for column, cell in enumerate(lines[row][2:]):
            assert cell.upper_shade == (column + 255 - 2 * row) % 256
            assert cell.lower_shade == (column + 254 - 2 * row) % 256


@pytest.mark.parametrize(
    ("line", "swept", "b", "labels"),
    [
        # 21475 * 100000 is above 2147483647, 21474 * 100000 is not; a line has two bands
        ("vmad.s32.s32.s32.sat d, a.h0, b, c", "a.h0", 100_000,
         ["-21474", "21475", "-32768", "32767", "clamped to -2147483648", "clamped to 2147483647"]),
        # 123 + 5 is the first sum above 127: it stands where 127 does
        ("vadd4.s32.s32.s32.sat d, a, b, c", "a.b0", 5, ["123", "127", "clamped to 127"]),
        ("vadd.s32.u32.s32 d, a.b0, a.b0", "a.b0", 0,
         ["a.b0 is read as u8 and as s8 there: as s8, 128 to 255 are -128 to -1."]),
    ],
)  # fmt: skip
def test_a_plot_has_labels_at_the_ends_of_clamping_and_of_its_axis(
    line: str, swept: str, b: int, labels: list[str]
) -> None:
    sweep = sweep_line(line, swept, values={"b": b} if b else {})
    said = texts(ET.fromstring(sweep_picture.render(sweep)))
    assert {*labels} <= {*said}
    assert all(said.count(label) == 1 for label in labels if label.startswith("clamped"))


@pytest.mark.parametrize("here", [-128, -126, 126, 127])
def test_the_ends_of_an_axis_are_visible_beside_the_current_value(here: int) -> None:
    for y in ("", "b.b0"):
        found = sweep_line(
            "vadd.s32.s32.s32 d, a.b0, b.b0, c", "a.b0", y, a=here & 0xFF, b=here & 0xFF
        )
        shown = terminal_plot.format_lines(
            terminal_plot.draw_plot_lines(found, terminal_plot.PlotSize(60, 12))
        ).split("\n")
        assert {"-128", "127"} <= {*shown[-1].split()}
        low, high = (shown[row].replace("\u2502", " ").split()[0] for row in (-3, 0))
        least, most = ("-128", "127") if y else (str(here - 128), str(here + 127))
        assert (low, high) == (least, most)


def test_the_infinities_are_named_beside_nan() -> None:
    """They lie so near to the ends of the axis that they stand on a line below."""
    svg = sweep_picture.render(sweep_line("setp.lt.f32 p, a, b", "a", b=0x3F800000))
    places = {x.text: float(x.get("x", "0")) for x in ET.fromstring(svg).iter(f"{NS}text")}
    assert places["-inf"] < places["-1.0"] < places["0.0"] < places["1.0"] < places["inf"]


def test_each_clamped_region_of_a_map_is_labelled_inside() -> None:
    """a + b of two s8 is above 127 at the upper right, below -128 at the lower left."""
    svg = sweep_picture.render(sweep_line("vadd4.s32.s32.s32.sat d, a, b, c", "a.b0", "b.b0"))
    tree = ET.fromstring(svg)
    places = {x.text: (float(x.get("x", "0")), float(x.get("y", "0")))
              for x in tree.iter(f"{NS}text")}  # fmt: skip
    (image, *_) = tree.iter(f"{NS}image")
    x, y, side = (float(image.get(name, "0")) for name in ("x", "y", "width"))
    high, low = places["clamped to 127"], places["clamped to -128"]
    assert x + side / 2 < high[0] < x + side
    assert y < high[1] < y + side / 2
    assert x < low[0] < x + side / 2
    assert y + side / 2 < low[1] < y + side
