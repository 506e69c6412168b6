"""``export --update``: only what is between markers, whole or not at all."""

from __future__ import annotations

import codecs
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ptxscope import __version__
from ptxscope.cli.commands.trace import parse_request, render_request
from ptxscope.cli.support.streams import CommandError
from ptxscope.documents import BINARY, FORMATS
from ptxscope.features.publish.markdown_markers import find_doubtful, find_markers
from tests.cli.test_completion import offered
from tests.driving.command_line import Done, run
from tests.features.publish.renewal import updated
from tests.tiers import sampled

OPEN = "<!-- ptxscope trace 'vadd.u32.u32.u32 d, a, b' a=1 b=2 -f text -->"
WRONG = "<!-- ptxscope trace 'vadd.u32.u32 d, a, b' a=1 b=2 -->"
CLOSE = "<!-- /ptxscope -->"
ROOT = Path(__file__).parents[3]
VERSION = f"; ptxscope {__version__}"


def update(*words: object, status: int = 0) -> Done:
    done = run("export", "--update", *map(str, words))
    assert done.returncode == status, done.stderr
    return done


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n\r\n  \n", b"\x00\xc2\xa0", b"\rx", b"\x0c"])
def test_bytes_outside_the_markers_stay(
    mark: bytes, line_end: bytes, end: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "x.md"
    before = mark + b"# x  \r\none\ntwo\n\r\n" + OPEN.encode()
    after = CLOSE.encode() + end
    path.write_bytes(before + line_end + b"old" + line_end + after)
    update(path)
    written = path.read_bytes()
    assert written.startswith(before + line_end)
    assert written.endswith(line_end + after)
    inner = written[len(before) : -len(after)]
    assert b"0x00000003" in inner
    assert inner.count(b"\n") == inner.count(line_end)
    update(path, "--check")


CODE = {
    "fence": "```\n{}\n```\n",
    "tildes": "~~~ md\n{}\n~~~\n",
    "longer": "````\n```\n{}\n```\n````\n",
    "unclosed": "```\n{}\n",
    "indented": "text\n\n    {}\n",
    "tab": "\t{}\n",
    "list": "- item\n\n  ```\n  {}\n  ```\n",
    "quote": "> ```\n> {}\n> ```\n",
    "span": "as `{}` and\n",
    "long span": "as `` ` {} ` `` and\n",
    "escaped": "as \\{} and\n",
    "comment": "<!-- as {}\n",
}
TEXT = {
    "plain": "{}\n",
    "paragraph": "text\n{}\n",
    "within": "text {} text\n",
    "not indented": "   {}\n",
    "in a list": "1. item\n\n   {}\n",
    "after a fence": "```\nx\n```\n{}\n",
    "after a wrong end": "``` a\n``` b\n```\n{}\n",
    "no fence": "``` a`b\n{}\n",
    "after a span": "`x` {}\n",
    "no span": "`` x ` {}\n",
    "continued": "text\n    {}\n",
    "after a comment": "<!-- `` -->\n{}\n",
    "in html": "<details>\n{}\n",
    "heading": "# {}\n",
    "mark": "\ufeff{}\n",
}


@pytest.mark.parametrize("name", CODE)
def test_markers_in_code_are_not_run(name: str) -> None:
    page = CODE[name].replace("{}", WRONG)
    assert updated(page) == page


@pytest.mark.parametrize("name", TEXT)
def test_markers_in_text_are(name: str) -> None:
    page = TEXT[name].replace("{}", OPEN) + "\n" + CLOSE + "\n"
    assert "0x00000003" in updated(page)


PARTS = [OPEN, "`", "``", "```\n", "~~~\n", "\n", "    ", "- ", "> ", "a", "\\", "-->", " ", "\n\n"]
HTML = ["<div>", "</div>", "<pre>", "\r\n", "\t", "1. ", "***\n", "# ", "\n===\n", "  ", "<"]


@given(st.lists(st.sampled_from(PARTS + HTML), max_size=24))
def test_a_marker_is_a_markdown_comment(parts: list[str]) -> None:
    page = "".join(parts)
    # what is code, or text, is escaped
    assert len(find_markers(page)) == MarkdownIt("commonmark").render(page).count(OPEN)


@pytest.mark.parametrize("option", ["--help", "-h", "-o x", "--output=x", "--nonsense", "-f pdf"])
def test_an_option_not_allowed_in_a_marker_is_an_error(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = f"\n{OPEN}\n{CLOSE}\n\n{OPEN.replace('-f text', option)}\n{CLOSE}\n"
    Path("x.md").write_text(page)
    Path("y.md").write_text(f"{OPEN}\n{CLOSE}\n")
    said = update("x.md", "y.md", status=2)
    assert said.stdout == "y.md: updated\n"
    assert said.stderr.startswith("x.md:5: ")
    assert option.partition("=")[0].split()[0] in said.stderr
    assert Path("x.md").read_text() == page
    assert "0x00000003" in Path("y.md").read_text()
    assert sorted(x.name for x in tmp_path.iterdir()) == ["x.md", "y.md"]


def test_every_wrong_marker_is_reported() -> None:
    page = f"{WRONG}\n{CLOSE}\n{OPEN}\n{CLOSE}\n\n{OPEN}\n{WRONG}\n{CLOSE}\n"
    with pytest.raises(CommandError) as caught:
        updated(page, "x.md")
    lines = [x for x in str(caught.value).splitlines() if x.startswith("x.md:")]
    assert [x.split(":")[1] for x in lines] == ["1", "6", "7"]


@pytest.mark.parametrize("format_", ["-f text", "--format=text", "--format text", "-ftext"])
def test_the_format_is_the_marker_s(format_: str) -> None:
    assert "d = 0x00000003" in updated(f"{OPEN.replace('-f text', format_)}\n{CLOSE}\n")


def test_a_failing_file_does_not_affect_other_files(tmp_path: Path) -> None:
    good, latin, folder = tmp_path / "good.md", tmp_path / "latin.md", tmp_path / "folder"
    good.write_text(f"{OPEN}\n{CLOSE}")
    latin.write_bytes(b"one\n\xe9\n")
    folder.mkdir()
    said = update(tmp_path / "none.md", latin, folder, "a\0b", good, status=2)
    assert said.stdout == f"{good}: updated\n"
    assert "none.md: No such file" in said.stderr
    assert "latin.md:2: this is not UTF-8" in said.stderr
    assert "folder: it is a directory, not a regular file" in said.stderr
    assert "not a file name" in said.stderr
    assert latin.read_bytes() == b"one\n\xe9\n"


def test_a_page_changed_by_another_program_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"{OPEN}\n{CLOSE}\n")

    def slowly(words: list[str], *more: Any, **named: Any) -> object:
        path.write_text("theirs")
        return parse_request(words, *more, **named)

    monkeypatch.setattr("ptxscope.features.publish.command.parse_request", slowly)
    said = update(path, status=2)
    assert said.stdout == ""
    assert said.stderr == f"error: {path}: it has changed since it was read, and was not written\n"
    assert path.read_text() == "theirs"


def test_backquotes_in_a_trace_do_not_end_its_fence() -> None:
    words = OPEN.replace("-f text", "-f text --title '```'")
    page = f"{words}\n{CLOSE}\n\n{OPEN}\n{CLOSE}\n"
    made = updated(page)
    assert len(find_markers(made)) == 4
    fences = [x for x in MarkdownIt().parse(made) if x.type == "fence"]
    assert fences[0].content.startswith("```\n")
    assert len(fences) == 2


IN_PAGES = ("markdown", "html", "svg")
"""Formats that a page shows as they are."""

# --- what is not Markdown ------------------------------------------------------------------


@pytest.mark.parametrize("format_", [x for x in FORMATS if x not in (*BINARY, *IN_PAGES)])
def test_other_formats_are_fenced_in_markdown(format_: str) -> None:
    words = ["vadd.u32.s32.s32.sat d.b0, a, b, c", "a=-1", "b=0", "c=0x11223344", "-f", format_]
    page = f"<!-- ptxscope trace {shlex.join(words)} -->\n{CLOSE}\n"
    (fence,) = [x for x in MarkdownIt().parse(updated(page)) if x.type == "fence"]
    assert fence.info == format_
    document = render_request(words)
    assert isinstance(document, str)
    assert fence.content == document.replace(VERSION, "")


def test_html_is_inserted_without_a_fence() -> None:
    made = updated(f"{OPEN.replace('-f text', '-f html')}\n{CLOSE}\n")
    opened, article, closed = MarkdownIt().parse(made)
    assert opened.content.startswith("<!-- ptxscope trace")
    assert article.type == closed.type == "html_block"
    assert article.content.startswith('<article class="ptxscope px-auto"')
    assert article.content.rstrip().endswith("</article>")


def test_equal_traces_have_ids_of_their_own() -> None:
    opened = OPEN.replace("-f text", "-f html")
    page = f"{opened}\n{CLOSE}\n\n" * 3
    made = updated(page)
    ids = re.findall(r' id="([^"]*)"', made)
    assert len(ids) > 9
    assert len(set(ids)) == len(ids)
    assert updated(made) == made
    for label in re.findall(r'aria-labelledby="([^"]*)"', made):
        assert {*label.split()} <= {*ids}


def test_a_duplicate_id_is_an_error() -> None:
    opened = OPEN.replace("-f text", "-f html --id here")
    with pytest.raises(
        CommandError, match="text:4: error: the id here is already used by another trace"
    ):
        updated(f"{opened}\n{CLOSE}\n\n{opened}\n{CLOSE}\n")


PLACES = {
    "list": ("- item\n\n  {}\n  {}\n- next\n", ["bullet_list"]),
    "in its line": ("- {}\n  {}\n- next\n", ["bullet_list"]),
    "number": ("12. item\n    {}\n    {}\n13. next\n", ["ordered_list"]),
    "nested": ("- a\n  * b\n\n    {}\n    {}\n  * c\n- d\n", ["bullet_list", "bullet_list"]),
    "quote": ("> quoted\n>\n> {}\n> {}\n", ["blockquote"]),
    "quoted list": ("> - {}\n>   {}\n", ["blockquote", "bullet_list"]),
    "top": ("text\n    {}\n\n{}\n", []),
}


@sampled
@pytest.mark.parametrize("format_", ["text", "markdown", "json", "html", "c"])
@pytest.mark.parametrize("place", PLACES)
def test_a_trace_is_inserted_inside_its_list_or_quote(place: str, format_: str) -> None:
    frame, around = PLACES[place]
    page = frame.format(OPEN.replace("-f text", f"-f {format_}"), CLOSE)
    made = updated(page)
    assert updated(made) == made
    inside: list[str] = []
    said: list[tuple[list[str], str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(made):
        name = token.type.removesuffix("_open").removesuffix("_close")
        if name in ("bullet_list", "ordered_list", "blockquote"):
            if token.nesting > 0:
                inside.append(name)
            else:
                inside.pop()
        elif token.content:
            said.append(([*inside], token.content))
    assert any(where == around and "vadd.u32.u32.u32 d, a, b" in text for where, text in said)
    assert all(where == around for where, text in said if "ptxscope" in text or "0x0" in text)
    lists = sum(x.type.endswith("list_open") for x in MarkdownIt().parse(made))
    assert lists == sum(x.type.endswith("list_open") for x in MarkdownIt().parse(page))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_lines_of_a_quote_have_no_trailing_blanks(line_end: str) -> None:
    page = f"> {OPEN}\n> {CLOSE}\n".replace("\n", line_end)
    made = updated(page)
    assert all(line == line.rstrip() for line in made.split(line_end))
    assert all(line.startswith(">") for line in made.split(line_end)[:-1])


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_picture_stays_in_its_cell_of_a_table_and_in_its_sentence(line_end: str) -> None:
    picture = '<!-- ptxscope trace "setp.lt.u32 p, a, b" a=1 b=2 -o c.svg -->'
    table = f"| a |\n|---|\n| {picture} {CLOSE} |\n| y |\n\nSee {picture}{CLOSE} here.\n"
    made = updated(table.replace("\n", line_end))
    assert updated(made) == made
    assert made.count(line_end) == table.count("\n")
    tokens = MarkdownIt("commonmark").enable("table").parse(made)
    images = [token.children or [] for token in tokens if token.type == "inline"]
    assert [sum(x.type == "image" for x in line) for line in images] == [0, 1, 0, 1]
    assert sum(token.type == "tr_open" for token in tokens) == 3


def test_what_has_several_lines_is_refused_in_a_line_of_text() -> None:
    with pytest.raises(CommandError, match="text:3: in a line of text or a cell of a table, only"):
        updated(f"| a |\n|---|\n| {OPEN} {CLOSE} |\n")


# --- pictures ------------------------------------------------------------------------------

WORDS = ["vadd.u32.u32.u32 d, a, b", "a=1", "b=2", "-f", "svg"]


def picture(file: str, more: str = "") -> str:
    return f"{OPEN.replace('-f text', f'-f svg -o {file} {more}')}\n{CLOSE}\n"


def find_images(page: str) -> list[Token]:
    tokens = MarkdownIt().parse(page)
    return [x for token in tokens for x in token.children or () if x.type == "image"]


def test_a_picture_is_a_file_beside_the_page(tmp_path: Path) -> None:
    (tmp_path / "img").mkdir()
    path = tmp_path / "x.md"
    path.write_text(f"- item\n\n  {picture('img/pic.svg').replace(CLOSE, '  ' + CLOSE)}")
    update(path, "--check", status=1)
    assert [*(tmp_path / "img").iterdir()] == []
    update(path)
    drawn = render_request(WORDS)
    assert isinstance(drawn, str)
    assert (tmp_path / "img" / "pic.svg").read_text("utf-8") == drawn.replace(VERSION, "")
    made = path.read_text("utf-8")
    assert "<svg" not in made
    (image,) = find_images(made)
    assert image.attrs["src"] == "img/pic.svg"
    assert image.content == (
        "vadd.u32.u32.u32 d, a, b on a = 0x00000001, b = 0x00000002 gives d = 0x00000003, 3."
    )
    update(path, "--check")
    (tmp_path / "img" / "pic.svg").unlink()
    assert update(path, "--check", status=1).stdout == f"{path}:3: stale: pic.svg is missing\n"
    update(path)
    update(path, "--check")


def test_a_name_with_blanks_is_a_link(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(picture("'my [pic] (1).svg'"))
    update(path)
    assert (tmp_path / "my [pic] (1).svg").exists()
    (image,) = find_images(path.read_text("utf-8"))
    assert image.attrs["src"] == "my%20%5Bpic%5D%20%281%29.svg"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("/tmp/x.svg", "must be in the folder of the page"),
        ("../x.svg", "must be in the folder of the page"),
        ("a/../../x.svg", "must be in the folder of the page"),
        ("'a\\\\b.svg'", "must be in the folder of the page"),
        ("c:x.svg", "must be in the folder of the page"),
        ("x.md", "end in .svg"),
        ("x.png", "end in .svg"),
        ("out/x.svg", "is outside"),
        ("theirs.svg", "is not a picture by ptxscope"),
        ("logo.svg", "is not a picture by ptxscope"),
        ("folder.svg", "it is a directory, not a regular file"),
        ("loop.svg", "loop.svg"),
        ("none/all/x.svg", "make the folder"),
        ("theirs.svg/t.svg", "theirs.svg"),
    ],
)
def test_a_picture_destroys_nothing(file: str, said: str, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "theirs.svg").write_text("text")
    (folder / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (folder / "folder.svg").mkdir()
    (folder / "out").symlink_to(tmp_path)
    (folder / "loop.svg").symlink_to("loop.svg")
    page = folder / "x.md"
    page.write_text(picture(file))
    before = {x: x.read_bytes() for x in tmp_path.rglob("*") if x.is_file()}
    assert said in update(page, status=2).stderr
    assert {x: x.read_bytes() for x in tmp_path.rglob("*") if x.is_file()} == before


def test_two_pictures_of_one_name_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(picture("p.svg") + "\n" + picture("p.svg"))
    update(path)
    page = picture("p.svg") + "\n" + picture("p.svg", "--title T")
    path.write_text(page)
    update(path, status=2)
    assert path.read_text() == page


def test_a_picture_changed_by_another_program_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, drawn = tmp_path / "x.md", tmp_path / "p.svg"
    path.write_text(picture("p.svg"))
    update(path)
    path.write_text(page := picture("p.svg", "--title T"))
    from ptxscope.files import replace

    def meanwhile(path: Path, data: bytes, **more: object) -> None:
        drawn.write_text("<svg>px-svg theirs</svg>")
        replace(path, data, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("ptxscope.features.publish.command.replace", meanwhile)
    assert "it has changed since it was read" in update(path, status=2).stderr
    assert drawn.read_text() == "<svg>px-svg theirs</svg>"
    assert path.read_text() == page


# --- misspelt markers ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        ("one\n\n<!-- ptxscop trace 'vadd d, a, b' -->\n", [3]),
        ("<!-- ptxscope trcae 'vadd d, a, b' -->", [1]),
        ("<!-- ptxscope: trace 'vadd d, a, b' -->", [1]),
        ("<!-- PTXscope trace 'vadd d, a, b' -->", [1]),
        ("<!-- / ptxscope -->", [1]),
        ("<!-- /ptxsope -->", [1]),
        ("<!-- \\ptxscope -->", [1]),
        ("<!-- ptxscope -->", [1]),
        ("<!--/ptxscope: -->", [1]),
        (f"{CLOSE}\n\n{OPEN}\n{CLOSE}\n\n{CLOSE}\n", [1, 6]),
        ("", []),
        ("<!-- a comment -->\n", []),
        ("`<!-- ptxscop -->`\n", []),
        ("    <!-- ptxscop -->\n", []),
        ("ptxscop\n", []),
        (f"{OPEN}\n{CLOSE}\n", []),
        ("<!-- microscope -->\n", []),
        ("<!-- telescope: x -->\n", []),
        ("<!-- ptxscope: ignore[E3] -->\n", []),
    ],
)
def test_misspelt_and_unmatched_markers_are_found(page: str, lines: list[int]) -> None:
    assert [x.line for x in find_doubtful(page)] == lines


def test_a_page_with_a_misspelt_marker_is_not_written(tmp_path: Path) -> None:
    path, other = tmp_path / "x.md", tmp_path / "other.md"
    path.write_text(text := f"one\n\n<!-- ptxscop -->\n\n{OPEN}\n{CLOSE}\n")
    other.write_text(f"{OPEN}\n{CLOSE}\n")
    said = update(path, other, status=2)
    assert said.stdout == f"{other}: updated\n"
    assert said.stderr.startswith(f"{path}:3: `<!--")
    assert said.stderr.count("\n") == 1
    assert path.read_text() == text


# --- by the name of a file -----------------------------------------------------------------------


def page_with(words: str) -> str:
    return f"{OPEN.replace('-f text', words)}\n{CLOSE}\n"


@pytest.mark.parametrize(("ending", "begin"), [("svg", b"<svg "), ("png", b"\x89PNG")])
def test_the_suffix_of_a_picture_decides_its_format(
    ending: str, begin: bytes, tmp_path: Path
) -> None:
    pytest.importorskip("resvg_py")
    path = tmp_path / "x.md"
    path.write_text(page_with(f"-o pic.{ending}"))
    update(path)
    assert (tmp_path / f"pic.{ending}").read_bytes().startswith(begin)
    assert f"](pic.{ending})" in path.read_text()
    update(path, "--check")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-f svg", "-f svg needs -o FILE.svg"),
        ("-f json -o x.json", "is for pictures"),
        ("-o pic.pdf", "cannot show a PDF"),
        ("-o pic.json", "-o or --output is for pictures"),
        ("-o pic", "-o or --output is for pictures"),
        ("--theme dark", "--theme does nothing in markdown; it is for html, svg, png and pdf"),
        ("-f json --standalone", "--standalone does nothing in json"),
    ],
)
def test_an_impossible_request_in_a_marker_is_reported(words: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        updated(page_with(words))


def test_a_marker_takes_fold_without_a_value(tmp_path: Path) -> None:
    line = "ptxscope trace '{ brev.b32 t, a; popc.b32 d, t; }' a=7"
    pages = [tmp_path / name for name in ("a.md", "b.md")]
    for page, option in zip(pages, ("--fold", "--fold=but-last"), strict=True):
        page.write_text(f"<!-- {line} {option} -->\n<!-- /ptxscope -->\n")
        update(page)
    bare, named = (page.read_text().replace("=but-last", "") for page in pages)
    assert bare == named
    assert "popc" in bare.split("-->", 1)[1]


# --- encodings, and places of pictures ----------------------------------------------------------

COMMAND = "ptxscope trace 'vadd4.s32.s32.s32.sat d, a, b, c' a=0x7f b=1 c=0"
PAGE = f"# Größe\r\n\r\n<!-- {COMMAND} -->\r\n<!-- /ptxscope -->\r\n\r\nEnde ✓\r\n"


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    ],
)
def test_an_updated_page_keeps_its_encoding(tmp_path: Path, encoding: str, mark: bytes) -> None:
    page = tmp_path / "page.md"
    page.write_bytes(mark + PAGE.encode(encoding))
    assert run("export", "--update", str(page)) == (0, f"{page}: updated\n", "")
    made = page.read_bytes()
    assert made.startswith(mark)
    text = made[len(mark) :].decode(encoding)
    assert text.startswith("# Größe\r\n")
    assert text.endswith("Ende ✓\r\n")
    assert "`0x0000007f`" in text
    assert run("export", "--update", "--check", str(page)) == (0, "", "")


