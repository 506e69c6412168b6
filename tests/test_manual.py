"""The manual: its pages are current, and commands print what they show."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import unescape
from pathlib import Path
from random import Random

import pytest

import ptxscope
from ptxscope import parse
from ptxscope.cli.commands.open import make_parser as open_arguments
from ptxscope.cli.support.arguments import map_commands
from ptxscope.documents import FORMATS
from ptxscope.documents.media.frames import compute_min_width
from ptxscope.engine.isa.catalog import (
    CATALOG,
    ENTRIES,
    find_violations,
    get_entry,
    list_shapes,
    pick_entry_form,
    with_slot,
)
from ptxscope.engine.isa.entry import CORE_GROUPS, Entry, Slot
from ptxscope.engine.isa.types import Role
from ptxscope.engine.semantics.lowering import lower
from ptxscope.engine.semantics.models import MISCONCEPTIONS
from ptxscope.engine.semantics.plan import compute_results
from ptxscope.engine.semantics.rules import ALL_ERRATA, ERRATA, Erratum
from ptxscope.engine.tracing.folding_bugs import FOLDING_BUGS, FoldingBug
from ptxscope.state.actions import ACTIONS
from tests.driving.browser import CHROMIUM, Browser
from tests.driving.command_line import run
from tests.driving.feature_tables import extend_table, needs
from tests.reference import reference
from tests.tiers import ci_only, sampled, some
from tools import manual, manual_pages, manual_pictures, manual_pitfalls, notebook
from tools.manual_modifiers import iter_described_slots
from tools.manual_shown import (
    DEVELOPMENT_PAGES,
    find_blocks,
    find_files,
    find_pictures,
    find_written_pages,
    format_keys,
    list_missing_features,
    read_page,
    renew_key_tables,
    renew_output,
    split_commands,
    write_files,
)
from tools.manual_text import format_sentence, format_text, make_table
from tools.manual_worked import find_events, find_examples
from tools.markdown_parser import make_slug
from tools.screenshots import Shot, draw

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
OPCODES = list(CATALOG)


@cache
def pages() -> dict[str, str]:
    """The committed pages, which `test_the_reference_is_current` holds against new ones."""
    folder = DOCS / "reference"
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*.md")
    }


WRITTEN = [path for path in find_written_pages() if read_page(path)]
whole_manual = pytest.mark.skipif(bool(list_missing_features()), reason="a feature is gone")
"""Marks tests of pages that combine all features."""


def page_of(opcode: str) -> str:
    return pages()[f"instructions/{opcode}.md"]


@ci_only
@whole_manual
def test_the_reference_is_current() -> None:
    assert manual.find_stale_files() == [], "run `python3 dev.py docs --renew`"


@whole_manual
def test_the_keys_of_the_explorer_are_current() -> None:
    text = (DOCS / "explorer.md").read_text(encoding="utf-8")
    assert all(format_keys(action) in text for action in ACTIONS.values())
    assert renew_key_tables(text) == text, "run `python3 dev.py docs --renew`"


@ci_only
def test_the_outputs_of_the_notebook_are_current() -> None:
    """Its cells also compare results with NumPy's and with arithmetic."""
    done, stored = (
        [cell.get("outputs") for cell in x.cells]
        for x in (notebook.run_notebook(), notebook.read_notebook())
    )
    assert done == stored, "run `python3 dev.py docs --renew`"


@ci_only
@needs("publish")
@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_the_traces_of_a_page_are_current(path: Path) -> None:
    done = run("export", "--update", "--check", str(path))
    assert done.returncode == 0, done.stdout + done.stderr


@ci_only
@pytest.mark.parametrize("shot", manual_pictures.SHOTS, ids=lambda shot: shot.name)
async def test_the_pictures_of_the_tutorial_are_the_apps(shot: Shot) -> None:
    committed = (manual_pictures.FOLDER / f"{shot.name}.svg").read_text(encoding="utf-8")
    assert committed == await draw(shot), "run `python3 dev.py docs --renew`"
    tutorial = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    assert re.search(rf"!\[[^]]{{40,}}\]\(figures/{shot.name}\.svg\)", tutorial)


