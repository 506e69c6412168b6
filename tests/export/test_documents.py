"""Where documents are made: Markdown files, MkDocs, Rich."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxscope.cli import main
from ptxscope.cli.support.streams import CommandError
from tests.cli.running import updated
from tests.export.markdown_pages import run_python_blocks
from tests.tiers import some

DOCS = Path(__file__).resolve().parents[2] / "docs"
E3_LINE = "vadd.u32.s32.s32.sat %0.b0, %1, %2, %3"

MARKED = f"""\
before <!-- a comment -->

<!-- ptxscope trace '{E3_LINE}' %1=-1 %2=0 %3=0x11223344 -->
old text
<!-- /ptxscope -->

between

<!-- ptxscope trace 'vset2.s32.s32.lt d, a, b, c' a=1 b=2 c=0 -f text -->
<!-- /ptxscope -->
after
"""


def test_update_rewrites_only_between_its_markers() -> None:
    once = updated(MARKED)
    assert "old text" not in once
    assert "0x11223300" in once
    assert "d = 0x00000001" in once
    assert once.startswith("before <!-- a comment -->\n\n<!-- ptxscope trace")
    assert once.endswith("<!-- /ptxscope -->\nafter\n")
    assert "\n\nbetween\n\n" in once
    assert updated(once) == once
    assert updated("no markers") == "no markers"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n<!-- ptxscope trace 'vadd' -->\n", ":2: this trace has no <!-- /ptxscope -->"),
        ("<!-- ptxscope trace 'vadd.x' -->\n<!-- /ptxscope -->", ":1: error"),
        (
            "<!-- ptxscope trace 'vadd -->\n<!-- /ptxscope -->",
            ":1: a quote is opened",
        ),
        ("<!-- ptxscope trace -f pdf -->\n<!-- /ptxscope -->", ":1: usage"),
    ],
)
def test_an_error_in_a_file_is_named_by_its_line(text: str, said: str) -> None:
    with pytest.raises(CommandError, match=said.replace("/", r"\/")):
        updated(text, "FILE.md")


SWEEP = "'vadd4.s32.s32.s32.sat d, a, b, c' --x a.b0 a=0 b=100 c=0"


@pytest.mark.parametrize("suffix", some(["svg", "png"]))
def test_a_page_has_sweeps_and_forms(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "page.md"
    commands = [
        f"sweep {SWEEP} --title 'a < b' -o s.{suffix}",
        f"sweep {SWEEP} -f csv",
        f"show vadd4 -o v.{suffix}",
        "show popc",
    ]
    path.write_text("\n\n".join(f"<!-- ptxscope {x} -->\n<!-- /ptxscope -->" for x in commands))
    assert main(["export", "--check", str(path)]) == 1
    assert not (tmp_path / f"s.{suffix}").exists()
    assert main(["export", "--update", str(path)]) == 0
    page = path.read_text()
    assert f"![Results of a &lt; b.](s.{suffix})" in page
    assert re.search(rf"!\[Form of vadd4\.\S+ d.*\.\]\(v\.{suffix}\)", page)
    assert "```csv\na.b0" in page
    assert "```text\npopc: the number of ones" in page
    assert {x.name for x in tmp_path.iterdir()} == {"page.md", f"s.{suffix}", f"v.{suffix}"}
    assert main(["export", "--check", str(path)]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"sweep {SWEEP} -f svg", "needs -o FILE.svg"),
        (f"sweep {SWEEP} -f csv -o x", "-o or --output is for pictures"),
        ("sweep 'vadd4.s32.s32.s32.sat d, a, b, c' --x z b=1", "z"),
        ("show nosuch", "not an instruction"),
        ("show vadd4 -o v.pdf", "a page cannot show a PDF"),
        ("show", "OPCODE"),
    ],
)
def test_an_error_in_a_sweep_or_form_is_named_by_its_line(words: str, said: str) -> None:
    with pytest.raises(CommandError, match=f"(?s):1: .*{said}"):
        updated(f"<!-- ptxscope {words} -->\n<!-- /ptxscope -->", "FILE.md")


def test_the_mkdocs_recipe_works() -> None:
    text = (DOCS / "markdown.md").read_text(encoding="utf-8")
    page = text.partition("````markdown\n")[2].partition("````\n")[0]
    built = run_python_blocks(page)
    assert "0x00000007" in built
    assert "import ptxscope" not in built
