"""Interactive highlights: a value highlights its sources and its uses.

The page's style sheet does the work. Every value is an area with its number and the numbers of
related values; one rule per number highlights the areas with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .svg_canvas import Node, SvgCanvas, escape_xml, format_length

_PATH = re.compile(r' d="[^"]++"')


class Relations(NamedTuple):
    """The related values of a picture, by number."""

    numbers: Mapping[Node, int]
    ancestors: Mapping[Node, frozenset[Node]]
    """Sources of each value, including itself."""
    descendants: Mapping[Node, frozenset[Node]]
    """Uses of each value, including itself."""

    def format_attributes(self, node: Node) -> str:
        """Return the attributes with the numbers of a value and of related values."""
        related = self.ancestors[node] | self.descendants[node]
        return f' data-v="{self.numbers[node]}" data-r="{self._format_numbers(related)}"'

    def format_link_numbers(self, source: Node, target: Node) -> str:
        """Return the numbers of values that highlight a link."""
        return self._format_numbers(self.descendants[target] | self.ancestors[source])

    def _format_numbers(self, nodes: Iterable[Node]) -> str:
        return " ".join(map(str, sorted(self.numbers[node] for node in nodes)))


def find_relations(canvas: SvgCanvas, first: int = 0, *, is_local: bool = False) -> Relations:
    """Return the relations between all drawn values, numbered from ``first``.

    With ``is_local``, values of different branches are unrelated.
    """
    nodes = dict.fromkeys(zone.node for zone in canvas.zones)
    nodes |= dict.fromkeys(node for link in canvas.links for node in link)
    sources: dict[Node, list[Node]] = {node: [] for node in nodes}
    targets: dict[Node, list[Node]] = {node: [] for node in nodes}
    for source, target in canvas.links:
        if is_local and source[0] != target[0]:
            continue
        sources[target].append(source)
        targets[source].append(target)
    return Relations(
        {node: number for number, node in enumerate(nodes, first)},
        {node: _find_reachable(node, sources) for node in nodes},
        {node: _find_reachable(node, targets) for node in nodes},
    )


def _find_reachable(node: Node, edges: Mapping[Node, list[Node]]) -> frozenset[Node]:
    reachable: set[Node] = set()
    nodes_to_visit = [node]
    while nodes_to_visit:
        current = nodes_to_visit.pop()
        if current not in reachable:
            reachable.add(current)
            nodes_to_visit += edges[current]
    return frozenset(reachable)


def highlight_lines(
    canvas: SvgCanvas, relations: Relations, sentences: Mapping[Node, str]
) -> Iterator[str]:
    """Yield an area over each value with its sentence, and copies of the lines between them."""
    yield '<g class="px-zones" fill="none">'  # for readers without style sheets
    for link, paths in canvas.links.items():
        for path in paths:
            path_match = _PATH.search(path)
            if path_match:
                related = relations.format_link_numbers(*link)
                yield f'<path{path_match[0]} data-r="{related}"/>'
    for zone in canvas.zones:
        shape = " ".join(
            f'{name}="{format_length(value)}"'
            for name, value in zip(("x", "y", "width", "height"), zone.box, strict=True)
        )
        sentence = sentences.get(zone.node, zone.sentence)
        inner = f"<title>{escape_xml(sentence)}</title>" if sentence else ""
        attributes = relations.format_attributes(zone.node)
        yield f'<rect {shape} rx="5" tabindex="-1"{attributes}>{inner}</rect>'
    yield "</g>"


def highlight_rules(count: int) -> str:
    """Return the rules that highlight values related to the hovered or focused one."""
    return "\n".join(
        f'.ptxscope:has([data-v="{number}"]:is(:hover,:focus)) [data-r~="{number}"]{{--px-lit:1}}'
        for number in range(count)
    )
