"""`ptxscope explain` where the line does not read its b or c, and no value is given for it."""

from __future__ import annotations

import json

import pytest

from ptxscope.cli import main

PTX = "vadd4.u32.u32.u32 d, a, b, c"
AB = ("a=0x05060708", "b=0x01020304")
MASKED = "0xaabb0a0c"  # 07 + 03 and 08 + 04 in the low bytes, the others of c = 0xaabbccdd
SAID = (
    "c was not given, so changes that read it (a mask, `.add`) were not tried; give c=… to try "
    "them."
)


def _flat(text: str) -> str:
    return " ".join(text.split())


def test_explain_mentions_a_missing_c(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", PTX, *AB, "--got", MASKED]) == 1
    out = _flat(capsys.readouterr().out)
    assert SAID in out
    assert "every modifier, selector, mask and negation that does not read c," in out
    assert main(["explain", PTX, *AB, "c=0xaabbccdd", "--got", MASKED]) == 0
    assert "with `d.b10` rather than `d`" in capsys.readouterr().out


def test_explain_mentions_a_missing_c_beside_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", PTX, *AB, "--got", MASKED, "-f", "json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out) == []
    assert SAID in _flat(said.err)


@pytest.mark.parametrize(
    ("ptx", "words"),
    [
        (PTX, (*AB, "c=1")),
        (PTX.replace(", c", ", a"), AB),
        ("vadd.u32.u32.u32 d, a, b", AB),
    ],
)
def test_explain_mentions_no_missing_c_if_c_is_known_or_absent(
    ptx: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", ptx, *words, "--got", "0xdeadbeef"]) == 1
    out = _flat(capsys.readouterr().out)
    assert "selector, mask and negation, other literals," in out
    assert "was not given" not in out


def test_the_changes_that_read_c_belong_to_the_instruction(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ptx = "vadd.u32.u32.u32 d, a, b, %r3"
    assert main(["explain", ptx, *AB, "--got", "0xdeadbeef"]) == 1
    said = "%r3 was not given, so changes that read it (a selector of the destination, `.add`,"
    assert said in _flat(capsys.readouterr().out)


@pytest.mark.parametrize("c", [(), ("c=0",)])
def test_explain_mentions_missing_operands_without_a_selected_lane(
    c: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    # b's bytes are 4 to 7: 0xff + 0x02 and so on would need b's value
    line = ("explain", "vadd4.u32.u32.u32 d, a, b.b0123, c", "a=0x80ff7f01")
    assert main([*line, *c, "--got", "0x00017e02", "--brief"]) == 1
    out = _flat(capsys.readouterr().out)
    assert (
        "b was not given, as no lane is picked from it, so changes that read it (other selectors, "
        "or exchanged operands) were not tried; give b=… to try them."
    ) in out
    assert ("that does not read b or c," in out, "c was not given" in out) == (not c, not c)
    assert main([*line, *c, "b=0x01ff0280", "--got", "0x00017e02", "--brief"]) == 0
    assert "was not given" not in capsys.readouterr().out


def test_a_register_in_two_roles_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "vadd4.u32.u32.u32 d, a, r.b0123, r", "a=5", "--got", "77"]) == 1
    assert _flat(capsys.readouterr().out).count("r was not given") == 1
