"""Forms of instructions in Markdown files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxscope.cli import main
from tests.tiers import some


@pytest.mark.parametrize("suffix", some(["svg", "png"]))
def test_a_page_has_forms(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "page.md"
    commands = [f"show vadd4 -o v.{suffix}", "show popc"]
    path.write_text("\n\n".join(f"<!-- ptxscope {x} -->\n<!-- /ptxscope -->" for x in commands))
    assert main(["export", "--check", str(path)]) == 1
    assert not (tmp_path / f"v.{suffix}").exists()
    assert main(["export", "--update", str(path)]) == 0
    page = path.read_text()
    assert re.search(rf"!\[Form of vadd4\.\S+ d.*\.\]\(v\.{suffix}\)", page)
    assert "```text\npopc: the number of ones" in page
    assert {x.name for x in tmp_path.iterdir()} == {"page.md", f"v.{suffix}"}
    assert main(["export", "--check", str(path)]) == 0
