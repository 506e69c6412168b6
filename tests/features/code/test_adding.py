"""An instruction that is added to the engine becomes a function in C and Python."""

from __future__ import annotations

from typing import Any

from tests.driving import every
from tests.driving.added_instructions import LINE, OPERANDS, ask_process, reverse_bytes


def test_functions_compute_the_added_instruction() -> None:
    answers = ask_process({x: (["trace", LINE, "a=1", "-f", x], "") for x in ("c", "python")})
    for name in ("c", "python"):
        status, text, messages = answers[name]
        assert (status, messages) == (0, "")
        every.READERS[name](text)
    names: dict[str, Any] = {}
    exec(answers["python"][1], names)
    function = next(x for name, x in names.items() if name.startswith("vrev"))
    assert [function(a) for a in OPERANDS] == [reverse_bytes(a) for a in OPERANDS]
