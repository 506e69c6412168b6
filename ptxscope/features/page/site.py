"""The static files of the web explorer: markup, style, JavaScript, ptxscope itself, and Pyodide."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from html import escape
from importlib import import_module
from importlib.resources import files
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ... import __version__
from ...documents import export
from ...documents.elements import Element, format_html, make_button, make_element
from ...documents.options import Options
from ...documents.svg.svg_colours import PALETTE, make_style_sheet
from ...documents.theme import HTML, Pair, Theme, format_declarations
from ...engine.isa.catalog import CATALOG
from ...engine.isa.encodings import format_hex
from ...engine.isa.entry import Entry
from ...engine.syntax.parser import parse
from ...engine.tracing.trace import trace
from ...feature import find_entry_points
from ...files import read
from ...files import replace as replace_file
from .explorer_page import map_copies, open_example
from .opening import format_opening
from .page_picture import drop_style
from .page_state import PageState
from .page_view import describe_step, draw_page, make_view
from .permalink import PageLink, format_permalink
from .tool_table import map_places

VERSION = "314.0.7"
"""Version of Pyodide, which has Python 3.14."""
CDN = f"https://cdn.jsdelivr.net/npm/pyodide@{VERSION}/"
MODULES = ("pyodide.mjs", "pyodide.asm.mjs")
"""Files that are loaded as JavaScript modules."""
_MAX_FILE_BYTES = 1 << 26


class RuntimeFile(NamedTuple):
    """A file of the runtime."""

    integrity: str
    """Its hash, as the ``integrity`` of a request."""
    bytes: int


FILES: Mapping[str, RuntimeFile] = {
    "pyodide.mjs": RuntimeFile(
        "sha384-Lp79fMwxa4n2BLtugpUAoQMlbxIdg8iCUiP1r3h7nJLkQjwlXT1JzZTeHVL+f4Dg",
        17931,
    ),
    "pyodide.asm.mjs": RuntimeFile(
        "sha384-/2281iaC0Iimw0B3Kagy1DBfZcJG3W4KYW+EmOqhsdY3fR9BJ88FE2Zt6y0KQKpa",
        1250344,
    ),
    "pyodide.asm.wasm": RuntimeFile(
        "sha384-y++qrQ72KPA1fTjLIuGMP+jppgGxjbLCgfdb0zMrnNnQVhxRUXTOTF6rTxNzllSu",
        9598218,
    ),
    "python_stdlib.zip": RuntimeFile(
        "sha384-xW3A5jmenkrPXbsgrIaB1FCJh9OuLT7FRMagsJMgtlhVc19k/mSy3+7nMaF/d767",
        2545637,
    ),
    "pyodide-lock.json": RuntimeFile(
        "sha384-o8SQQvpVlZnOl04+3dFTJipKxul9GbViVusA379wlOrfHSgxbzt0yPiqCTxOiYES",
        119077,
    ),
}
"""The files of the pinned version."""


def compute_integrity(data: bytes) -> str:
    """Return the hash of a file as the ``integrity`` of a request."""
    return f"sha384-{base64.b64encode(hashlib.sha384(data).digest()).decode()}"


def read_runtime(folder: Path) -> dict[str, bytes]:
    """Return the files of a local copy; raise OSError if one is missing.

    Raise ValueError if one is of another version.
    """
    contents = {name: read(folder / name, _MAX_FILE_BYTES) for name in FILES}
    for name, data in contents.items():
        if compute_integrity(data) != FILES[name].integrity:
            raise ValueError(f"{folder / name} is not the one of Pyodide {VERSION}")
    return contents


_ROOT = Path(__file__).resolve().parents[2]
_SCRIPTS = (
    *("elements.js", "engine.js", "worker.js", "picture.js", "page.js"),
    *("opening.js", "address.js", "live.js"),
)
_LEFT_OUT = frozenset({"app", "screens", "widgets", "notebook.py", "sphinx.py"})
"""The parts that a page never imports: the interfaces for the terminal and for other tools."""
_LEFT_OUT_OF_FEATURES = frozenset({"terminal", "commands", "command.py", "pages"})
"""The parts of a feature that a page never imports."""
_ARCHIVE_DATE = (1980, 1, 1, 0, 0, 0)
"""Date of the files in the archive, so that equal files make equal archives."""
_COLOURS: dict[str, Pair] = {
    **HTML,
    "edge": ("#7a8594", "#7f8b9a"),
    "ground": ("#eef1f5", "#0b0e13"),
    "accent": ("#ffc53d", "#ffc53d"),
    "on-accent": ("#1d1400", "#1d1400"),
    "right": ("#0b6650", "#5fd0a5"),
    "scheme": ("light", "dark"),
}
_GALLERY = "gallery"
_STARTS = ("vset4", "prmt", "dp4a", "bfe")
"""Instructions that the first page offers."""
_GALLERY_OPTIONS = Options(compact=True, sentences=False, footer=False)


def make_engine(runtime_files: Mapping[str, bytes] | None) -> dict[str, bytes]:
    """Return the files that run ptxscope in a page, by name.

    ``runtime_files`` is a local copy of the runtime; without one, it is loaded from jsDelivr.
    """
    archive = make_archive()
    hashes = {name: file._asdict() for name, file in FILES.items()}
    archive_name = f"ptxscope-{__version__}.zip"
    hashes[archive_name] = {
        "integrity": compute_integrity(archive),
        "bytes": len(archive),
    }
    config = {
        "runtime": "runtime/" if runtime_files else CDN,
        "modules": MODULES,
        "archive": archive_name,
        "files": hashes,
    }
    contents = {name: _read_file(name).encode() for name in _SCRIPTS}
    contents["engine.json"] = json.dumps(config, indent=1).encode() + b"\n"
    contents[archive_name] = archive
    return contents | {f"runtime/{x}": data for x, data in (runtime_files or {}).items()}


def write_engine(folder: Path, runtime_folder: Path | None) -> None:
    """Write the files that run ptxscope in a page, all or none.

    Raise OSError if one can't be written, or one of a local copy of the runtime can't be read;
    raise ValueError if one of the copy is of another version.
    """
    runtime = read_runtime(runtime_folder) if runtime_folder else None
    write_files(folder, make_engine(runtime))


def make_site(runtime_files: Mapping[str, bytes] | None) -> dict[str, bytes]:
    """Return all files of the web explorer, by name."""
    texts = {
        "index.html": _make_index(has_runtime=runtime_files is not None),
        "page.css": f"{_format_colours()}\n{_read_file('page.css')}",
        "picture.css": _make_picture_style(),
        "opening.json": format_opening(),
    }
    files = {name: text.encode() for name, text in texts.items()}
    return make_engine(runtime_files) | files | _draw_gallery()


def is_page(index: bytes) -> bool:
    """Return whether an ``index.html`` is a web explorer, of this version or an earlier one."""
    return b"<title>ptxscope</title>" in index and b"page.js" in index


def write_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files by their names, all or none; raise OSError if one can't be.

    They are written to a new folder beside their places, and moved there when all are on the disk.
    """
    missing = [x for x in (folder, *folder.parents) if not x.exists()]
    fresh = folder / f".ptxscope-{os.getpid()}-{os.urandom(8).hex()}.new"
    try:
        for name, data in contents.items():
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            replace_file(fresh / name, data)
        for name in contents:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).replace(folder / name)
    except BaseException:
        for path in missing[-1:]:
            shutil.rmtree(path, ignore_errors=True)
        raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _read_file(name: str) -> str:
    return files(__package__).joinpath("files", name).read_text(encoding="utf-8")


