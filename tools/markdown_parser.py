"""A Sphinx parser for the Markdown of the manual, whose files a forge also shows.

It reads CommonMark with tables. A link to a page or a heading becomes a cross reference, so that
Sphinx warns about broken ones. A page `x.md` is the parent of the pages in `x/` that it links to;
the root page, of all pages that its parts, without the introduction, link to. ptxscope's pictures
become part of the page and follow its theme; pictures of instructions are live: readers can edit
the operands of the command above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import join, normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from docutils import nodes
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from sphinx import addnodes
from sphinx.parsers import Parser
from sphinx.util import logging

from ptxscope.cli.commands.trace import parse_request
from ptxscope.documents.elements import format_attributes
from ptxscope.documents.media.frames import add_min_width
from ptxscope.feature import Service, find_services

from .manual_shown import split_commands

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

ENGINE_FOLDER = "ptxscope"
"""Folder under ``_static`` of the live figures' files."""
_LIVE_PAGES = "reference/instructions/"
_log = logging.getLogger(__name__)
_EXTERNAL = re.compile(r"[a-z]++:")
_SLUG_SEPARATOR = re.compile(r"[^\w\- ]")
_LANGUAGES = frozenset({"c", "console", "json", "latex", "markdown", "python", "rst", "sh"})


