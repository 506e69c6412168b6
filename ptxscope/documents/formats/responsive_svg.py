"""Pictures in web pages too narrow for their letters: they scroll, or have a compact version."""

from __future__ import annotations

import re
from math import ceil

from ...engine.tracing.trace import Trace
from .. import export
from ..content.id_prefix import make_prefix
from ..options import Options
from ..svg.text_fitting import MIN_LETTER_PX

_VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]++)')
_SIZE = re.compile(r'font-size="([\d.]++)"')
_SCALE = re.compile(r"\) scale\(([\d.]++)\)")
BOX = "overflow-x:auto"
"""CSS of the box around a picture."""
_STYLE = """\
<style>.ptx-pictures{container-type:inline-size}
.ptx-pictures svg{display:block;max-width:100%;height:auto}
.ptx-narrow{display:none}
@container (max-width:619px){.ptx-wide{display:none}.ptx-narrow{display:block}}</style>
"""


def render_for_column(trace: Trace, options: Options) -> str:
    """Return an SVG as wide as its column at most, and a compact one for columns below 620 px."""
    svg = export(trace, "svg", options)
    if not options.compact and options.beside is None:
        prefix = f"{make_prefix(trace, options, 'svg')}-narrow"
        small_options = options._replace(compact=True, id=prefix)
        small_svg = export(trace, "svg", small_options)
        svg = f'<div class="ptx-wide">{svg}</div>\n<div class="ptx-narrow">{small_svg}</div>\n'
    return f'{_STYLE}<div class="ptx-pictures">\n{svg}</div>\n'


def compute_min_width(svg: str) -> int:
    """Return the width in px at which the smallest letters of a picture are 9 px high."""
    width_match = _VIEW_BOX.search(svg)
    scales = list(_SCALE.finditer(svg))
    # elements before the first transform are not scaled
    start = scales[0].start() if scales else len(svg)
    min_scale = min((float(x[1]) for x in scales), default=1.0)
    sizes = [float(x) for x in _SIZE.findall(svg, 0, start)]
    sizes += [float(x) * min_scale for x in _SIZE.findall(svg, start)]
    min_size = min(sizes, default=MIN_LETTER_PX)
    return ceil(float(width_match[1]) * MIN_LETTER_PX / min_size) if width_match else 0


def add_min_width(svg: str) -> str:
    """Return a picture that is never narrower than its letters need."""
    style = f"min-width:{compute_min_width(svg)}px"
    return svg.replace("<svg ", f'<svg style="{style}" ', 1)