def test_an_incomplete_character_is_reported_with_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_bytes(codecs.BOM_UTF16_LE + "a\nb\n".encode("utf-16-le") + b"\x00")
    done = run("export", "--update", str(page))
    assert done.returncode == 2
    assert "page.md:3: this is not UTF-16" in done.stderr


def test_the_end_of_a_comment_in_a_title_is_an_error_unless_split(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"<!-- {COMMAND} --title 'a --> b' -->\n<!-- /ptxscope -->\n")
    done = run("export", "--update", str(page))
    assert done.returncode == 2
    assert "page.md:1: a quote is opened and not closed before the first -->" in done.stderr
    page.write_text(f"<!-- {COMMAND} --title 'a --''> b' -->\n<!-- /ptxscope -->\n")
    assert run("export", "--update", str(page)).returncode == 0
    assert "## a --&gt; b" in page.read_text()


def test_completion_offers_options_after_a_file() -> None:
    assert offered("export", "--update", "a.md", "--c") == ["--check"]


# --- what is stale ------------------------------------------------------------------------------


def check(path: Path) -> str:
    return update(path, "--check", status=1).stdout.removeprefix(str(path))


SHOWN = ["text", "markdown", "rst", "asciidoc", "html"]


@pytest.mark.parametrize("format_", SHOWN)
def test_a_stale_trace_is_named_by_its_line_and_what_changed(format_: str, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"one\n\n{OPEN.replace('-f text', f'-f {format_}')}\n{CLOSE}\n")
    assert check(path) == ":3: stale: there is no trace yet\n"
    update(path)
    made = path.read_text("utf-8")
    at = made.rindex("0x00000003")  # the result, which 1 + 2 is
    path.write_text(f"{made[:at]}0x00000004{made[at + 10 :]}", "utf-8")
    assert check(path) == ":3: stale: d was 0x00000004, is 0x00000003\n"
    path.write_text(made.replace("1 + 2 = 3", "1 + 2 = 4"), "utf-8")
    assert check(path) == ":3: stale: the steps changed, the result did not\n"
    path.write_text(made.replace("nothing wraps yet", "it wraps nothing"), "utf-8")
    assert check(path) == ":3: stale: only the drawing or the wording changed\n"
    path.write_text(made.replace("PTX ISA 9.2", "PTX ISA 9.1"), "utf-8")
    assert check(path) == ":3: stale: only the drawing or the wording changed\n"


