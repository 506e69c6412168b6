"""EPUBs: one is made of a chapter, and a chapter is read as strictly as EPUBCheck reads it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

_XHTML, _SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
_CONTAINER = f"""{_HEAD}<container version="1.0"
 xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile
 full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
_PACKAGE = f"""{_HEAD}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"
 unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:12345678-1234-4234-8234-123456789012</dc:identifier>
<dc:title>Figures</dc:title><dc:language>en</dc:language>
<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata><manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="one" href="one.xhtml" media-type="application/xhtml+xml" PROPERTIES/>
FILES</manifest><spine><itemref idref="one"/></spine></package>"""
_NAVIGATION = f"""{_HEAD}<html xmlns="http://www.w3.org/1999/xhtml"
 xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Figures</title></head><body>
<nav epub:type="toc"><ol><li><a href="one.xhtml">One</a></li></ol></nav></body></html>"""
_FORBIDDEN_STYLE = re.compile(r"@import|url\(|(?<![\w-])(?:direction|unicode-bidi)(?=\s*:)")


def make_chapter(body: str, style: str = "") -> str:
    """An XHTML document."""
    return (
        f'{_HEAD}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title>'
        f"<style>{style}</style></head><body>\n{body}</body></html>\n"
    )


def write_epub(path: Path, chapter: str, files: Mapping[str, str]) -> None:
    """Write an EPUB of a chapter, and the SVG files that it shows."""
    items = "".join(
        f'<item id="file-{number}" href="{name}" media-type="image/svg+xml"/>\n'
        for number, name in enumerate(files)
    )
    package = _PACKAGE.replace("FILES", items)
    package = package.replace("PROPERTIES", 'properties="svg"' if "<svg" in chapter else "")
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        for name, text in {
            "META-INF/container.xml": _CONTAINER, "book.opf": package, "nav.xhtml": _NAVIGATION,
            "one.xhtml": chapter, **files,
        }.items():  # fmt: skip
            book.writestr(name, text, zipfile.ZIP_DEFLATED)


def list_forbidden(chapter: str) -> Iterator[str]:
    """What EPUB 3.3 forbids in a chapter; raises ParseError if it is no XML."""
    tree = ET.fromstring(chapter.replace("&nbsp;", "&#160;"))
    parents = {child: parent for parent in tree.iter() for child in parent}
    ids = Counter(filter(None, (x.get("id") for x in tree.iter())))
    yield from (f"the id {name} twice" for name, count in ids.items() if count > 1)
    for found in tree.iter():
        tag = found.tag.removeprefix(_XHTML)
        if tag in ("script", "form", "iframe", "base", f"{_SVG}script", f"{_SVG}foreignObject"):
            yield tag
        if tag == "style" and parents[found].tag != f"{_XHTML}head":
            yield "a style in the body"
        if "style" in tag:
            yield from (f"a style with {x}" for x in _FORBIDDEN_STYLE.findall(found.text or ""))
        for name, value in found.attrib.items():
            if name.startswith("on"):
                yield f"the handler {name}"
            if tag != "a" and name.endswith(("src", "href")) and re.match(r"\w+:|//", value):
                yield f"{tag} {name} {value}"
