"""Rules of diagnostics that other features add."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.feature import FeatureError
from ptxscope.features.check import check_report, check_rules
from ptxscope.features.check.check_report import (
    iter_item_lines,
    iter_sarif_results,
    make_sarif_format,
)
from ptxscope.features.check.check_rules import AddedRule, Fault, Severity, map_rules
from ptxscope.features.check.check_settings import make_settings
from ptxscope.features.check.lint import check_text

PTX = "prmt.b32 %r1, %r22, %r3, %r4;\nprmt.b32 %r1, %r2, %r3, 0x5410;\nadd.cc.u32 %r1, %r2, 5;"


def find_selectors(ins: Instruction) -> Iterator[Fault]:
    if ins.opcode == "prmt" and "c" not in ins.constants:
        yield Fault(f"{ins.names['c']} may be any selector of {ins.names['a']}", "c", "0x5410")
    if ins.opcode == "prmt":
        yield Fault("bytes move")


@pytest.fixture
def _added(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    id_: str = getattr(request, "param", "selector")
    rule = AddedRule(id_, Severity.REMARK, "A prmt has a selector.", find_selectors)
    services: tuple[Callable[[], tuple[AddedRule, ...]], ...] = (lambda: (rule,),)
    monkeypatch.setattr(check_rules, "find_services", lambda _: services)
    caches = check_rules.list_added_rules, map_rules, check_report.number_rules
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("_added")
def test_an_added_rule_is_asked_about_every_legal_instruction() -> None:
    items = list(check_text(PTX, "x.ptx"))
    found = [x for item in items for x in item.diagnostics if x.rule == "selector"]
    assert [(x.location.line, x.location.column, x.message) for x in found] == [
        (1, 26, "%r4 may be any selector of %r22"),
        (1, 1, "bytes move"),
        (2, 1, "bytes move"),
    ]
    assert [str(x.severity) for x in found] == ["remark"] * 3
    assert list(iter_item_lines(items[0]))[:4] == [
        "x.ptx:1:26: remark: %r4 may be any selector of %r22",
        "    prmt.b32 %r1, %r22, %r3, %r4;",
        "                             ^^^",
        "    allowed: 0x5410",
    ]
    in_asm = 'asm("prmt.b32 %0, %1, %2, %3;" : "=r"(a) : "r"(b), "r"(c), "r"(d));'
    (item,) = check_text(in_asm, "x.cu")
    assert "%3 may be any selector of %1" in [x.message for x in item.diagnostics]


@pytest.mark.usefixtures("_added")
def test_an_added_rule_is_ignored_by_comments_and_settings_and_listed_in_a_log() -> None:
    ignored = PTX.replace(";\n", "; // ptxscope: ignore[selector]\n")
    assert not [x for item in check_text(ignored, "x.ptx") for x in item.diagnostics]
    settings = make_settings(["selector"], None, [], [])
    assert not [
        x for item in settings.filter_items(check_text(PTX, "x.ptx")) for x in item.diagnostics
    ]
    frame = make_sarif_format()
    (item, *_) = check_text(PTX, "x.ptx")
    log = json.loads(frame.head + frame.first + next(iter_sarif_results(item)) + frame.tail)
    rule = log["runs"][0]["tool"]["driver"]["rules"][-1]
    assert (rule["id"], rule["defaultConfiguration"]["level"]) == ("selector", "note")
    (result,) = log["runs"][0]["results"]
    assert (result["ruleIndex"], result["level"]) == (len(map_rules()) - 1, "note")


@pytest.mark.parametrize("_added", ["E3"], indirect=True)
@pytest.mark.usefixtures("_added")
def test_a_rule_may_not_have_the_name_of_another() -> None:
    with pytest.raises(FeatureError, match="two rules of diagnostics are called E3"):
        map_rules()