@pytest.mark.parametrize("format_", SHOWN)
def test_a_stale_predicate_is_named(format_: str, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    line = f"<!-- ptxscope trace 'setp.lt.s32 p|q, a, b' a={{}} b=2 -f {format_} -->"
    path.write_text(f"{line.format(1)}\n{CLOSE}\n")
    update(path)
    made = path.read_text("utf-8")
    path.write_text(line.format(2) + made[len(line.format(1)) :], "utf-8")
    assert check(path) == ":1: stale: p was 1, is 0; q was 0, is 1\n"


@pytest.mark.parametrize("format_", ["svg", "png"])
def test_a_stale_picture_is_named_by_what_changed(format_: str, tmp_path: Path) -> None:
    if format_ == "png":
        pytest.importorskip("resvg_py")
    path, drawn = tmp_path / "x.md", tmp_path / f"x.{format_}"
    marker = OPEN.replace("-f text", f"-o x.{format_}")
    path.write_text(f"{marker}\n{CLOSE}\n")
    update(path)
    made, data = path.read_text("utf-8"), drawn.read_bytes()
    path.write_text(marker.replace("b=2", "b=3") + made[len(marker) :], "utf-8")
    assert check(path) == ":1: stale: d was 0x00000003, is 0x00000004\n"
    path.write_text(made, "utf-8")
    drawn.write_bytes(data + b" ")
    assert check(path) == ":1: stale: only the drawing or the wording changed\n"
    drawn.unlink()
    assert check(path) == f":1: stale: x.{format_} is missing\n"


def test_a_stale_form_is_not_said_to_have_a_result(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"<!-- ptxscope show vadd4 -->\n{CLOSE}\n")
    update(path)
    made = path.read_text("utf-8")
    path.write_text(made.replace("sm_30", "sm_20"), "utf-8")
    assert check(path) == ":1: stale: only the drawing or the wording changed\n"
    path.write_text(re.sub(r"\b4\b", "5", made), "utf-8")
    assert path.read_text("utf-8") != made
    assert check(path) == ":1: stale: the values changed\n"


@pytest.mark.parametrize(
    "words",
    [
        *(f"-f {x}" for x in SHOWN),
        "-o x.svg",
        "-o x.svg --beside 'add.u32 d, a, b'",
        *(f"-f {x}" for x in FORMATS if x in ("c", "python")),
    ],
)
def test_a_release_makes_no_trace_stale(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.md"
    form = f"<!-- ptxscope show 'prmt.b32 d, a, b, c' -o form.svg -->\n{CLOSE}\n"
    path.write_text(f"{OPEN.replace('-f text', words)}\n{CLOSE}\n\n{form}")
    update(path)
    monkeypatch.setattr("ptxscope.documents.content.document_builder.__version__", "9.9")
    update(path, "--check")


def test_the_hook_reads_markdown_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    hook = text.partition("- id: ptxscope-export\n")[2]
    (pattern,), (entry,) = re.findall("files: '(.*)'", hook), re.findall("entry: (.*)", hook)
    assert [bool(re.search(pattern, x)) for x in ("a/b.md", "x.markdown", "md.py")] == [
        True
    ] * 2 + [False]
    monkeypatch.chdir(tmp_path)
    Path("x.md").write_text(f"{OPEN}\n{CLOSE}\n")
    command, *words = entry.split()
    assert command == "ptxscope"
    assert run(*words, "x.md").returncode == 1
    update("x.md")
    assert run(*words, "x.md").returncode == 0


def test_the_github_action_marks_stale_traces(tmp_path: Path) -> None:
    text = (ROOT / ".github/actions/export/action.yml").read_text(encoding="utf-8")
    script = "\n".join(x.removeprefix(" " * 8) for x in text.rpartition("run: |")[2].splitlines())
    command = tmp_path / "ptxscope" / "bin" / "ptxscope"
    command.parent.mkdir(parents=True)
    folder = tmp_path / "pages"
    command.write_text(
        f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} "
        f'exec {shlex.quote(sys.executable)} -m ptxscope "$@"\n',
        encoding="utf-8",
    )
    command.chmod(0o755)
    (folder / "a").mkdir(parents=True)
    name = "100%, $(touch hacked).md"
    (folder / "a" / name).write_text(f"text\n\n{OPEN}\n{CLOSE}\n", encoding="utf-8")
    (folder / "b.md").write_text(f"{OPEN}\n{CLOSE}\n", encoding="utf-8")
    update(folder / "b.md")
    (folder / "c.md").write_text("ptxscope is not mentioned in a marker\n", encoding="utf-8")

    def run_action(files: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            env={"PATH": "/usr/bin:/bin", "RUNNER_TEMP": str(tmp_path), "FILES": files},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )

    done = run_action("**/*.md\nnone*.md")
    assert done.returncode == 1
    place = "file=a/100%25%2C $(touch hacked).md,line=3"
    renewal = f"to renew: ptxscope export --update 'a/{name}'\n"
    error = rf"::error {re.escape(place)}::stale: [^\n]+\n"
    assert re.fullmatch(error + re.escape(renewal), done.stdout)
    assert not (folder / "hacked").exists()
    assert run_action("b.md").returncode == 0
    done = run_action("none*.md")
    assert (done.returncode, done.stdout) == (0, "no file with a trace matches none*.md\n")
    assert "c.md has no marker" in run_action("c.md").stdout
    (folder / "d.md").write_text(f"\n<!-- ptxscop trace -->\n{CLOSE}\n", encoding="utf-8")
    done = run_action("*.md")
    assert done.returncode == 2
    assert done.stdout.startswith("::error file=d.md,line=2::`<!-- ptxscop trace")