class MarkdownParser(Parser):
    """Reads a page of Markdown into docutils' nodes."""

    supported = ("markdown",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Fill a document."""
        _PageBuilder(document, document.settings.env).build(inputstring)


def make_slug(title: str) -> str:
    """Return the anchor of a heading on forges."""
    return _SLUG_SEPARATOR.sub("", title.strip().lower()).replace(" ", "-")


class _PageBuilder:
    """Builds the nodes of one page."""

    def __init__(self, document: nodes.document, env: BuildEnvironment) -> None:
        self._document, self._env = document, env
        self._sections: list[tuple[int, nodes.Element]] = [(0, document)]
        self._slugs: dict[str, int] = {}
        self._children: dict[str, list[str]] = {}
        self._title = ""
        self._words: list[str] = []
        """The words of the page's last command."""

    def build(self, text: str) -> None:
        """Append the page to the document."""
        tree = SyntaxTreeNode(MarkdownIt("commonmark", {"html": True}).enable("table").parse(text))
        for block in tree.children:
            self._sections[-1][1].extend(self._iter_blocks(block))
        (_, top), *_ = self._sections[1:]
        for title, names in self._children.items():
            top.append(_make_contents(self._env, title, names))

    def _iter_blocks(self, block: SyntaxTreeNode) -> Iterator[nodes.Node]:
        match block.type:
            case "heading":
                self._open_section(block)
            case "paragraph":
                (inline,) = block.children
                if [child.type for child in inline.children] == ["image"]:
                    yield self._make_figure(inline.children[0])
                else:
                    yield nodes.paragraph("", "", *self._iter_inline(inline))
            case "bullet_list" | "ordered_list":
                items = [self._make_container(nodes.list_item, item) for item in block.children]
                is_numbered = block.type == "ordered_list"
                yield (nodes.enumerated_list if is_numbered else nodes.bullet_list)("", *items)
            case "blockquote":
                yield self._make_container(nodes.block_quote, block)
            case "fence" | "code_block":
                language = block.info.split(" ")[0]
                text = block.content.rstrip("\n")
                known = language if language in _LANGUAGES else "none"
                self._words = split_commands(text)[-1].words if language == "console" else []
                yield nodes.literal_block(text, text, language=known)
            case "table":
                yield self._make_table(block)
            case "html_block":
                if not block.content.lstrip().startswith("<!--"):
                    yield nodes.raw("", block.content, format="html")
            case "hr":
                yield nodes.transition()
            case _:
                raise ValueError(f"{self._env.docname}: no {block.type} in the manual")

    def _make_container(self, kind: type[nodes.Element], block: SyntaxTreeNode) -> nodes.Element:
        return kind("", *(node for child in block.children for node in self._iter_blocks(child)))

    # --- sections --------------------------------------------------------------------------

    def _open_section(self, block: SyntaxTreeNode) -> None:
        (inline,) = block.children
        level, title = int(block.tag[1]), "".join(_iter_texts(inline))
        slug = make_slug(title)
        count = self._slugs[slug] = self._slugs.get(slug, -1) + 1
        slug += f"-{count}" * bool(count)
        while self._sections[-1][0] >= level:
            self._sections.pop()
        section = nodes.section("", nodes.title("", "", *self._iter_inline(inline)), ids=[slug])
        self._document.note_explicit_target(section, section)
        self._sections[-1][1].append(section)
        self._sections.append((level, section))
        self._title = title if level > 1 else ""
        std: Any = self._env.get_domain("std")
        std.anonlabels[f"{self._env.docname}#{slug}"] = self._env.docname, slug
        std.labels[f"{self._env.docname}#{slug}"] = self._env.docname, slug, title

    # --- tables and pictures ---------------------------------------------------------------

    def _make_table(self, block: SyntaxTreeNode) -> nodes.Node:
        rows = [row for part in block.children for row in part.children]
        has_head = any(child.children[0].content for child in rows[0].children)
        width = len(rows[0].children)
        group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in range(width)), cols=width)
        made = [nodes.row("", *map(self._make_entry, row.children)) for row in rows]
        if has_head:
            group += nodes.thead("", made[0])
        group += nodes.tbody("", *made[1:])
        return nodes.table("", group, classes=["colwidths-auto"] + ["glance"] * (not has_head))

    def _make_entry(self, cell: SyntaxTreeNode) -> nodes.entry:
        paragraph = nodes.paragraph("", "", *self._iter_inline(cell.children[0]))
        return nodes.entry("", paragraph)

    def _make_figure(self, image: SyntaxTreeNode) -> nodes.Node:
        path = Path(self._env.doc2path(self._env.docname)).parent / str(image.attrs["src"])
        svg = path.read_text(encoding="utf-8") if path.suffix == ".svg" else ""
        if 'class="px-svg' not in svg:
            return nodes.container("", self._make_image(image), classes=["screen-box"])
        self._env.note_dependency(str(path))
        picture, attributes = add_min_width(svg), {"class": "ptx-trace", "tabindex": "0"}
        makers = find_services(Service.MAKE_LIVE_FIGURE)
        if makers and self._env.docname.startswith(_LIVE_PAGES) and self._words[1:2] == ["trace"]:
            words = [*self._words[2:], "-f", "svg"]
            engine = f"{'../' * self._env.docname.count('/')}_static/{ENGINE_FOLDER}"
            box = makers[0](picture, parse_request(words)[0], words, engine, attributes)
        else:
            box = f"<div{format_attributes(attributes)}>{picture}</div>"
        return nodes.raw("", box, format="html")

    def _make_image(self, image: SyntaxTreeNode) -> nodes.Node:
        return nodes.image(uri=str(image.attrs["src"]), alt="".join(_iter_texts(image)))

    # --- inside a line -----------------------------------------------------------------------

    def _iter_inline(self, parent: SyntaxTreeNode) -> Iterator[nodes.Node]:
        for child in parent.children:
            text = child.content if child.type in ("text", "code_inline", "html_inline") else ""
            match child.type:
                case "text":
                    yield nodes.Text(text)
                case "softbreak" | "hardbreak":
                    yield nodes.Text("\n")
                case "code_inline":
                    yield nodes.literal(text, text)
                case "html_inline":
                    yield nodes.raw("", text, format="html")
                case "em":
                    yield nodes.emphasis("", "", *self._iter_inline(child))
                case "strong":
                    yield nodes.strong("", "", *self._iter_inline(child))
                case "image":
                    yield self._make_image(child)
                case "link":
                    yield self._make_link(child)
                case _:
                    raise ValueError(f"{self._env.docname}: no {child.type} in the manual")

    def _make_link(self, link: SyntaxTreeNode) -> nodes.Node:
        target = unquote(str(link.attrs["href"]))
        content = nodes.inline("", "", *self._iter_inline(link))
        if _EXTERNAL.match(target):
            return nodes.reference("", "", *content.children, refuri=target)
        path, _, slug = target.partition("#")
        page = self._env.docname
        if path:
            page = normpath(join(page, "..", path))
            source = Path(self._env.srcdir) / page
            page = page.removesuffix(".md")
            if page not in self._env.found_docs:
                if not source.exists():
                    _log.warning("%s: no file %s", self._env.docname, target, type="manual")
                return content
            self._note_child(page)
        kind, reference = ("ref", f"{page}#{slug}") if slug else ("doc", f"/{page}")
        return addnodes.pending_xref(
            "", content, refdomain="std", reftype=kind, reftarget=reference, refexplicit=True,
            refwarn=True, refdoc=self._env.docname,
        )  # fmt: skip

    def _note_child(self, page: str) -> None:
        """Make a linked page a child of this one, if it is below it; the root has parts."""
        name = self._env.docname
        is_part = name == self._env.config.root_doc and bool(self._title)
        is_child = is_part or page.startswith(f"{name}/")
        if is_child and all(page not in pages for pages in self._children.values()):
            self._children.setdefault(self._title, []).append(page)


def _iter_texts(node: SyntaxTreeNode) -> Iterator[str]:
    for child in node.walk():
        if child.type in ("text", "code_inline"):
            yield child.content
        elif child.type == "softbreak":
            yield " "


def _make_contents(env: BuildEnvironment, title: str, pages: list[str]) -> nodes.Node:
    """Return a hidden table of contents: the navigation beside the pages shows it."""
    contents = addnodes.toctree(
        parent=env.docname, entries=[(None, page) for page in pages], includefiles=pages,
        caption=title or None, rawcaption=title, hidden=True, maxdepth=-1, glob=False,
        includehidden=False, numbered=0, titlesonly=True, rawentries=[],
    )  # fmt: skip
    return nodes.compound("", contents, classes=["toctree-wrapper"])
