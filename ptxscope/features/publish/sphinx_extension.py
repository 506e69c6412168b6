"""A Sphinx extension: traces, and values of them, in a manual.

    .. ptx-trace:: vadd4.s32.s32.s32.sat d, a, b, c
       :operands: a=0x7f80ff01 b=0x01ff0280 c=0
       :format: svg
       :name: clamp
       :title: Saturation
       :note: saturate=the clamp is why 128 becomes 127

    See :ref:`clamp-step-saturate`: :ptx:value:`saturate lane 3 of clamp`, and d is
    :ptx:result:`clamp`.

HTML and EPUB builders show it as HTML or as SVG, LaTeX as a picture where the extra ``images``
is installed; all others, and LaTeX without that, show the text form. With a caption it is a figure,
which ``numfig`` numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2s
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.domains import Domain
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.osutil import relative_uri

from ... import __version__
from ...cli.commands.trace import parse_request, render_request
from ...cli.support.arguments import split_words
from ...cli.support.streams import CommandError
from ...documents import export
from ...documents.content.document_builder import build_document
from ...documents.content.sanitizer import sanitize_text
from ...documents.elements import format_attributes
from ...documents.media.frames import render_for_column
from ...documents.media.images import compute_size
from ...documents.media.picture_marks import read_description
from ...documents.options import OPTIONS, TALL, Option
from ...documents.theme import Theme
from ...engine.tracing.trace import Trace
from ...feature import Service, find_services
from .unique_ids import with_unique_ids
from .value_lookup import format_block_value, format_destinations, format_value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sphinx.application import Sphinx

    from ...documents.options import Options

_FORMATS = ("html", "svg", "text")
_MAX_PAPER_FACTOR = 3
"""Factor by which a picture on paper is larger than on a screen."""
_LATEX = r"\sphinxincludegraphics[width=\linewidth,height=.8\textheight,keepaspectratio]{{{}}}"
_LATEX_BY_WIDTH = r"\ifdim\linewidth<300pt {}\else {}\fi"
"""A compact picture in a column narrower than that picture, otherwise the whole one."""
_MAX_UNFLOATED_RATIO = 0.7
"""Height over width of a picture on paper that stands in the text: a taller one, which may not fit
below a heading, floats."""
_ENGINE_FOLDER = "ptxscope"
"""Folder under ``_static`` with the files that live figures load."""
_SVG = re.compile(r"<svg\b[^>]*+>(?:<style>(?P<style>[^<]*+)</style></svg>|.*?</svg>)", re.DOTALL)
"""A picture, or a style sheet in the body of a page."""
_OPTION = re.compile(r"(?<!\S)--([a-z-]++):?")
_START = re.compile(r"\A(?:usage: .*\n)?error: ")
_log = logging.getLogger(__name__)


class _TraceNode(nodes.General, nodes.Element):
    """A trace that is drawn when the builder is known."""


class _ValueNode(nodes.Inline, nodes.Element):
    """A value that is looked up when all traces are known by name."""


class _FigureLabel(NamedTuple):
    """A target of ``:ref:``."""

    label: str
    anchor: str
    """The id of the element."""
    title: str

    def rename(self, name: str, other_name: str) -> _FigureLabel:
        """Return the label with another name of its trace."""
        return self._replace(label=other_name + self.label.removeprefix(name))


def _make_choice(choices: Collection[str]) -> Callable[[str], str]:
    return lambda text: directives.choice(text, tuple(choices))


def _make_converter(option: Option) -> Callable[[str], Any]:
    """Return the function that checks the value of a directive's option."""
    if option.is_flag:
        return directives.flag
    choices = option.settings.get("choices")
    return _make_choice(choices) if choices else directives.unchanged_required


_OPTIONS = [option for option in OPTIONS if option.is_in_manual]