EVERY_PAGE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@cache
def anchors_of(path: Path) -> set[str]:
    """The anchors that a forge gives to a page's headings."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {make_slug(title.replace("`", "").replace("\\", "")) for title in titles}


@whole_manual  # it walks through a feature
def test_the_modules_that_the_architecture_names_exist() -> None:
    text = (DOCS / "dev" / "architecture.md").read_text(encoding="utf-8")
    paths = [path for x in ("ptxscope", "tests", "tools") for path in (ROOT / x).rglob("*.py")]
    files = [path.relative_to(ROOT).with_suffix("").as_posix() for path in paths]
    folders = {str(folder) for name in files for folder in Path(name).parents}
    for name in re.findall(r"`((?:\w+/)+\w+)`", text):
        name = name.replace("/NAME", "")
        assert any(f"/{x}".endswith(f"/{name}") for x in (*files, *folders)), name


@pytest.mark.parametrize("path", EVERY_PAGE, ids=lambda path: path.stem)
def test_a_forge_can_show_a_page_and_its_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", read_page(path) or "# ", flags=re.M | re.S)
    text = re.sub(r"`[^`]*`", "", text)
    assert text.startswith("# ")
    assert not re.search(r"^\.\. |:\w+:`|^:\w+:", text, re.MULTILINE)  # a role, a directive
    for link in _LINK.findall(text):
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not re.match("[a-z]+:", link):
            assert target.exists(), link
            assert not anchor or anchor in anchors_of(target), link


def test_every_picture_is_shown() -> None:
    shown = {
        (path.parent / link).resolve()
        for path in EVERY_PAGE
        for link in _LINK.findall(path.read_text(encoding="utf-8"))
    }
    assert {x for x in DOCS.rglob("*.svg") if "_build" not in x.parts} <= shown


def test_no_picture_is_wider_than_the_text() -> None:
    for path in DOCS.rglob("*.svg"):
        svg = path.read_text(encoding="utf-8")
        if "_build" not in path.parts and 'class="px-svg' in svg:
            assert compute_min_width(svg) <= manual_pages.COLUMN_PX, path


@pytest.mark.parametrize("number", [1, 2])
def test_the_cards_have_the_syntax_of_the_catalog(number: int) -> None:
    svg = (DOCS / "families" / f"sheet-{number}.svg").read_text(encoding="utf-8")
    cards = re.findall(r'<g id="px-poster-(\w+)" class="px-card">\n(.*?)\n</g>', svg, re.DOTALL)
    expected_count = {1: CORE_COUNT, 2: 24}[number]
    assert len({opcode for opcode, _ in cards}) == expected_count
    for opcode, card in cards:
        texts = "".join(unescape(x) for x in re.findall("<text[^>]*>([^<]*)<", card))
        syntax, section = CATALOG[opcode].syntax.replace(" ", ""), CATALOG[opcode].section
        assert f"{syntax};" in texts.replace(" ", "")
        assert texts.startswith(opcode)
        assert f", {section}" in texts


CORE_COUNT = sum(entry.group in CORE_GROUPS for entry in CATALOG.values())


@pytest.mark.parametrize(
    "path",
    [
        *(ROOT / "README.md", DOCS / "index.md", DOCS / "families.md"),
        DOCS / "reference" / "instructions.md",
    ],
    ids=lambda path: path.stem,
)
def test_a_page_counts_the_instructions_as_the_catalog_does(path: Path) -> None:
    text = " ".join(path.read_text(encoding="utf-8").split())
    counts = re.findall(r"(\d+) (integer )?instructions", text)
    assert counts == [(str(CORE_COUNT), ""), (str(len(CATALOG) - CORE_COUNT), "integer ")]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_a_page_begins_with_a_short_paragraph(path: Path) -> None:
    title, first, *_ = read_page(path).split("\n\n")
    assert title.startswith("# ")
    assert 5 <= len(first.split()) <= 60, first


def section_of(entry: Entry, page: str = "") -> str:
    """The part of a page on one shape of an opcode, with the headings of a page."""
    page = page or page_of(entry.opcode)
    first, *others = re.split(r"^(?=## With(?:out)? )", page, flags=re.MULTILINE)
    last = others[-1:] or [first]
    rest = re.split(r"\n## (?:Pitfalls|Intrinsics|Since)", last[0])[0]
    parts = [first, *others[:-1], rest] if others else [rest]
    assert len(parts) == len(list_shapes(entry.opcode))
    index = list_shapes(entry.opcode).index(entry)
    return parts[index].replace("\n###", "\n##") if index else parts[index]


def name_shape(entry: Entry) -> str:
    return f"{entry.opcode}.{list_shapes(entry.opcode).index(entry)}"


@sampled
@needs("costs", "operation")
@pytest.mark.parametrize("entry", ENTRIES, ids=name_shape)
def test_every_slot_and_value_is_on_the_page(entry: Entry) -> None:
    made = "\n".join(manual_pages.make_instruction_page(CATALOG[entry.opcode]))
    page = section_of(entry, made)
    assert f"\n```ptx\n{entry.syntax};\n```\n" in page
    operands, chosen = page.partition("\n## Operands\n")[2].split("\n## Modifiers\n")
    rows = [
        re.split(r" (?<!\\)\| ", x.strip("| ")) for x in chosen.partition("## Ex")[0].splitlines()
    ]
    cells = [row[0].replace("\\|", "|") for row in rows if len(row) == 3]
    for slot in entry.slots:
        is_short = len(slot.values) <= 20
        values = [*map(slot.format_value, slot.values)] if is_short else [f"{len(slot.values):,}"]
        assert slot.name == "c" or any(all(x in cell for x in values) for cell in cells), slot.name
    for operand in entry.operands:
        assert f"\n| `{operand.role}` |" in operands
    assert all(row[1] and row[2] for row in rows if len(row) == 3)
    assert all(x in made for x in ("\n## Since and cost\n", "\n## Errata\n", "\n## Forms\n"))


def has_effect(entry: Entry, slot: Slot) -> bool:
    """Whether a form and another value of a slot ever give different results."""
    rng = Random(slot.name)
    for _ in range(400):
        form = pick_entry_form(entry, rng)
        at = rng.randrange(slot.count_choices()) - slot.is_optional
        other = with_slot(form, slot.name, slot.absent if at < 0 else slot.values[at])
        if other == form or find_violations(other) or get_entry(other) is not entry:
            continue
        plans = [lower(form), lower(other)]
        if len({tuple(x.role for x in plan.results) for plan in plans}) > 1:
            return True
        for _ in range(8):
            pool = (rng.getrandbits(64), rng.randrange(40), 0x80000001)
            drawn = {role: rng.choice(pool) for role in Role}
            bits = [
                {x.role: drawn[Role(x.role)] & ((1 << x.type.bits) - 1) for x in plan.sources}
                for plan in plans
            ]
            if compute_results(plans[0], bits[0]) != compute_results(plans[1], bits[1]):
                return True
    return False


@sampled
@pytest.mark.parametrize("entry", ENTRIES, ids=name_shape)
def test_a_modifier_has_an_effect_unless_the_page_denies_it(entry: Entry) -> None:
    for slot, effect in iter_described_slots(entry):
        discards = slot.name == "dst" and "q" not in effect.text  # `p|_` is `p`
        if slot.count_choices() > 1 and not discards:
            assert has_effect(entry, slot) != effect.text.startswith("nothing"), slot.name


@ci_only
@sampled
@pytest.mark.parametrize("entry", ENTRIES, ids=name_shape)
def test_each_of_three_examples_shows_another_event(entry: Entry) -> None:
    first, second, third = examples = find_examples(entry)
    assert str(first.trace.instruction).startswith(entry.example[0].partition(" ")[0])
    is_other = "Other values", "Another modifier"
    assert find_events(second.trace) or second.title in ("The other choice", *is_other)
    form = third.trace.instruction.form
    assert (
        third.has_two_answers
        or third.title in is_other
        or form.negc
        or (form.mask and form.asel and form.bsel)
        or set(find_events(third.trace)) - set(find_events(second.trace))
    )
    touching = [x for x in ERRATA if entry.opcode in x.opcodes]
    # E14 touches no pair of halves
    if touching and (entry.opcode, entry.lanes) != ("set", 2):
        assert third.has_two_answers
    assert len({(x.trace.instruction, tuple(x.trace.operands.items())) for x in examples}) == 3


def examples_on(page: str) -> list[tuple[str, str]]:
    """The command and the result of each example on a page."""
    pattern = (
        r"^```console\n\$ ptxscope (trace .*?(?:\\\n.*)?)\n```\n"
        r"(?:(?!```).*\n)*?The result is (.*)$"
    )
    return [(command.replace("\\\n", " "), result) for command, result in
            re.findall(pattern, page, re.MULTILINE)]  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES, ids=name_shape)
def test_every_result_on_the_page_is_that_of_the_reference(entry: Entry) -> None:
    examples = examples_on(section_of(entry))
    assert len(examples) == 3
    for command, told in examples:
        _, line, *given = shlex.split(command)
        values = {"c": 0}  # some forms have to name c and do not read it
        values |= {name: int(bits, 0) for name, _, bits in (x.partition("=") for x in given)}
        documented, _, rest = told.partition(". ptxas")
        assert _told(documented) == reference(line.rstrip(";"), values, "isa"), line
        if rest:
            version = "ptxas" + rest.partition(" ")[0]
            assert version in ("ptxas-13.0", "ptxas-13.5")
            assert _told(rest.partition(" (")[0]) == reference(line.rstrip(";"), values, version)
            assert re.search(r"\(\[E\d+\]\(\.\./errata/e\d+\.md\)", rest)


def _told(text: str) -> dict[str, int]:
    """The results of a sentence, by name."""
    return {name: int(bits, 0) for name, bits in re.findall(r"`(\S+) = (\w+)`", text)}


def test_the_generators_of_pages_hold_no_typed_results() -> None:
    # what is not of a trace, of the catalog or of the errata would stand in the generator
    for path in (ROOT / "tools").glob("manual*.py"):
        if path.stem not in ("manual_pictures", "manual_worked"):
            source = path.read_text(encoding="utf-8")
            pattern = r"(?:_EXAMPLE_BITS|_CORRECTIONS|_CONSTANTS|PITFALLS)\b.*?^\}"
            inputs = re.sub(pattern, "", source, flags=re.S | re.M)
            assert not re.findall(r"0x\w+", inputs), path.name


@whole_manual
def test_the_page_on_formats_names_every_format() -> None:
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    formats = text.partition("| for | use |")[2].partition("\n## ")[0]
    named = {x.strip("`") for x in re.findall(r"`[a-z]+`", formats)}
    assert named == set(FORMATS)


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda x: x.id)
def test_an_erratum_shows_both_measured_results(erratum: Erratum) -> None:
    ptx, _, isa, ptxas = erratum.example
    digits = parse(ptx).type_of("d").bits // 4
    page = pages()[f"errata/{erratum.id.lower()}.md"]
    assert page.startswith(f"# {erratum.id}: {format_text(erratum.forms)}\n")
    assert format_sentence(erratum.sentence) in page
    assert f"`0x{isa:0{digits}x}`" in page
    assert f"`0x{ptxas:0{digits}x}`" in page
    row = pages()["errata.md"].partition(f"| [{erratum.id}](errata/{erratum.id.lower()}.md) | ")[2]
    assert row.startswith(f"{format_text(erratum.forms)} | {format_text(erratum.sentence)} | ")
    for opcode in erratum.opcodes:
        assert f"(../errata/{erratum.id.lower()}.md)" in page_of(opcode)
        assert f"(../instructions/{opcode}.md)" in page


PITFALL_RESULTS: Mapping[str, tuple[int, ...]] = {
    "bfe": (
        0xFFFFFFFF,
        0xF,
    ),
    "bfi": (
        0x500,
        0xF0000000,
    ),
    "prmt": (
        0x00010203,
        0xFFFFFFFF,
    ),
    "lop3": (0x0F01,),
    "shf": (
        0x34567812,
        1,
    ),
    "dp4a": (0,),
    "dp2a": (0,),
    "fns": (0xFFFFFFFF,),
    "clz": (32,),
    "bfind": (0xFFFFFFFF,),
    "shl": (0,),
    "shr": (0xFFFFFFFF,),
    "abs": (0x80000000,),
    "neg": (0x80000000,),
    "div": (0xFFFFFFFD,),
    "rem": (0xFFFFFFFF,),
    "mul24": (6,),
    "cvt": (0xFF80,),
}
"""The results of the examples of pitfalls, found by hand."""


@needs("costs", "operation")
@pytest.mark.parametrize("opcode", some(manual_pitfalls.PITFALLS))
def test_a_pitfall_is_shown_by_its_example(opcode: str) -> None:
    made = "\n".join(manual_pages.make_instruction_page(CATALOG[opcode]))
    pitfalls = manual_pitfalls.PITFALLS[opcode]
    for x, result in zip(pitfalls, PITFALL_RESULTS[opcode], strict=True):
        assert parse(x.ptx).opcode == opcode
        digits = parse(x.ptx).type_of("d").bits // 4
        line = made.partition(f"- {x.sentence} `{x.ptx}` of ")[2].partition("\n")[0]
        assert line.endswith(f" gives `0x{result:0{digits}x}`.")


@needs("check", "costs", "operation")
@pytest.mark.parametrize(
    ("opcode", "id_"),
    [("addc", "E18"), ("madc", "E18"), ("subc", "E18"), ("slct", "F1"), ("vabsdiff4", "F2")],
)
def test_each_page_names_all_errata_of_its_opcode(opcode: str, id_: str) -> None:
    # SEMANTICS.md and PLAIN.md
    made = "\n".join(manual_pages.make_instruction_page(CATALOG[opcode]))
    assert f"[{id_}](../errata/{id_.lower()}.md)" in made.partition("\n## Errata\n")[2]
    all_errata: tuple[Erratum | FoldingBug, ...] = (*ALL_ERRATA, *FOLDING_BUGS)
    (known,) = (x for x in all_errata if x.id == id_)
    page = "\n".join(manual_pages.make_erratum_page(known))
    assert "\n## Verdict\n" in page
    assert f"[`{opcode}`](../instructions/{opcode}.md)" in page


@pytest.mark.parametrize("bug", FOLDING_BUGS, ids=lambda x: x.id)
def test_a_wrong_constant_shows_both_measured_results(bug: FoldingBug) -> None:
    _, _, isa, ptxas = bug.example
    section = pages()["errata.md"].partition(f"\n### {bug.id}\n")[2].partition("\n### ")[0]
    assert f"`{isa:#010x}`" in section
    assert f"`{ptxas:#010x}`" in section


def test_a_misconception_shows_the_documented_and_the_expected_result() -> None:
    page = pages()["expectations.md"]
    for x in MISCONCEPTIONS:
        part = page.partition(f"{x.id}: if ")[2].partition("If it were true")
        _, _, documented, expected = x.example
        assert f"`{documented:#010x}`" in part[0]
        assert f"`{expected:#010x}`" in part[2].partition("\n\n")[0]


@needs("costs", "operation")
def test_the_page_of_an_instruction_is_made_from_its_catalog_entry() -> None:
    # a new one gets its page, and examples, of what is known of it
    entry = CATALOG["vadd4"]._replace(summary="add *four* |pairs|_ of `bytes`")
    page = "\n".join(manual_pages.make_instruction_page(entry))
    assert "Add \\*four\\* &#124;pairs&#124;\\_ of `bytes`: `a + b` in each byte." in page


@pytest.mark.parametrize("command", map_commands())
def test_the_page_on_commands_has_a_sentence_on_every_option(command: str) -> None:
    page = pages()["commands.md"].partition(f"\n## ptxscope {command}\n")[2].partition("\n## ")[0]
    told = run(command, "--help").stdout
    options = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", told.partition("options:")[2]))
    assert options
    for option in options - {"-c"}:  # of a shell, in an example
        assert option in page, option
    rows = re.findall(r"^\| `[^|]*(?:\\\|[^|]*)* \| (.*) \|$", page, re.MULTILINE)
    assert rows
    assert all(re.fullmatch(r"[A-Z0-9`].*\.", row) for row in rows), rows


def test_the_page_on_json_lists_every_field_of_the_schema() -> None:
    schema = (ROOT / "ptxscope/documents/trace.schema.json").read_text(encoding="utf-8")
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
    told = set(re.findall(r"(?:\.|^\| `)(\w+)(?:\[\])?` \|", pages()["json.md"], re.MULTILINE))
    assert names <= told
    assert len(names) > 40


@pytest.mark.parametrize("name", sorted({*ptxscope.__all__} - {"__version__"}))
def test_the_page_on_python_has_every_public_name_and_its_docstring(name: str) -> None:
    page = pages()["python.md"]
    section = page.partition(f"\n### `ptxscope.{name}`\n")[2].partition("\n### ")[0]
    first_sentence = (inspect.getdoc(getattr(ptxscope, name)) or "").partition("\n")[0]
    if name == "export":
        first_sentence = "Return the trace as a document"
    assert first_sentence.partition("`")[0][:40] in section
    assert ":\n" not in section.replace(":\n    ", "")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("|a - b| of *p", "&#124;a - b&#124; of \\*p"),
        ("`.sat`s `x`", "`.sat`s `x`"),
        ("a lone ` tick", "a lone \\` tick"),
        ("no `vset`'s `d.b0`, is", "no `vset`'s `d.b0`, is"),
    ],
)
def test_special_characters_of_a_text_are_escaped(text: str, written: str) -> None:
    assert format_text(text) == written


def test_a_sentence_ends_with_one_full_stop_and_keeps_operand_names() -> None:
    assert format_sentence("c is ignored.") == "c is ignored."
    assert format_sentence("instruction, as text") == "Instruction, as text."
    assert make_table(("x", "y"), [("1", "2")]) == ["| x | y |", "| --- | --- |", "| 1 | 2 |", ""]


CONDITIONS: dict[str, Callable[[], bool]] = extend_table({}, "command_lines", "CONDITIONS")
"""Whether what a command needs is here."""
QUESTIONS = extend_table({}, "command_lines", "QUESTIONS")
"""Commands that may answer no."""
CONSOLE = [(path, block) for path in WRITTEN for block in find_blocks(read_page(path), "console")]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the manual shows, each under its name."""
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with these, and one for figures."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    (tmp_path / "figures").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@ci_only
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("path", "block"), CONSOLE, ids=[f"{path.stem}-{at}" for at, (path, _) in enumerate(CONSOLE)]
)
def test_a_command_prints_what_is_shown(path: Path, block: str) -> None:
    for command in split_commands(block):
        (program, *words), shown = command.words, command.output
        assert program == "ptxscope"
        if words[0] not in map_commands():  # the explorer: what it is given can be read
            assert open_arguments().parse_intermixed_args(words).ptx == words[0]
            continue
        if words[0] in CONDITIONS and not CONDITIONS[words[0]]():
            continue
        done = run(*words)
        is_question = "--expect" in words or words[0] in QUESTIONS
        assert done.returncode in ((0, 1) if is_question else (0,)), done.stderr
        if shown:
            assert done.stdout == shown
        if "-o" in words:
            drawn = Path(words[words.index("-o") + 1])
            assert drawn.stat().st_size > 100
            for _, picture in filter(lambda x: x[0][1:] == words, find_pictures(path)):
                assert drawn.read_bytes() == picture.read_bytes()