def make_archive() -> bytes:
    """Return a zip archive of ptxscope and added features, without parts that no page imports."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        contents = dict((*_iter_package_files(_ROOT), *_iter_added_files()))
        for name, data in sorted(contents.items()):
            info = zipfile.ZipInfo(name, _ARCHIVE_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return stream.getvalue()


def _iter_package_files(root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files of a package that a page may import."""
    for path in root.rglob("*"):
        parts = path.relative_to(root).parts
        is_left_out = _is_left_out if root == _ROOT else _is_left_out_of_feature
        if path.is_file() and "__pycache__" not in parts and not is_left_out(*parts):
            yield str(PurePosixPath(root.name, *parts)), path.read_bytes()


def _iter_added_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files of packages that add features, and the entries by which a page finds them."""
    for point in find_entry_points():
        package = import_module(point.module.partition(".")[0])
        yield from (file for root in package.__path__ for file in _iter_package_files(Path(root)))
        if dist := point.dist:
            folder = f"{dist.name}-{dist.version}.dist-info"
            for name in ("METADATA", "entry_points.txt"):
                yield f"{folder}/{name}", (dist.read_text(name) or "").encode()


def _is_left_out(top: str, *parts: str) -> bool:
    is_of_feature = top == "features" and len(parts) > 1
    return top in _LEFT_OUT or (is_of_feature and _is_left_out_of_feature(*parts[1:]))


def _is_left_out_of_feature(top: str, *_: str) -> bool:
    return top in _LEFT_OUT_OF_FEATURES


def _format_colours() -> str:
    """Return the colours of the page, whose root bears the reader's choice."""
    light, dark = (format_declarations(_COLOURS, x) for x in (Theme.LIGHT, Theme.DARK))
    return (
        f":root{{{light}}}@media screen{{:root[data-theme=dark]{{{dark}}}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root[data-theme=auto]{{{dark}}}}}"
    )


