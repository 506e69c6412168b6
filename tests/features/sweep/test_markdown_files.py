"""Sweeps in Markdown files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.cli import main
from tests.driving.feature_tables import needs
from tests.tiers import some

SWEEP = "'vadd4.s32.s32.s32.sat d, a, b, c' --x a.b0 a=0 b=100 c=0"


@needs("publish")
@pytest.mark.parametrize("suffix", some(["svg", "png"]))
def test_a_page_has_sweeps(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "page.md"
    commands = [f"sweep {SWEEP} --title 'a < b' -o s.{suffix}", f"sweep {SWEEP} -f csv"]
    path.write_text("\n\n".join(f"<!-- ptxscope {x} -->\n<!-- /ptxscope -->" for x in commands))
    assert main(["export", "--check", str(path)]) == 1
    assert not (tmp_path / f"s.{suffix}").exists()
    assert main(["export", "--update", str(path)]) == 0
    page = path.read_text()
    assert f"![Results of a &lt; b.](s.{suffix})" in page
    assert "```csv\na.b0" in page
    assert {x.name for x in tmp_path.iterdir()} == {"page.md", f"s.{suffix}"}
    assert main(["export", "--check", str(path)]) == 0