class TraceDirective(SphinxDirective):
    """The directive of one traced evaluation."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "operands": directives.unchanged_required,
        "format": _make_choice(_FORMATS),
        "model": directives.unchanged_required,
        "notes": directives.unchanged_required,
        "name": directives.unchanged_required,
        "alt": directives.unchanged_required,
        "class": directives.class_option,
        "live": directives.flag,
        **{option.name: _make_converter(option) for option in _OPTIONS},
    }

    def run(self) -> list[nodes.Node]:
        """Return a node for the trace, or a warning and the source if something is wrong."""
        options = self.options
        try:
            name = nodes.make_id(options.get("name", ""))
            if "name" in options and not name:
                raise ValueError(f"{options['name']!r} is not a name: it has no letter")
            words = self._words()
            trace, trace_options, _ = parse_request([*words, "-f", "text"])
        except Exception as error:  # an unforeseen error must not end the build either
            _report("ptx-trace", error, self.get_location())
            return [nodes.literal_block(self.block_text, self.block_text, language="none")]
        labels = list(_labels(name, trace, trace_options)) if name else []
        if name:
            full_name = nodes.fully_normalize_name(options["name"])
            self._label([*labels, *(x.rename(name, full_name) for x in labels)])
            domain = self.env.get_domain("ptx")
            domain.data["traces"][name] = self.env.docname, words
        if "live" in options:
            self.env.get_domain("ptx").data["live"].add(self.env.docname)
        node = _TraceNode(
            self.block_text,
            words=words,
            format=options.get("format", "html"),
            name=name,
            anchors=list(dict.fromkeys(x.anchor for x in labels)),
            alt=" ".join(options.get("alt", "").split()),
            live="live" in options,
            is_in_figure=False,
            # as `classes`, Sphinx would put them on the node that replaces this one
            css=options.get("class", []),
        )
        self.set_source_info(node)
        figure = self._make_figure(node)
        for anchor in node["anchors"]:  # where :numref: looks for its target
            self.state.document.ids.setdefault(anchor, figure if anchor == name else node)
        return [figure]

    def _make_figure(self, trace: _TraceNode) -> nodes.Element:
        """Return a figure with the caption, which Sphinx numbers, or the trace if it has none."""
        caption = sanitize_text(self.options.get("caption", ""))
        if not caption:
            return trace
        texts, messages = self.state.inline_text(caption, self.lineno)
        name = trace["name"]
        trace["is_in_figure"] = True
        figure = nodes.figure(
            "", trace, nodes.caption(caption, "", *texts), ids=[name] * bool(name)
        )
        self.set_source_info(figure)
        figure.extend(messages)
        return figure

    def _words(self) -> list[str]:
        """Return the arguments of ``ptxscope trace``."""
        options = {"theme": self.config.ptx_theme, **self.options}
        words = [self.arguments[0].replace("\n", " "), *split_words(options.get("operands", ""))]
        words += [f"--model={options['model'].strip()}"] if "model" in options else []
        notes = [*options.get("note", "").splitlines(), *options.get("notes", "").splitlines()]
        words += [f"--note={note.strip()}" for note in notes if note.strip()]
        for option in _OPTIONS:  # the caption belongs to the figure
            if option.name in options and option.name not in ("note", "caption"):
                value = "" if option.is_flag else f"={' '.join(options[option.name].split())}"
                words.append(f"--{option.name}{value}")
        return words

    def _label(self, labels: list[_FigureLabel]) -> None:
        """Register a trace and its steps as targets of ``:ref:``; warn of the first taken one."""
        std: Any = self.env.get_domain("std")
        is_warned = False
        for label, anchor, title in dict.fromkeys(labels):
            if label in std.anonlabels and not is_warned:
                is_warned = True
                other_page = self.env.doc2path(std.anonlabels[label][0])
                _log.warning(
                    "ptx-trace: the name %s is already used, in %s", label, other_page,
                    location=self.get_location(), type="ptxscope",
                )  # fmt: skip
            std.anonlabels[label] = self.env.docname, anchor
            std.labels[label] = self.env.docname, anchor, title


def _report(name: str, error: Exception, location: str | nodes.Node | None) -> None:
    """Report a faulty trace or value as a warning; the build continues."""
    text = _START.sub("", str(error))
    if not isinstance(error, CommandError | ValueError | ImportError | OSError):
        text = f"internal error ({type(error).__name__}: {text})"
    text = _OPTION.sub(lambda x: f":{x[1]}:" if x[1] in TraceDirective.option_spec else x[0], text)
    _log.warning("%s: %s", name, text, location=location, type="ptxscope")


def _labels(name: str, trace: Trace, options: Options) -> Iterator[_FigureLabel]:
    """Yield labels of a trace, its steps (by their names in notes) and its result."""
    doc = build_document(trace, options)
    yield _FigureLabel(name, name, " ".join((doc.title or doc.subject).split()))
    for step in doc.steps:
        anchor = f"{name}-{step.prefix.rstrip('.') or 'step'}-{step.stage}"
        title = f"{step.number}. {step.title}"
        for step_name in dict.fromkeys((str(step.stage), nodes.make_id(step.title))):
            label = f"{step.prefix}{step_name}".replace(".", "-")
            yield _FigureLabel(f"{name}-step-{label}", anchor, title)
        yield _FigureLabel(f"{name}-step-{step.number}", anchor, title)
    yield _FigureLabel(f"{name}-result", f"{name}-result", "Result")


class ValueRole(SphinxRole):
    """``WHAT of TRACE``: a trace by its name, or by the arguments of ``ptxscope trace``."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return a node for the value."""
        kind = self.name.rpartition(":")[2]
        node = _ValueNode(self.rawtext, kind=kind, text=" ".join(self.text.split()))
        self.set_source_info(node)
        self.env.get_domain("ptx").data["users"].add(self.env.docname)
        return [node], []