_TIMED = re.compile(
    r"```console\n((?:(?!```).)+)```\s+(?:<!-- [^>]+ -->\s+)?```text\n((?:(?!```).)+)```", re.S
)
_SECONDS = re.compile(r"\b[\d.]+ m?s\b")
TIMED = [(path, *match) for path in WRITTEN for match in _TIMED.findall(read_page(path))]


def _drop_times(text: str) -> str:
    """Return the words of a text in one line, without times and versions."""
    return re.sub(r"\d+\.\d+\.\d+", "", _SECONDS.sub("", " ".join(text.split())))


@ci_only
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("path", "block", "answer"), TIMED, ids=[f"{x[0].stem}-{i}" for i, x in enumerate(TIMED)]
)
def test_a_command_prints_the_answer_below_it_apart_from_times(
    path: Path, block: str, answer: str
) -> None:
    """Such an answer is a block of its own, because it has times and versions."""
    assert read_page(path).count(answer) == 1
    _, *words = split_commands(block)[-1].words
    if words[0] not in CONDITIONS or CONDITIONS[words[0]]():
        assert _drop_times(answer) in _drop_times(run(*words).stdout)


@whole_manual
def test_some_answers_have_times() -> None:
    assert len(TIMED) >= 6


@ci_only
def test_stale_output_on_a_page_is_renewed(here: Path) -> None:
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    stale = page.replace("d = 0xff10782c", "d = 0x00000000").replace("d=0xff10782c", "d=?")
    assert stale != page
    assert renew_output(stale) == page
    assert renew_output(page) == page


