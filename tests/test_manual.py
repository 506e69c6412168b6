"""The manual: what it shows is what is computed, what it tells to type does what it says."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from ptxscope.cli.commands.open import make_parser as open_arguments
from ptxscope.cli.commands.show import DAGGER
from ptxscope.cli.support.command_table import COMMANDS
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.grammar import format_syntax
from ptxscope.engine.semantics.errata import ERRATA
from ptxscope.engine.semantics.erratum import Erratum
from ptxscope.engine.semantics.misconceptions import MISCONCEPTIONS
from ptxscope.export import FORMATS
from tests.cli.running import run
from tests.export.browser import CHROMIUM, Browser
from tests.reference import reference
from tests.tiers import ci_only, sampled
from tools import manual, manual_pages, manual_pictures
from tools.manual_shown import blocks, commands, pictures, put_files, renewed, written
from tools.manual_text import said, sentence, table
from tools.manual_worked import events, worked

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
OPCODES = list(CATALOG)


@cache
def pages() -> dict[str, str]:
    return manual.pages()


WRITTEN = written()


def page_of(opcode: str) -> str:
    return pages()[f"instructions/{opcode}"]


def test_what_is_made_is_known_by_its_folder_or_its_name() -> None:
    assert {path.partition("/")[0] for path in pages()} == {*manual.FOLDERS, *manual.FILES}


# --- a page an instruction -----------------------------------------------------------------


@pytest.mark.parametrize("opcode", OPCODES)
def test_every_slot_and_value_is_on_the_page(opcode: str) -> None:
    entry, page = CATALOG[opcode], page_of(opcode)
    assert f"\n   {format_syntax(entry)}\n" in page
    _, chosen = page.split("What can be chosen\n", 1)
    chosen, _, operands = chosen.partition("Worked examples\n")[0].partition("   * - operand\n")
    rows = dict(re.findall(r"   \* - ``(\w+)``\n     - [^\n]*\n     - ([^\n]*)\n", chosen))
    for slot in entry.slots:
        values = rows[slot.name]
        if len(slot.values) > 20:
            assert f"{len(slot.values):,}" in values
            continue
        for value in slot.values:
            assert slot.format_value(value) in values.replace(f"\\ {DAGGER}", "")
    for operand in entry.operands:
        assert f"   * - ``{operand.role}``\n" in operands


@sampled
@pytest.mark.parametrize("opcode", OPCODES)
def test_three_examples_each_shows_something_else(opcode: str) -> None:
    entry = CATALOG[opcode]
    first, second, third = worked(entry)
    assert str(first.trace.instruction).startswith(entry.example[0].partition(" ")[0])
    assert events(second.trace) or (opcode == "selp" and second.title == "The other way")
    form = third.trace.instruction.form
    assert (
        third.parts
        or form.negc
        or (form.mask and form.asel and form.bsel)
        or set(events(third.trace)) - set(events(second.trace))
    )
    if any(opcode in erratum.opcodes for erratum in ERRATA):
        assert third.parts
    assert len({(x.trace.instruction, tuple(x.trace.operands.items())) for x in worked(entry)}) == 3


@pytest.mark.parametrize("opcode", OPCODES)
def test_every_result_on_the_page_is_that_of_the_reference(opcode: str) -> None:
    page = page_of(opcode)
    shown = re.findall(
        r"\.\. ptx-trace:: (.+)\n   :operands: (.+)\n"
        r"(?:.+\n)+?\n(?:- .*\n)*\n*The result is (.*)\n",
        page,
    )
    assert len(shown) == 3
    for line, given, told in shown:
        given = f"c=0 {given}"  # some forms have to name c and do not read it
        values = {
            name: int(bits, 0) for name, _, bits in (x.partition("=") for x in shlex.split(given))
        }
        documented, _, rest = told.partition(". ptxas")
        wanted = reference(line.rstrip(";"), values, "isa")
        assert _told(documented) == wanted, line
        if rest:
            version = "ptxas" + rest.partition(" ")[0]
            assert version in ("ptxas-13.0", "ptxas-13.5")
            assert _told(rest.partition(" (")[0]) == reference(line.rstrip(";"), values, version)
            assert f"</errata/e{rest.partition('</errata/e')[2].partition('>')[0]}>" in rest


def _told(text: str) -> dict[str, int]:
    """The results of a sentence, by name."""
    return {name: int(bits, 0) for name, bits in re.findall(r"``(\S+) = (\w+)``", text)}


def test_no_number_on_a_page_is_typed() -> None:
    # what is not of a trace, of the catalog or of the errata would stand in the generator
    for name in ("manual.py", "manual_pages.py", "manual_reference.py", "manual_text.py"):
        source = (ROOT / "tools" / name).read_text(encoding="utf-8")
        inputs = re.sub(r"_(?:BITING|CORRECTIONS|CONSTANTS)\b.*?^\}", "", source, flags=re.S | re.M)
        assert not re.findall(r"0x\w+", inputs), name


def test_documents_begin_with_which_format_is_for_what() -> None:
    text = (ROOT / "docs" / "writing.rst").read_text(encoding="utf-8")
    table = text.partition(".. list-table::")[2].partition("\nSphinx\n")[0]
    named = {x.strip("`") for x in re.findall(r"``[a-z]+``", table)}
    assert named == set(FORMATS)


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda x: x.id)
def test_an_erratum_shows_both_measured_results(erratum: Erratum) -> None:
    _, _, isa, ptxas = erratum.example
    page, index = pages()[f"errata/{erratum.id.lower()}"], pages()["errata/index"]
    row = index.partition(f":doc:`{erratum.id} ")[2].partition("\n\n")[0]
    assert said(erratum.forms) in row
    assert sentence(erratum.sentence) in row
    for shown in (page, row):
        assert f"``{isa:#010x}``" in shown
        assert f"``{ptxas:#010x}``" in shown
    for opcode in erratum.opcodes:
        assert f"</errata/{erratum.id.lower()}>" in page_of(opcode)
        assert f"</instructions/{opcode}>" in page


def test_what_is_expected_is_shown_beside_what_is_documented() -> None:
    page = pages()["expectations"]
    for x in MISCONCEPTIONS:
        part = page.partition(f"{x.id}: if ")[2].partition("If it were so")
        _, _, documented, expected = x.example
        assert f"``{documented:#010x}``" in part[0]
        assert f"``{expected:#010x}``" in part[2].partition("\n\n")[0]


def test_an_entry_of_the_catalog_needs_no_word_here() -> None:
    # a new one gets its page, and examples, of what is known of it
    entry = CATALOG["vadd4"]._replace(summary="add *four* |pairs|_ of `bytes`")
    page = "\n".join(manual_pages.instruction_page(entry))
    assert "Add \\*four\\* \\|pairs\\|\\_ of ``bytes``." in page


# --- the references ----------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_told(command: str) -> None:
    page = pages()[f"commands/{command}"]
    told = run(command, "--help").stdout
    options = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", told.partition("options:")[2]))
    assert options
    for option in options - {"-c"}:  # of a shell, in an example
        assert option in page, option


def test_every_field_of_the_schema_is_told() -> None:
    schema = (ROOT / "ptxscope/export/trace.schema.json").read_text(encoding="utf-8")
    names = set[str]()

    def gather(part: object) -> None:
        if isinstance(part, dict):
            names.update(part.get("properties", {}))
            for inner in part.values():
                gather(inner)
        elif isinstance(part, list):
            for inner in part:
                gather(inner)

    gather(json.loads(schema))
    told = set(re.findall(r"(?:\.|   \* - ``)(\w+)(?:\[\])?``\n", pages()["json"]))
    assert names <= told
    assert len(names) > 40


# --- how it is written -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("|a - b| of *p", "\\|a - b\\| of \\*p"),
        ("`.sat`s `x`", "``.sat``\\ s ``x``"),
        ("a lone ` tick", "a lone \\` tick"),
        ("no `vset`'s `d.b0`, is", "no ``vset``'s ``d.b0``, is"),
    ],
)
def test_sentences_are_data(text: str, written: str) -> None:
    assert said(text) == written


def test_a_sentence_ends_once_and_keeps_an_operands_name() -> None:
    assert sentence("c is ignored.") == "c is ignored."
    assert sentence("the low byte") == "The low byte."


def test_a_table_has_its_cells_in_rows() -> None:
    assert table(("x", "y"), [("1", "2")])[-5:] == [
        "   * - x",
        "     - y",
        "   * - 1",
        "     - 2",
        "",
    ]


# --- what it tells to type ---------------------------------------------------------------------


CONSOLE = [
    (path, block)
    for path in WRITTEN
    for _, block in blocks(path.read_text(encoding="utf-8"), "console")
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the manual shows, each under its name."""
    folder = tmp_path_factory.mktemp("files")
    put_files(folder)
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with these."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@ci_only
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("path", "block"), CONSOLE, ids=[f"{path.stem}-{at}" for at, (path, _) in enumerate(CONSOLE)]
)
def test_a_command_prints_what_is_shown(path: Path, block: str) -> None:
    for command in commands(block):
        (program, *words), shown = command.words, command.shown
        assert program == "ptxscope"
        if words[0] not in COMMANDS:  # the explorer: what it is given can be read
            assert open_arguments().parse_intermixed_args(words).ptx == words[0]
            continue
        done = run(*words)
        assert done.returncode in ((0, 1) if "--expect" in words else (0,)), done.stderr
        if shown:
            assert done.stdout == shown
        if "-o" in words:
            drawn = Path(words[words.index("-o") + 1])
            assert drawn.stat().st_size > 100
            for _, picture in filter(lambda x: x[0][1:] == words, pictures(path)):
                assert drawn.read_bytes() == picture.read_bytes()