class PtxDomain(Domain):
    """The traces of a manual by name, and the roles that read them."""

    name = "ptx"
    label = "PTX"
    roles: ClassVar[dict[str, Any]] = {"result": ValueRole(), "value": ValueRole()}
    initial_data: ClassVar[dict[str, Any]] = {"traces": {}, "users": set(), "live": set()}
    data_version = 2

    def clear_doc(self, docname: str) -> None:
        """Forget the traces of a page."""
        traces = self.data["traces"]
        for name in [x for x, (home, _) in traces.items() if home == docname]:
            del traces[name]
        self.data["users"].discard(docname)
        self.data["live"].discard(docname)

    def merge_domaindata(self, docnames: Any, otherdata: dict[str, Any]) -> None:
        """Add the traces that another process has read."""
        traces = otherdata["traces"].items()
        self.data["traces"] |= {name: x for name, x in traces if x[0] in docnames}
        self.data["users"] |= otherdata["users"] & set(docnames)
        self.data["live"] |= otherdata["live"] & set(docnames)

    def format_value(self, kind: str, text: str) -> str:
        """Return a value as text. Raise CommandError or ValueError if none exists."""
        value, trace_name, trace = text.partition(" of ")
        if not trace_name or "'" in value or '"' in value:
            value, trace = "", text
        traces = self.data["traces"].get(nodes.make_id(trace))
        if traces is None and " " not in trace:
            names = ", ".join(self.data["traces"]) or "no trace has a name"
            raise ValueError(f"no trace has the :name: {trace!r}; {names}")
        parsed_trace, _, _ = parse_request(traces[1] if traces else split_words(trace))
        if kind == "value" and not value:
            raise ValueError(f"{text!r}: say which value, as in `saturate lane 2 of NAME`")
        if not parsed_trace.block.is_line:
            return format_block_value(parsed_trace, value)
        return (
            format_destinations(parsed_trace, value)
            if kind == "result"
            else format_value(parsed_trace, value)
        )