@whole_manual
def test_pages_show_commands_with_their_output_and_each_file_once() -> None:
    assert len(CONSOLE) > 12
    assert sum(bool(x.output) for _, block in CONSOLE for x in split_commands(block)) >= 6
    shown = [name for path in WRITTEN for name, _ in find_files(path.read_text(encoding="utf-8"))]
    assert len(shown) == len(set(shown)) >= 6


@ci_only
@pytest.mark.skipif(shutil.which("bash") is None, reason="no shell here")
def test_the_shell_examples_of_the_manual_run(tmp_path: Path) -> None:
    shim = tmp_path / "bin" / "ptxscope"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ptxscope "$@"\n')
    shim.chmod(0o755)
    env = {**os.environ, "PATH": f"{shim.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    pages = [(DOCS / name).read_text(encoding="utf-8") for name in ("formats.md", "markdown.md")]
    for block in (block for page in pages for block in find_blocks(page, "sh")):
        subprocess.run(["bash", "-ec", block], cwd=tmp_path, env=env, check=True)
    frames = sorted(tmp_path.glob("talk/*.svg"))
    assert len(frames) == 7
    assert len({frame.read_bytes() for frame in frames}) == 7
    report = (tmp_path / "issue.md").read_text(encoding="utf-8")
    assert "0x11223300" in report
    assert "0x112233ff" in report


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_python_in_a_page_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a figure is saved
    for block in find_blocks(read_page(path), "python"):
        exec(compile(block, str(path), "exec"), {})


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
    shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("_build"))
    shutil.copytree(ROOT / "screenshots", folder / "screenshots")
    theme = () if importlib.util.find_spec("furo") else ("-D", "html_theme=alabaster")
    words = ["-q", "-W", *theme, str(folder / "docs"), str(folder / "out")]
    subprocess.run([sys.executable, "-m", "sphinx", *words], check=True, cwd=ROOT)
    done.touch()
    return folder / "out"


