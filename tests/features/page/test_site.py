"""The files of the page: what they load, what their policy allows, how long they are."""

from __future__ import annotations

import html
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from errno import ENOSPC
from html import unescape
from pathlib import Path

import html5lib
import pytest

from ptxscope import trace
from ptxscope.cli import main
from ptxscope.documents import export
from ptxscope.documents.options import Options
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.syntax.parser import parse
from ptxscope.features import page
from ptxscope.features.page.explorer_page import ExplorerPage, map_copies
from ptxscope.features.page.live_figure import LiveFigure
from ptxscope.features.page.live_markup import make_live_figure
from ptxscope.features.page.permalink import parse_permalink
from ptxscope.features.page.site import CDN, FILES, make_site, write_files
from tests.features.page.default_site import make_default_site

FILES_FOLDER = Path(page.__file__).parent / "files"
MAX_SCRIPT_LINES = 800


@pytest.fixture(scope="module")
def site() -> Mapping[str, bytes]:
    return make_default_site()


def test_the_scripts_are_short() -> None:
    lines = [x for path in FILES_FOLDER.glob("*.js") for x in path.read_text("utf-8").splitlines()]
    assert len(lines) <= MAX_SCRIPT_LINES


def test_the_scripts_write_no_markup() -> None:
    text = "".join(path.read_text("utf-8") for path in FILES_FOLDER.glob("*.js"))
    assert not re.search(r"\beval\(|new Function|outerHTML|document\.write|insertAdjacent", text)
    assert text.count("innerHTML") == 1  # a document of ptxscope, in a live figure


def test_the_page_has_a_button_for_each_copy(site: Mapping[str, bytes]) -> None:
    names = re.findall(r'data-copy="(\w+)"', site["index.html"].decode())
    assert names == [*map_copies()]


def test_the_page_has_no_inline_script_or_style(site: Mapping[str, bytes]) -> None:
    index = site["index.html"].decode()
    html5lib.HTMLParser(strict=True).parse(index)
    assert "{{" not in index
    assert not re.search(r"<style|<script(?![^>]*src=)| on\w+=| style=", index)
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]+)"', index)[0])
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "'unsafe-eval'" not in policy
    assert set(re.findall(r"https?://\S+", policy.replace(";", " "))) == {CDN}


def test_the_first_picture_is_that_of_the_export(site: Mapping[str, bytes]) -> None:
    trace = ExplorerPage().state.trace
    first = Options(steps=frozenset({trace.steps[0].place}), result=False, is_early=True)
    svg = export(trace, "svg", first)
    bare = re.sub("<style>.*?</style>\n", "", svg, flags=re.DOTALL)
    assert bare in site["index.html"].decode()


def test_the_gallery_links_to_an_example_of_every_instruction(site: Mapping[str, bytes]) -> None:
    links = re.findall('<a href="#([^"]*)"><img src="([^"]*)"', site["index.html"].decode())
    lines = [parse(parse_permalink(unescape(fragment)).line) for fragment, _ in links]
    assert [x.opcode for x in lines] == [*CATALOG]
    for line, (_, file) in zip(lines, links, strict=True):
        assert str(line) in unescape(site[file].decode()), file


def test_every_file_of_the_runtime_has_its_hash(site: Mapping[str, bytes]) -> None:
    config = json.loads(site["engine.json"])
    assert config["runtime"] == CDN
    assert {*config["files"]} == {*FILES, config["archive"]}
    assert all(x["integrity"].startswith("sha384-") for x in config["files"].values())


def test_the_archive_has_ptxscope_without_the_terminal(site: Mapping[str, bytes]) -> None:
    name = json.loads(site["engine.json"])["archive"]
    names = zipfile.ZipFile(io.BytesIO(site[name])).namelist()
    assert "ptxscope/features/page/explorer_page.py" in names
    parts = [x.split("/") for x in names if x.startswith("ptxscope/features/")]
    assert not [x for x in parts if {*x[3:]} & {"terminal", "commands", "command.py"}]
    assert not [x for x in names if x.startswith(("ptxscope/widgets", "ptxscope/app"))]
    assert make_site(None)[name] == site[name]


_USE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from ptxscope.features.page.explorer_page import ExplorerPage
from ptxscope.features.page.live_figure import LiveFigure
from ptxscope.features.page.tool_table import map_tools
page = ExplorerPage("vadd4.s32.s32.s32+d,+a,+b,+c&a=1&b=2")
for action in map_tools().values():
    page.handle(action)
    assert page.state.panel, action
