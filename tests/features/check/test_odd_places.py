"""What stands where little does, as ``check`` finds it.

Each verdict is that of nvcc 13.0.88.
"""

from __future__ import annotations

import pytest

from ptxscope.features.check.lint import check_text
from tests.engine.test_odd_places import HEADS, NAMED, STATEMENTS

KERNEL = """\
__global__ void k(unsigned *o) {{
  unsigned r = 0, x = o[1], y = o[2];
  {}
  o[0] = r;
}}
"""


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("rest", STATEMENTS)
def test_an_asm_statement_is_read_with_comments_in_front_of_its_text(head: str, rest: str) -> None:
    (item,) = check_text(KERNEL.format(head + rest), "x.cu")
    assert item.is_legal == (not STATEMENTS[rest])
    assert STATEMENTS[rest] in item.message


def test_an_operand_by_its_name_is_noted() -> None:
    said = "nvcc 13.0 does not accept operands by name; clang does"
    (item,) = check_text(NAMED, "x.cu")
    assert [(x.message, x.hint) for x in item.diagnostics] == [(said, "%0, %1, …")]