@ci_only
def test_the_manual_builds_without_a_warning_and_has_every_page(built: Path) -> None:
    for path in DOCS.rglob("*.md"):
        name = path.relative_to(DOCS).with_suffix(".html")
        assert (built / name).exists() != (path.name in DEVELOPMENT_PAGES), name
    navigation = (built / "glossary.html").read_text(encoding="utf-8")
    assert 0 < navigation.index('class="caption"') < navigation.index('class="toctree-l1')
    for opcode in OPCODES:
        html = (built / "reference" / "instructions" / f"{opcode}.html").read_text("utf-8")
        assert html.count('class="px-svg px-auto"') == 1
    for erratum in ERRATA:
        html = (built / "reference" / "errata" / f"{erratum.id.lower()}.html").read_text("utf-8")
        assert html.count('class="px-svg px-auto"') == 1
    told = unescape((built / "reference" / "commands.html").read_text(encoding="utf-8"))
    assert "with --check" in told  # no dash is made of it
    published = (built / "reference" / "published.html").read_text(encoding="utf-8")
    assert published.count("illegal as published") == 2


@ci_only
def test_pictures_follow_the_theme_that_is_chosen(built: Path) -> None:
    html = (built / "reference" / "instructions" / "vadd4.html").read_text(encoding="utf-8")
    sheet = (built / "_static" / "themes.css").read_text(encoding="utf-8")
    light, dark = sheet.splitlines()
    used = set(re.findall(r"var\((--px-[\w-]+)\)", html))
    assert used
    for ink in used:
        assert f"{ink}:" in light
        assert f"{ink}:" in dark
    assert "themes.css" in html


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.close()


@ci_only
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize(
    "path",
    ["tutorial", "formats", "reference/json", "reference/instructions/vmad", "reference/published",
     "reference/errata", "reference/errata/e3", "reference/commands", "reference/lessons/vset",
     "reference/python"],
)  # fmt: skip
def test_no_page_is_too_long_or_too_wide(built: Path, path: str, browser: Browser) -> None:
    page = built / f"{path}.html"
    assert page.exists()
    for width in (400, 1200):
        browser.visit(page, width)
        assert browser.value("document.documentElement.scrollWidth") <= width
        assert browser.value("document.documentElement.scrollHeight") < 40_000
        cells = browser.value(
            "[...document.querySelectorAll('table.docutils :is(td, th)')]"
            ".map(x => x.getBoundingClientRect().right)"
        )
        assert all(right <= width for right in cells)