@ci_only
def test_what_is_stale_is_renewed(here: Path) -> None:
    page = (DOCS / "tutorial.rst").read_text(encoding="utf-8")
    stale = page.replace("d = 0x0b16212c", "d = 0x00000000").replace("d=0x00000001", "d=?")
    assert stale != page
    assert renewed(stale) == page
    assert renewed(page) == page


def test_commands_are_shown_and_run() -> None:
    assert len(CONSOLE) > 12
    assert sum(bool(x.shown) for _, block in CONSOLE for x in commands(block)) >= 6


@ci_only
@pytest.mark.skipif(shutil.which("bash") is None, reason="no shell here")
def test_what_is_told_to_a_shell_works(tmp_path: Path) -> None:
    shim = tmp_path / "bin" / "ptxscope"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ptxscope "$@"\n')
    shim.chmod(0o755)
    env = {**os.environ, "PATH": f"{shim.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    page = (DOCS / "writing.rst").read_text(encoding="utf-8")
    for _, block in blocks(page, "sh"):
        subprocess.run(["bash", "-ec", block], cwd=tmp_path, env=env, check=True)
    frames = sorted(tmp_path.glob("talk/*.svg"))
    assert len(frames) == 7
    assert len({frame.read_bytes() for frame in frames}) == 7
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "0x11223300" in report
    assert "0x112233ff" in report


@sampled
@pytest.mark.parametrize("opcode", OPCODES)
def test_the_command_of_an_example_makes_it_again(opcode: str) -> None:
    page = page_of(opcode)
    told = [_told(x.partition(". ptxas")[0]) for x in re.findall(r"The result is (``.*)\n", page)]
    shown = re.findall(r"\$ ptxscope (trace .*?(?:\\\n.*)?)$", page, re.MULTILINE)
    assert len(shown) == len(told) == 3
    for command, results in zip(shown, told, strict=True):
        done = run(*shlex.split(command.replace("\\\n", " ")))
        printed = re.findall(r"^(\S+) = (\w+)  ", done.stdout, re.MULTILINE)
        assert {name: int(bits, 0) for name, bits in printed} == results


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_python_in_a_page_runs(path: Path) -> None:
    for _, block in blocks(path.read_text(encoding="utf-8"), "python"):
        exec(compile(block, str(path), "exec"), {})


# --- built ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manual as HTML, built as `dev.py docs` does; in its theme where that is here.

    Of several workers one builds it, the others wait.
    """
    shared = "PYTEST_XDIST_WORKER" in os.environ
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if shared else base) / "manual"
    done = folder / "done"
    try:
        folder.mkdir()
    except FileExistsError:
        for _ in range(600):
            if done.exists():
                break
            time.sleep(0.5)
        assert done.exists(), "another worker did not build it"
        return folder / "out"
    made = (*manual.FOLDERS, "_build", manual_pictures.FOLDER)
    shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns(*made))
    shutil.copytree(ROOT / "screenshots", folder / "screenshots")
    theme = () if importlib.util.find_spec("furo") else ("-D", "html_theme=alabaster")
    words = ["-q", "-W", *theme, str(folder / "docs"), str(folder / "out")]
    subprocess.run([sys.executable, "-m", "sphinx", *words], check=True, cwd=ROOT)
    done.touch()
    return folder / "out"


@ci_only
def test_the_manual_builds_without_a_warning_and_has_every_page(built: Path) -> None:
    for path in (*pages(), "index", "tutorial", "pictures", "glossary", "install", "search"):
        assert (built / f"{path}.html").exists(), path
    for opcode in OPCODES:
        html = (built / "instructions" / f"{opcode}.html").read_text(encoding="utf-8")
        assert html.count('class="px-svg px-auto"') == 3
    for erratum in ERRATA:
        html = (built / "errata" / f"{erratum.id.lower()}.html").read_text(encoding="utf-8")
        assert 'class="px-svg px-auto"' in html
    told = unescape((built / "commands" / "export.html").read_text(encoding="utf-8"))
    assert "(with --check)" in told  # no dash is made of it
    published = (built / "published.html").read_text(encoding="utf-8")
    assert published.count("As published it is not legal") == 2


@ci_only
def test_pictures_follow_the_theme_that_is_chosen(built: Path) -> None:
    html = (built / "instructions" / "vadd4.html").read_text(encoding="utf-8")
    sheet = manual.themes()
    light, dark = sheet.splitlines()
    used = set(re.findall(r"var\((--px-[\w-]+)\)", html))
    assert used
    for ink in used:
        assert f"{ink}:" in light
        assert f"{ink}:" in dark
    assert manual.STYLE in html


@ci_only
def test_it_can_be_searched(built: Path) -> None:
    index = (built / "searchindex.js").read_text(encoding="utf-8")
    for word in ("secop", "dsel", "vabsdiff4", "accumul", "saturate"):
        assert word in index


@ci_only
def test_the_pictures_of_the_tutorial_are_the_apps(built: Path) -> None:
    tutorial = (built / "tutorial.html").read_text(encoding="utf-8")
    for shot in manual_pictures.SHOTS:
        assert f"_images/{shot.name}.svg" in tutorial
        drawn = (built / "_images" / f"{shot.name}.svg").read_text(encoding="utf-8")
        assert shot.ptx.partition(".")[0] in drawn
    assert len(re.findall(r'<img alt="[^"]{40,}"', tutorial)) == len(manual_pictures.SHOTS)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.close()


@ci_only
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize(
    "path",
    ["tutorial", "json", "instructions/vmad", "published", "errata/index", "errata/e3",
          "commands/trace", "writing"],
)  # fmt: skip
def test_no_page_is_too_long_or_too_wide(built: Path, path: str, browser: Browser) -> None:
    for width in (400, 1200):
        browser.visit(built / f"{path}.html", width)
        assert browser.value("document.documentElement.scrollWidth") <= width
        assert browser.value("document.documentElement.scrollHeight") < 30_000
        cells = browser.value(
            "[...document.querySelectorAll('table.docutils :is(td, th)')]"
            ".map(x => x.getBoundingClientRect().right)"
        )
        assert all(right <= width for right in cells)