def _make_picture_style() -> str:
    """Return the style of every picture, which a page's policy allows only in a file."""
    text = " ".join(f"px-f-{colour}" for colour in PALETTE)
    style = make_style_sheet(text).removeprefix("<style>").removesuffix("</style>")
    return f"{style}\n"


def _make_policy(*, has_runtime: bool) -> str:
    """Return the content security policy: only these files and the pinned runtime."""
    source = "'self'" if has_runtime else f"'self' {CDN}"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'wasm-unsafe-eval' blob: {source}",
            f"connect-src {source}",
            "style-src 'self'",
            "img-src 'self' blob: data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _make_index(*, has_runtime: bool) -> str:
    page = open_example()
    regions = {
        name[1:]: "".join(format_html(x) for x in content)
        for name, content in make_view(page).items()
        if name.startswith("#") and isinstance(content, list)
    }
    template = _read_file("index.html")
    values = {
        "policy": escape(_make_policy(has_runtime=has_runtime)),
        "version": escape(__version__),
        "line": escape(page.line),
        "spoken": escape(describe_step(page)),
        "full": escape(" ".join(map_places())),
        "picture": "".join(_draw_figures(page)),
        "copies": "\n".join(
            format_html(make_element("button", label, type="button", data_copy=name))
            for name, label in map_copies().items()
        ),
        "more": format_html(make_element("div", *_list_starts(), class_="cards")),
        "gallery": "".join(map(format_html, _make_gallery())),
        **regions,
    }
    for name, value in values.items():
        template = template.replace(f"{{{{{name}}}}}", value)
    return template


def _draw_figures(page: PageState) -> Iterator[str]:
    """Yield the first picture for a wide page and for a narrow one, which shows one of them."""
    for class_ in ("wide", "narrow"):
        page.is_compact = class_ == "narrow"
        yield f'<div class="figure {class_}">{drop_style(draw_page(page).svg)}</div>\n'


# --- the gallery: an example of each instruction as a small picture, and a link that opens it --


def _make_gallery() -> list[Element]:
    """Return the groups of the catalog, each with a link and a picture for an instruction."""
    elements = list[Element]()
    for group, entries in groupby(CATALOG.values(), lambda x: x.group):
        cards = (_make_card(entry) for entry in entries)
        elements.append(make_element("h2", group))
        elements.append(make_element("div", *cards, class_="cards"))
    return elements


def _draw_gallery() -> dict[str, bytes]:
    """Return the picture of each instruction's example as SVG, by the name of its file."""
    return {
        _name_file(entry): export(trace(*entry.example), "svg", _GALLERY_OPTIONS).encode()
        for entry in CATALOG.values()
    }


def _name_file(entry: Entry) -> str:
    return f"{_GALLERY}/{entry.opcode}.svg"


def _make_card(entry: Entry, *, has_picture: bool = True) -> Element:
    ptx, values = entry.example
    ins = parse(ptx)
    texts = {
        operand.roles[0]: format_hex(values[operand.roles[0]], operand.type.bits)
        for operand in ins.inputs
        if operand.roles[0] in values
    }
    label = make_element("span", make_element("b", entry.opcode), f" {entry.summary}")
    href = f"#{format_permalink(PageLink(str(ins), texts))}"
    if not has_picture:
        return make_element("a", label, href=href)
    picture = make_element("img", src=_name_file(entry), alt="", loading="lazy", width="200")
    return make_element("a", picture, label, href=href)


def _list_starts() -> Iterator[Element]:
    """Yield links to instructions of different kinds, and a button for all instructions."""
    for opcode in _STARTS:
        yield _make_card(CATALOG[opcode], has_picture=False)
    yield make_button(f"All {len(CATALOG)} instructions", "gallery")
