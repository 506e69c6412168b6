"""Pages of the manual as lines of text."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.features.manual.page_text import PageText, lay_out_page, make_anchor
from ptxscope.features.manual.pages import list_pages, read_page


def join_lines(page: PageText) -> list[str]:
    return ["".join(piece.text for piece in line).rstrip() for line in page.lines]


def test_paragraphs_are_wrapped_at_blanks_and_separated() -> None:
    page = lay_out_page("# Title\n\nOne two\nthree four.\n\nFive.\n", 12)
    assert join_lines(page) == ["One two", "three four.", "", "Five."]


def test_items_of_lists_hang_and_lists_nest() -> None:
    page = lay_out_page("# T\n\n- one two three\n  - four\n- five\n\n3. six\n4. seven\n", 12)
    assert join_lines(page) == [
        "• one two",
        "  three",
        "",
        "  • four",
        "• five",
        "",
        "3. six",
        "4. seven",
    ]


def test_code_is_indented_and_wrapped_whole() -> None:
    page = lay_out_page("# T\n\n```text\na = 1\n    b = 222222\n\nc\n```\n", 14)
    assert join_lines(page) == ["  a = 1", "      b =", "        222222", "", "  c"]


def test_words_at_the_right_edge_of_code_come_closer() -> None:
    code = "# T\n\n```text\nvadd d, a;          model: isa\nb\n```\n"
    assert join_lines(lay_out_page(code, 28)) == ["  vadd d, a;      model: isa", "  b"]
    # two blanks stay, and then the line is wrapped
    assert join_lines(lay_out_page(code, 20)) == ["  vadd d, a;  model:", "      isa", "  b"]


def test_a_table_has_columns_and_a_narrow_one_wraps_its_cells() -> None:
    text = "# T\n\n| key | does |\n|---|---|\n| `n` | next one |\n| `N` | b |\n"
    assert join_lines(lay_out_page(text, 40)) == ["key  does", "n    next one", "N    b"]
    assert join_lines(lay_out_page(text, 12)) == [
        "key  does",
        *("n    next", "     one", ""),
        "N    b",
    ]


def test_a_word_that_is_too_long_is_broken() -> None:
    page = lay_out_page("# T\n\n- 0x`1234`5678 9\n", 8)
    assert join_lines(page) == ["• 0x1234", "  5678 9"]


def test_keys_and_links_have_a_style_and_code_another() -> None:
    page = lay_out_page("# T\n\n<kbd>n</kbd> `code` [a link](x.md#y) **x**\n", 80)
    styles = {piece.text: (piece.style_name, piece.href) for piece in page.lines[0]}
    assert styles["n"] == ("focus", "")
    assert styles["code"] == ("strong", "")
    assert styles["link"] == styles["a"] == ("focus", "x.md#y")
    assert styles["x"] == ("strong", "")


def test_comments_are_left_out_and_pictures_are_their_text() -> None:
    page = lay_out_page("# T\n\n<!-- feature: x -->\n\n![A\n\\[1\\] `b`](x.svg) y\n", 80)
    assert join_lines(page) == ["[A [1] b] y"]


def test_headings_have_anchors() -> None:
    page = lay_out_page("# T\n\nx\n\n## In `the` explorer, twice\n\ny\n", 80)
    assert join_lines(page)[page.anchors["in-the-explorer-twice"]] == "In the explorer, twice"
    assert make_anchor("What to change — where?") == "what-to-change--where"


@pytest.mark.parametrize("name", list_pages())
@pytest.mark.parametrize("width", [30, 74, 92])
def test_no_line_of_the_manual_is_too_long_and_every_word_is_there(name: str, width: int) -> None:
    lines = join_lines(lay_out_page(read_page(name), width))
    words = [x for line in lines for x in line.split()]
    assert width < 74 or max(map(len, lines)) <= width
    assert "<kbd>" not in "".join(lines)
    assert "<!-- feature" not in "".join(lines)
    source = (Path(__file__).parents[3] / "docs" / f"{name}.md").read_text("utf-8")
    for word in ("ptxscope", "vadd4", "explorer"):
        assert (word in " ".join(words)) or word not in source
