"""``ptxscope page``: the web explorer, as static files, or a live figure."""

from __future__ import annotations

from argparse import REMAINDER, Namespace
from collections.abc import Sequence
from pathlib import Path

from ...cli.support.arguments import Parser, make_command_parser
from ...cli.support.streams import CommandError, report_errors
from ...engine.syntax.errors import make_printable
from ...files import is_there, read
from .site import CDN, FILES, VERSION

_MAX_BYTES = 1 << 26
"""Maximum bytes of the ``index.html`` that is replaced."""
_EPILOG = f"""\
examples:
  ptxscope page -o site/
  ptxscope page -o site/ --runtime node_modules/pyodide/
  python3 -m http.server -d site/
  ptxscope page --site site/ --figure 'vadd4.s32.s32.s32.sat d, a, b, c' a=0x7f b=1 c=0 -o f.html

The web explorer runs ptxscope in the browser, by Pyodide {VERSION}. Without --runtime, the browser
loads Pyodide from {CDN}
and checks each file against its hash. With --runtime, these files of `npm install
pyodide@{VERSION}` are copied into the folder, and the web explorer works offline:
{", ".join(FILES)}.

With --figure, the command writes an HTML document instead, in which readers edit the operands. The
arguments of `ptxscope trace` follow it.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Write the web explorer, as static files, or a figure that readers can edit."
    usage = "-o FOLDER | --figure PTX [name=value ...]"
    parser = make_command_parser("page", about, _EPILOG, usage=usage)
    kinds = parser.add_mutually_exclusive_group(required=True)
    kinds.add_argument(
        "-o", "--output", metavar="FOLDER", help="folder of the web explorer's files"
    )
    kinds.add_argument(
        "--figure",
        metavar="PTX",
        nargs=REMAINDER,
        help="arguments of `ptxscope trace`, for a live figure instead",
    )
    parser.add_argument(
        "--site",
        metavar="SITE",
        help="address of a web explorer's folder, as seen from the live figure (default: .)",
    )
    parser.add_argument(
        "--runtime", metavar="DIR", help="local copy of Pyodide, instead of the one at jsDelivr"
    )
    parser.add_argument(
        "--force", action="store_true", help="replace an index.html of another program"
    )
    return parser


def run(words: Sequence[str]) -> int:
    """Write the files of the web explorer, or a live figure."""
    arguments = make_parser().parse_args(list(words))
    if arguments.figure is None:
        _write_page(arguments)
    else:
        _write_figure(arguments)
    return 0


def _write_page(arguments: Namespace) -> None:
    from .site import is_page, make_site, read_runtime, write_files

    if arguments.site is not None:
        raise CommandError("error: --site is for --figure")
    with report_errors(ValueError, prefix="error: --runtime: "):
        runtime = read_runtime(Path(arguments.runtime)) if arguments.runtime else None
    folder = Path(arguments.output)
    index = folder / "index.html"
    if not arguments.force and is_there(index) and not is_page(read(index, _MAX_BYTES)):
        name = make_printable(str(index))
        raise CommandError(f"error: {name} is not a web explorer of ptxscope; --force replaces it")
    write_files(folder, make_site(runtime))
    print(index)


def _write_figure(arguments: Namespace) -> None:
    from ...cli.commands.trace import parse_request, warn_about_hidden_notes
    from ...cli.support.picture_output import output_document, warn_about_suffix
    from .live_markup import render_live_document

    if arguments.runtime is not None or arguments.force:
        raise CommandError("error: --runtime and --force are for -o FOLDER")
    trace, options, request = parse_request(arguments.figure, "html", strict=True)
    if request.format != "html":
        raise CommandError(f"error: a live figure is html, not {request.format}")
    if request.output is not None:
        warn_about_suffix(request.output, request.format)
    warn_about_hidden_notes(trace, options)
    site = "." if arguments.site is None else arguments.site
    document = render_live_document(trace, options, request.ptx, site)
    output_document(document, request.format, request.output)
