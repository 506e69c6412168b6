"""What the preprocessor of C does to a source: conditions.

Expected verdicts follow C11 6.10.1.
"""

from __future__ import annotations

import pytest

from ptxscope.features.check.compiled_code import select_branches
from tests.features.check.check_cases import CHECK_DATA
from tests.reference_data import read_lines


def _holds(condition: str, **definitions: str | None) -> bool | None:
    """Whether a condition is found to hold; None if it is left as it is."""
    text = select_branches(f"#if {condition}\nyes\n#else\nno\n#endif\n", definitions)
    assert len(text) == len(f"#if {condition}\nyes\n#else\nno\n#endif\n")
    found = ("yes" in text, "no" in text)
    assert ("#" in text) == (found == (True, True))
    return {(True, False): True, (False, True): False, (True, True): None}[found]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [*read_lines(CHECK_DATA / "conditions.txt", 2), ("ARCH \\\n == 900", "yes"), ("", "-")],
)
def test_a_condition_is_evaluated_from_known_macros(condition: str, expected: str) -> None:
    known = {"ARCH": "900", "GONE": None, "NEXT": "ARCH + 1", "LOOP": "LOOP + 1"}
    assert {True: "yes", False: "no", None: "-"}[_holds(condition, **known)] == expected


def test_deeply_nested_conditions_stay_unevaluated() -> None:
    for part, end in (("1 ? ", "1" + " : 1" * 200), ("(", "1" + ")" * 200), ("!", "1")):
        assert _holds(part * 200 + end) is None
