"""The bar of the result."""

from __future__ import annotations

from ..engine.isa.encodings import format_hex
from ..engine.syntax.errors import make_printable
from ..engine.tracing.deviation import Deviation, find_deviation
from ..engine.tracing.step_text import interpret_bits
from ..engine.tracing.trace import Trace
from ..state.step_transitions import reveal_result
from .base.pane import Pane, StyledLine, StyledText, measure_line

HIDDEN_DIGIT = "▁"
"""Replaces each hidden character."""
_NAME_LENGTHS = (1 << 16, 16, 8, 4)
"""Maximum characters of a destination's name; the first that leaves room for the value wins."""


class ResultBar(Pane, can_focus=False):
    """The destinations' bits, and whether the answers differ.

    It has one line, or two if a pin would not fit: its height is independent of the values and the
    pin.
    """

    DEFAULT_CSS = """
    ResultBar { height: auto; border: none; padding: 0 1; overflow: hidden; background: $panel; }
    ResultBar.-outdated { text-opacity: 60%; }
    """

    def __init__(self, trace: Trace) -> None:
        super().__init__("result", "")
        self._trace = trace
        self._deviations: tuple[Deviation, ...] = ()
        self._pin: Trace | None = None
        self._key = ""

    def show(
        self,
        trace: Trace,
        deviations: tuple[Deviation, ...],
        pin: Trace | None,
        held_back: str = "",
    ) -> None:
        """Show the result of a trace, the models that differ, and the pinned result.

        If ``held_back`` names the key that reveals them, they are hidden.
        """
        self._trace, self._deviations, self._pin = trace, deviations, pin
        self._key = held_back
        self.redraw_lines()

    def draw(self, width: int) -> list[StyledLine]:
        """Return names and bits on the left, models on the right or below."""
        high = self._measure_height(self._trace, width)
        options = [
            (
                self._format_destinations(self._trace, length, readings),
                self._make_badge(self._trace, length),
            )
            for length in _NAME_LENGTHS
            for readings in (True, False)
        ]
        fitting = (
            (values, badge)
            for values, badge in options
            if (measure_line(values) <= width and measure_line(badge) <= width)
            and (high == 2 or measure_line(values) + measure_line(badge) < width)
        )
        values, badge = next(fitting, options[-1])
        if high == 2:
            return [values, [StyledText(" " * (width - measure_line(badge))), *badge]]
        gap = width - measure_line(values) - measure_line(badge)
        return [[*values, StyledText(" " * max(gap, 1)), *badge]]

    def _measure_height(self, trace: Trace, width: int) -> int:
        """Return the maximum lines of the result, a pin and another answer."""
        ins = trace.instruction
        count = len(ins.results)
        names = sum(len(name) for name in ins.results.values())
        bits = sum(len(format_hex(0, ins.type_of(role).bits)) for role in ins.results)
        columns = bits if count == 1 else names + bits + 5 * count
        ids = ", ".join(erratum.id for erratum in ins.errata)
        badge = (
            len(f"isa ≠ ptxas-13.5  ({ids})") + columns if ids else len("ptxas-13.5 and isa agree")
        )
        needed_width = names + bits + 5 * count + len("≠ pin ") + columns + 1 + badge
        return 1 if needed_width <= width else 2

    def _format_destinations(self, trace: Trace, max_chars: int, with_readings: bool) -> StyledLine:
        """Return the destinations with their bits, any meaning that fits, and the pin."""
        ins = trace.instruction
        line: StyledLine = []
        for role, name in ins.results.items():
            bits = trace.result[name]
            text = format_hex(bits, ins.type_of(role).bits)
            line.append(StyledText(f"{_shorten_name(name, max_chars)} = ", "quiet"))
            line.append(self._make_bits_piece(text, "strong"))
            if with_readings and not self._key:
                line.append(StyledText(f"  {interpret_bits(ins, role, bits)}", "quiet"))
            line.append(StyledText("   " if with_readings else "  "))
        if not line:
            line.append(StyledText("no result: the destination is _  ", "quiet"))
        elif self._key and with_readings:
            line.append(StyledText("press ", "quiet", "veil"))
            line.append(StyledText(self._key, "focus", "veil"))
            line.append(StyledText(" to see it   ", "quiet", "veil"))
        if self._pin:
            is_equal = self._pin.result_by_role == trace.result_by_role
            sign, style = ("= ", "quiet") if is_equal else ("≠ ", "pin")
            if self._key:  # whether they differ is part of the hidden result
                sign, style = "", "quiet"
            line.append(StyledText(f"{sign}pin ", style))
            line += self._format_short_result(self._pin, max_chars, style)
        elif line:
            line[-1] = line[-1]._replace(text=line[-1].text.rstrip())
        return line

    def _format_short_result(self, trace: Trace, max_chars: int, style_name: str) -> StyledLine:
        """Return a short result: the bits, with names if there are several."""
        ins = trace.instruction
        line: StyledLine = []
        for role, name in ins.results.items():
            if len(ins.results) > 1:
                line.append(
                    StyledText(
                        f"{', ' if line else ''}{_shorten_name(name, max_chars)} = ", style_name
                    )
                )
            line.append(
                self._make_bits_piece(
                    format_hex(trace.result[name], ins.type_of(role).bits), style_name
                )
            )
        return line

    def _make_bits_piece(self, text: str, style_name: str) -> StyledText:
        return (
            StyledText(HIDDEN_DIGIT * len(text), "quiet", "veil")
            if self._key
            else StyledText(text, style_name)
        )

    def _make_badge(self, trace: Trace, max_chars: int) -> StyledLine:
        model = trace.model.name
        if not self._deviations:
            other = "ptxas" if model == "isa" else "isa"
            return [StyledText(f"{model} and {other} agree", "right")]
        deviation = find_deviation(trace, self._deviations) or self._deviations[0]
        ids = ", ".join(erratum.id for erratum in deviation.errata)
        is_isa_result = trace.result == deviation.isa.result
        other_trace = deviation.other if is_isa_result else deviation.isa
        first = StyledText(f"{model} ≠ {other_trace.model.name} ", "surprise")
        text = self._format_short_result(other_trace, max_chars, "surprise")
        return [first, *text, StyledText(f" ({ids})", "surprise")]

    def handle_click(self, target: object) -> None:
        """Reveal the hidden result."""
        self.do(reveal_result)


def _shorten_name(name: str, max_chars: int) -> str:
    """Return a name; if it is too long, its middle is omitted."""
    name = make_printable(name)
    if len(name) <= max_chars:
        return name
    return f"{name[: max_chars // 2]}…{name[len(name) - (max_chars - 1) // 2 :]}"