class _Draw(SphinxPostTransform):
    """Replaces the nodes of traces and values by their drawings."""

    default_priority = 5  # before references are resolved

    def run(self, **_: Any) -> None:
        """Draw for the current builder."""
        ids: set[str] = set()
        for trace in list(self.document.findall(_TraceNode)):
            try:
                drawing = list(self._iter_nodes(trace, ids))
            except Exception as error:
                _report("ptx-trace", error, trace)
                drawing = [nodes.literal_block(trace.rawsource, trace.rawsource, language="none")]
            trace.replace_self(drawing)
        domain = self.env.get_domain("ptx")
        assert isinstance(domain, PtxDomain)
        for place in list(self.document.findall(_ValueNode)):
            try:
                text = domain.format_value(place["kind"], place["text"])
            except Exception as error:
                _report(f"ptx:{place['kind']}", error, place)
                text = place.rawsource
            place.replace_self(nodes.literal(text, text, classes=["ptx", f"ptx-{place['kind']}"]))

    def _locate_engine(self) -> str:
        """Return the address of the folder with the files of live figures, seen from the page."""
        page = self.app.builder.get_target_uri(self.env.docname)
        return relative_uri(page, f"_static/{_ENGINE_FOLDER}")

    def _move_to_files(self, document: str) -> str:
        """Return a document of an EPUB, whose chapters Sphinx does not declare to contain SVG."""
        page = self.app.builder.get_target_uri(self.env.docname)

        def move(match: re.Match[str]) -> str:
            style = match["style"]
            if style is None:
                suffix, data = "svg", match[0]
            else:  # the pictures are images now
                suffix = "css"
                data = f"{style.replace(' svg', ' img')}\n.ptx-trace img{{max-width:100%}}\n"
            file = f"_static/ptx-{blake2s(data.encode(), digest_size=8).hexdigest()}.{suffix}"
            path = Path(self.app.outdir, file)
            path.parent.mkdir(exist_ok=True)
            path.write_text(data, encoding="utf-8")
            address = relative_uri(page, file)
            if style is not None:
                return f'<link rel="stylesheet" href="{address}"/>'
            return f'<img src="{address}" alt="{escape(read_description(data).description)}"/>'

        return _SVG.sub(move, document)

    def _iter_nodes(self, trace: _TraceNode, ids: set[str]) -> Iterator[nodes.Node]:
        words, format_ = trace["words"], trace["format"]
        if self.app.builder.format == "html" and format_ != "text":
            engine = self._locate_engine() if trace["live"] and _has_scripts(self.app) else ""
            move = None if _has_scripts(self.app) else self._move_to_files
            yield nodes.raw("", _framed(trace, ids, engine, move), format="html")
            return
        anchors = [
            nodes.target("", "", ids=[anchor])
            for anchor in trace["anchors"]
            if not (trace["is_in_figure"] and anchor == trace["name"])
        ]
        is_paper = self.app.builder.format == "latex" and format_ != "text"
        picture = _picture(words, Path(self.app.builder.outdir)) if is_paper else None
        if picture:
            latex = f"\n\n\\noindent{picture.latex}\n\n"
            parts = [*anchors, nodes.raw("", latex, format="latex")]
            is_float = picture.is_tall and not trace["is_in_figure"]
            yield from [nodes.figure("", *parts)] if is_float else parts
            return
        yield from anchors
        text = render_request([*words, "-f", "text"])
        yield nodes.literal_block(text, text, language="none", classes=trace["css"])


def _framed(
    trace: _TraceNode, ids: set[str], engine: str, move: Callable[[str], str] | None
) -> str:
    """Return HTML or SVG in a box with a class, a caption and every anchor that it lacks.

    ``ids`` are the id prefixes that the page uses so far. With the address of the files that live
    figures load, readers can edit the operands. ``move`` puts the pictures and styles of an EPUB,
    which is light, into files.
    """
    name, alt, format_ = trace["name"], trace["alt"], trace["format"]
    words = [*trace["words"], *([f"--id={name}"] if name else []), "-f", format_]
    parsed_trace, options, _ = parse_request(words)
    if not name:  # two traces of one name have caused a warning when they were read
        options = with_unique_ids(parsed_trace, options, format_, ids)
    if move and options.theme is Theme.AUTO:
        options = options._replace(theme=Theme.LIGHT)
    if format_ == "svg":
        document = render_for_column(parsed_trace, options)
    else:
        document = export(parsed_trace, format_, options)
    document = move(document) if move else document
    if name and trace["is_in_figure"]:  # the figure has this id
        document = document.replace(f' id="{name}"', "", 1)
    lacking = [
        anchor
        for anchor in trace["anchors"]
        if f' id="{anchor}"' not in document and not (trace["is_in_figure"] and anchor == name)
    ]
    anchors = "".join(f'<span id="{anchor}"></span>' for anchor in lacking)
    attributes = {"class": " ".join(["ptx-trace", *trace["css"]])}
    if alt:
        attributes |= {"role": "img" if format_ == "svg" else "group", "aria-label": alt}
    makers = find_services(Service.MAKE_LIVE_FIGURE) if engine else ()
    if makers:
        words += [f"--id={options.id}"] if options.id and not name else []
        return f"{anchors}{makers[0](document, parsed_trace, words, engine, attributes)}"
    if engine:
        _log.warning(
            "ptx-trace: no feature makes live figures; this one is static",
            location=trace, type="ptxscope",
        )  # fmt: skip
    return f"<div{format_attributes(attributes)}>\n{anchors}{document}</div>\n"