figure = LiveFigure(json.dumps(["vadd4.s32.s32.s32 d, a, b, c", "a=1", "b=2", "-f", "svg"]))
assert "<svg" in json.loads(figure.render('{"a": "3", "b": "2"}'))["document"]
"""


def test_the_archive_runs_without_other_packages(site: Mapping[str, bytes], tmp_path: Path) -> None:
    name = json.loads(site["engine.json"])["archive"]
    zipfile.ZipFile(io.BytesIO(site[name])).extractall(tmp_path)
    command = [sys.executable, "-I", "-S", "-c", _USE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_foreign_page_is_replaced_only_by_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = tmp_path / "index.html"
    index.write_text("<title>mine</title>")
    assert main(["page", "-o", str(tmp_path)]) == 2
    assert "is not a web explorer of ptxscope; --force replaces it" in capsys.readouterr().err
    assert [x.name for x in tmp_path.iterdir()] == ["index.html"]
    assert main(["page", "-o", str(tmp_path), "--force"]) == 0
    index.write_bytes(index.read_bytes() + b"<!-- older -->")
    assert main(["page", "-o", str(tmp_path)]) == 0
    assert index.read_bytes().endswith(b"</html>\n")
    assert not [x for x in tmp_path.iterdir() if x.name.startswith(".")]


@pytest.mark.parametrize("former", [{}, {"index.html": b"before"}])
def test_a_failed_write_leaves_the_folder_unchanged(
    former: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new" / "site"
    for name, data in former.items():
        folder.mkdir(parents=True)
        (folder / name).write_bytes(data)

    def fail_on_the_last(path: Path, data: bytes) -> None:
        if path.name == "c.js":
            raise OSError(ENOSPC, "No space left on device", str(path))
        path.write_bytes(data)

    monkeypatch.setattr("ptxscope.features.page.site.replace_file", fail_on_the_last)
    with pytest.raises(OSError, match="No space"):
        write_files(folder, {"index.html": b"now", "runtime/b": b"", "c.js": b""})
    kept = {str(x.relative_to(tmp_path)): x for x in tmp_path.rglob("*") if x.is_file()}
    assert {name: x.read_bytes() for name, x in kept.items()} == {
        f"new/site/{name}": data for name, data in former.items()
    }
    assert (tmp_path / "new").exists() == bool(former)


def test_a_runtime_of_another_version_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes(b"x")
    assert main(["page", "-o", str(tmp_path / "site"), "--runtime", str(tmp_path)]) == 2
    assert "is not the one of Pyodide" in capsys.readouterr().err
    assert main(["page", "-o", str(tmp_path / "site"), "--runtime", str(tmp_path / "none")]) == 2


# --- live figures ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "values", "edited"),
    [
        ("vadd4.s32.s32.s32.sat d.b210, a, b, c", {"a": "0x7f", "b": "1", "c": "0"}, "a"),
        ("{ popc.b32 %t, %a; mul.lo.u32 %d, %t, %b; }", {"%a": "255", "%b": "3"}, "%a"),
        ("__vhaddu4(a, b)", {"a": "1", "b": "2"}, "b"),
    ],
)
def test_a_live_figure_has_the_still_document_of_its_values(
    line: str, values: dict[str, str], edited: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def show(values: dict[str, str], *words: str) -> str:
        given = map("=".join, values.items())
        assert main([*words, line, *given, "--title", "T <b>", "-f", "html"]) == 0
        return capsys.readouterr().out

    def show_still(values: dict[str, str]) -> str:
        return show(values, "trace")

    live, other = show(values, "page", "--site", "site/", "--figure"), values | {edited: "0x7f7f"}
    assert show_still(values) in live
    assert 'src="site/live.js"' in live
    assert "T <b>" not in live
    assert {*re.findall('name="([^"]+)"', live)} == {*values}
    figure = LiveFigure(html.unescape(re.findall('data-words="([^"]*)"', live)[0]))
    assert json.loads(figure.render(json.dumps(values)))["document"] == show_still(values)
    assert json.loads(figure.render(json.dumps(other)))["document"] == show_still(other)
    answer = json.loads(figure.render(json.dumps(values | {edited: "<b>"})))
    assert "is not a value" in answer["error"]


def test_the_style_of_fields_is_not_for_the_document() -> None:
    """A document has a checkbox of its own, whose words must not be a field's width away."""
    live = make_live_figure("", trace("vadd.s32.s32.s32 d, a, b", {"a": 1, "b": 2}), (), ".")
    selectors = re.findall(r"([^{}]+)\{", live.partition("</style>")[0].partition("<style>")[2])
    assert all("input" not in x or x == ".px-live form input" for x in selectors)
