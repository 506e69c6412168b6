"""Values of a picture that light up what they came from, and what came of them.

A page's style sheet does it: every value is an area with a number and the numbers of the values
that it is related to, and a rule for each number lights what names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ...engine.records import NamedTuple
from .svg_canvas import Node, SvgCanvas, escape_xml, number

_PATH = re.compile(r' d="[^"]++"')


class Relations(NamedTuple):
    """Which values of a picture are related, by their numbers."""

    numbers: Mapping[Node, int]
    ancestors: Mapping[Node, frozenset[Node]]
    """What each value came from, itself included."""
    descendants: Mapping[Node, frozenset[Node]]
    """What came of each value, itself included."""

    def attributes(self, node: Node) -> str:
        """The number of a value, and those of the values that it lights up with."""
        related = self.ancestors[node] | self.descendants[node]
        return f' data-v="{self.numbers[node]}" data-r="{self._listed(related)}"'

    def link_numbers(self, source: Node, target: Node) -> str:
        """The numbers of the values that a link lights up with."""
        return self._listed(self.descendants[target] | self.ancestors[source])

    def _listed(self, nodes: Iterable[Node]) -> str:
        return " ".join(map(str, sorted(self.numbers[node] for node in nodes)))


def relations_of(pen: SvgCanvas, first: int = 0) -> Relations:
    """The relations of all that was drawn, numbered from a number on."""
    nodes = dict.fromkeys(zone.node for zone in pen.zones)
    nodes |= dict.fromkeys(node for link in pen.links for node in link)
    back: dict[Node, list[Node]] = {node: [] for node in nodes}
    on: dict[Node, list[Node]] = {node: [] for node in nodes}
    for source, target in pen.links:
        back[target].append(source)
        on[source].append(target)
    return Relations(
        {node: at for at, node in enumerate(nodes, first)},
        {node: _reachable(node, back) for node in nodes},
        {node: _reachable(node, on) for node in nodes},
    )


def _reachable(node: Node, edges: Mapping[Node, list[Node]]) -> frozenset[Node]:
    found: set[Node] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += edges[current]
    return frozenset(found)


def highlights(
    pen: SvgCanvas, relations: Relations, sentences: Mapping[Node, str]
) -> Iterator[str]:
    """An area over each value, with what is said of it, and the lines between them once more."""
    yield '<g class="px-zones">'
    for link, paths in pen.links.items():
        for path in paths:
            found = _PATH.search(path)
            if found:
                related = relations.link_numbers(*link)
                yield f'<path{found[0]} data-r="{related}"/>'
    for zone in pen.zones:
        shape = " ".join(
            f'{name}="{number(value)}"'
            for name, value in zip(("x", "y", "width", "height"), zone.box, strict=True)
        )
        said = sentences.get(zone.node, "")
        inner = f"<title>{escape_xml(said)}</title>" if said else ""
        yield f'<rect {shape} rx="5" tabindex="-1"{relations.attributes(zone.node)}>{inner}</rect>'
    yield "</g>"


def highlight_rules(count: int) -> str:
    """The rules of a page by which a value under the mouse, or in focus, lights up others."""
    return "\n".join(
        f'.ptxscope:has([data-v="{at}"]:is(:hover,:focus)) [data-r~="{at}"]{{--px-lit:1}}'
        for at in range(count)
    )