class _PaperPicture(NamedTuple):
    """A picture for paper."""

    latex: str
    is_tall: bool


def _picture(words: list[str], folder: Path) -> _PaperPicture | None:
    """Write a picture for paper; return None if no renderer is installed."""
    trace, options, _ = parse_request([word for word in words if not word.startswith("--theme=")])
    options = options._replace(theme=Theme.LIGHT)
    width, height = compute_size(export(trace, "svg", options), options, 1)
    latex = _write_paper_file(trace, options, folder)
    if latex and not options.compact and options.beside is None:
        small_options = options._replace(compact=True, layout=TALL)
        small = _write_paper_file(trace, small_options, folder)
        latex = _LATEX_BY_WIDTH.format(small, latex)
    return _PaperPicture(latex, height > _MAX_UNFLOATED_RATIO * width) if latex else None


def _write_paper_file(trace: Trace, options: Options, folder: Path) -> str:
    """Write the file of a picture; return its LaTeX, or nothing if no renderer is installed."""
    for suffix, draw in (("pdf", _exported), ("png", _exported), ("png", _by_resvg)):
        try:
            data = draw(trace, suffix, options)
        except (ImportError, ValueError):
            continue
        name = f"ptx-{blake2s(data, digest_size=8).hexdigest()}"
        (folder / f"{name}.{suffix}").write_bytes(data)
        # in braces, because a dot in a name would begin its suffix
        return _LATEX.format(f"{{{name}}}.{suffix}")
    return ""


def _exported(trace: Trace, suffix: str, options: Options) -> bytes:
    document: Any = export(trace, suffix, options)
    return bytes(document)


def _by_resvg(trace: Trace, _: str, options: Options) -> bytes:
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(svg_string=export(trace, "svg", options), zoom=_MAX_PAPER_FACTOR)
    )


def _has_scripts(app: Sphinx) -> bool:
    """Whether the pages may load scripts, which readers of an EPUB refuse."""
    return app.builder.format == "html" and app.builder.name != "epub"


def _write_engine(app: Sphinx, error: Exception | None) -> None:
    """Write the files that live figures load, if a page has one."""
    if error is not None or not _has_scripts(app):
        return
    if not app.env.get_domain("ptx").data["live"]:
        return
    local = str(app.config.ptx_runtime)
    for write in find_services(Service.WRITE_LIVE_ENGINE):
        folder = Path(app.outdir) / "_static" / _ENGINE_FOLDER
        write(folder, Path(app.confdir) / local if local else None)


def _users(_: Sphinx, env: Any) -> list[str]:
    """Return the pages to rewrite, because a trace whose values they use may have changed."""
    return sorted(env.get_domain("ptx").data["users"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension; called by Sphinx."""
    app.add_config_value("ptx_theme", "auto", "env", types=frozenset({str}))
    app.add_node(_TraceNode)
    app.add_node(_ValueNode)
    app.add_directive("ptx-trace", TraceDirective)
    app.add_domain(PtxDomain)
    app.add_post_transform(_Draw)
    app.add_config_value("ptx_runtime", "", "html", types=frozenset({str}))
    app.connect("env-updated", _users)
    app.connect("build-finished", _write_engine)
    return {
        "version": __version__,
        "env_version": 4,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
