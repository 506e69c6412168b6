"""Wide pictures on slides: scaled by a browser, and read by programs without style sheets."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope import Trace, export
from tests.driving.browser import Browser
from tests.driving.inked import differences, resvg
from tests.driving.samples import BLOCK, QUAD
from tests.export.test_containers import assert_alike
from tests.export.test_renderers import RENDERERS
from tests.tiers import ci_only

pytestmark = ci_only

SLIDES = (
    '<div style="width: 960px; transform: scale(.8); transform-origin: 0 0">SVG</div>',
    '<div style="zoom: .6; font: italic 700 60px serif; text-align: center">SVG</div>',
    '<div style="width: 1024px; height: 576px"><img src="x.svg" style="max-width: 100%"></div>',
)


@pytest.mark.parametrize("shown", [QUAD, BLOCK], ids=["line", "block"])
@pytest.mark.parametrize("renderer", RENDERERS)
def test_renderers_draw_the_same_slide(renderer: str, shown: Trace) -> None:
    svg = export(shown, "svg", layout="wide")
    assert not differences(resvg(svg), RENDERERS[renderer](svg))


def test_a_scaled_slide_has_the_picture_alone(tmp_path: Path) -> None:
    svg = export(QUAD, "svg", layout="wide", theme="light")
    (tmp_path / "x.svg").write_text(svg, encoding="utf-8")
    with Browser.start(tmp_path) as browser:
        for slide in SLIDES:
            browser.open(slide.replace("SVG", svg), 1280)
            seen = browser.shoot("svg, img")
            browser.open(f"<style>svg{{display:block;width:{seen.width}px}}</style>{svg}", 1280)
            assert_alike(seen, browser.shoot("svg"))
