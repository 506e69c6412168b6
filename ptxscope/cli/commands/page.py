"""``ptxscope page``: the explorer as a page of static files, for a browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...engine.syntax.errors import make_printable
from ...files import is_there, read
from ...page.site import CDN, FILES, VERSION
from ..support.arguments import Parser, make_command_parser
from ..support.streams import CommandError, command_errors

_MAX_BYTES = 1 << 26
"""Maximum bytes of the ``index.html`` that is replaced."""
_EPILOG = f"""\
examples:
  ptxscope page -o site/
  ptxscope page -o site/ --runtime node_modules/pyodide/
  python3 -m http.server -d site/

The page runs ptxscope in the browser, by Pyodide {VERSION}. Without --runtime, the browser loads
Pyodide from {CDN}
and checks each file against its hash. With it, these files of `npm install pyodide@{VERSION}` are
copied beside the page, which then works offline: {", ".join(FILES)}.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Write a page that explores instructions in a browser, as static files."
    parser = make_command_parser("page", about, _EPILOG)
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", required=True, help="folder of the page's files"
    )
    parser.add_argument(
        "--runtime", metavar="DIR", help="local copy of Pyodide, instead of the one at jsDelivr"
    )
    parser.add_argument(
        "--force", action="store_true", help="replace an index.html that is not by ptxscope"
    )
    return parser


def run(words: Sequence[str]) -> int:
    """Write the files of the page."""
    from ...page.site import is_page, make_site, read_runtime, write_files

    arguments = make_parser().parse_args(list(words))
    with command_errors(ValueError, prefix="error: --runtime: "):
        runtime = read_runtime(Path(arguments.runtime)) if arguments.runtime else None
    folder = Path(arguments.output)
    index = folder / "index.html"
    if not arguments.force and is_there(index) and not is_page(read(index, _MAX_BYTES)):
        name = make_printable(str(index))
        raise CommandError(f"error: {name} is not a page by ptxscope; --force replaces it")
    write_files(folder, make_site(runtime))
    print(index)
    return 0
