"""Where answers part, every known version of the assembler stands in exactly one row."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxscope import evaluate, parse, trace
from ptxscope.documents import Format, export
from ptxscope.documents.content.document_builder import build_document
from ptxscope.documents.options import Options
from ptxscope.engine.semantics.rules import ERRATA

KNOWN = [(11, 8), (12, 4), (13, 0), (13, 2), (13, 3), (13, 4), (13, 5)]
LINE = "vadd.u32.s32.s32.sat d.h1, a, b, c"
VALUES = {"a": -9, "b": 2, "c": 0x55667788}


def _stands_for(label: str, version: tuple[int, int]) -> bool:
    found = re.fullmatch(r"ptxas (\d+)\.(\d+) to (\d+)\.(\d+), sm_70\+", label)
    if not found:
        return False
    first, last = (int(found[1]), int(found[2])), (int(found[3]), int(found[4]))
    return first <= version <= last


@pytest.mark.parametrize("model", ["isa", "ptxas-12.0", "ptxas", "E3"])
def test_versions_whose_errata_cancel_out_are_listed(model: str) -> None:
    answers = build_document(trace(LINE, VALUES, model=model), Options(both=True)).answers
    assert answers
    # -9 + 2 = -7 is clamped to 0 as documented; E3 makes ffff of it, and E1 then takes the
    # zeros above that
    assert [(x.label, x.result, x.reason) for x in answers.all] == [
        ("isa, as documented", "0x00007788", ""),
        ("ptxas 11.8 to 13.2, sm_70+", "0x00007788", "E1, E3 cancel out"),
        ("ptxas 13.3 to 13.5, sm_70+", "0xffff7788", "E3"),
    ]
    assert [x.id for x in answers.errata] == ["E1", "E3"]


@pytest.mark.parametrize("format_", ["text", "markdown", "rst", "html", "svg", "json"])
def test_every_format_lists_every_ptxas_version(format_: str) -> None:
    made = export(trace(LINE, VALUES), Format(format_), Options(both=True))
    assert isinstance(made, str)
    made = made.replace("\\", "")
    assert "ptxas 11.8 to 13.2, sm_70+" in made
    assert "ptxas 13.3 to 13.5, sm_70+" in made
    assert "E1" in made


@given(st.sampled_from(ERRATA), st.data())
def test_every_version_is_in_one_row(erratum: object, data: st.DataObject) -> None:
    ptx, *_ = erratum.example  # type: ignore[attr-defined]
    ptx = data.draw(st.sampled_from([ptx, ptx.replace("d.h0", "d.h1").replace("d.b0", "d.h1")]))
    inputs = parse(ptx).inputs
    values = {x.name: data.draw(st.integers(0, (1 << x.type.bits) - 1)) for x in inputs}
    answers = build_document(trace(ptx, values)).answers
    for version in KNOWN if answers else ():
        assert answers
        rows = [x for x in answers.all if _stands_for(x.label, version)]
        assert len(rows) == 1, version
        made = evaluate(ptx, values, model="ptxas-{}.{}".format(*version))
        assert list(made.values()) == [
            int(x, 16) for x in re.findall("0x[0-9a-f]+", rows[0].result)
        ]
