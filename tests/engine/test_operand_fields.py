"""F-strings whose fields are operands: what the text says without them is checked."""

from __future__ import annotations

import pytest

from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_text


def check(text: str, name: str = "x.py") -> list[CheckedInstruction]:
    return list(check_text(text, name))


READ = {
    'x = f"vadd4.u32.u32.u32 {d}, {a}, {b}, {c};"': "vadd4.u32.u32.u32 {d}, {a}, {b}, {c};",
    'x = f"vadd4.u32.u32.u32 {r[0]}, {a!r:>3}, %r1, {c};"': (
        "vadd4.u32.u32.u32 {r[0]}, {a!r:>3}, %r1, {c};"
    ),
    'x = f"@{p} vadd.u32.u32.u32 {d}.b0, {a}, {b}.h1, {c};"': (
        "@{p} vadd.u32.u32.u32 {d}.b0, {a}, {b}.h1, {c};"
    ),
    'x = f"vmad.s32.s32.s32 {d}, {a}, -{b}, {c};"': "vmad.s32.s32.s32 {d}, {a}, -{b}, {c};",
    'x = f"@!{p} selp.b32 {d}, {a}, {b}, {q};"': "@!{p} selp.b32 {d}, {a}, {b}, {q};",
    'x = "setp.lt.s32 {p}|{q}, {a}, {b};".format(p=1)': "setp.lt.s32 {p}|{q}, {a}, {b};",
    'x = f"""\n  vadd4.u32.u32.u32 {d},\n   {a}, {b}, {c};\n"""': (
        "vadd4.u32.u32.u32 {d}, {a}, {b}, {c};"
    ),
    'x = f"vadd4.u32.u32.u32 %r{d}, %r{d + 1}, m{slot}, {c}_lo;"': (
        "vadd4.u32.u32.u32 %r{d}, %r{d + 1}, m{slot}, {c}_lo;"
    ),
    'x = f"@%p{i} setp.lt.u32 neg{slot}, rank{slot}, 0x8000;"': (
        "@%p{i} setp.lt.u32 neg{slot}, rank{slot}, 0x8000;"
    ),
    # each field is another operand: it isn't `mov`
    'x = "lop3.b32 {}, {}, {}, {}, 0xc0;".format(*r)': "lop3.b32 {}, {}, {}, {}, 0xc0;",
    'x = "lop3.b32 %s, %s, %%r%d, %s, 0xc0;" % r': "lop3.b32 %s, %s, %%r%d, %s, 0xc0;",
    # the registers that a field names may be declared with a field, too
    'x = f".version 8.0\\n.entry k() {{ .reg .b32 %r<{n}>; bfind.u32 %r{a}, %r{b}; }}"': (
        "bfind.u32 %r{a}, %r{b};"
    ),
}


@pytest.mark.parametrize("text", READ)
def test_fields_in_the_places_of_operands_are_read(text: str) -> None:
    (item,) = check(text)
    assert item.ptx == READ[text]
    assert item.is_legal
    assert not item.is_unreadable


UNREAD = [
    'x = f"vadd4.u32.u32.u32 {ops};"',  # it may be all four
    'x = f"vadd4.u32.u32.u32 {d}, {ab}, {c};"',
    'x = f"vadd4.{t}.u32.u32 {d}, {a}, {b}, {c};"',
    'x = f"vadd4{t} {d}, {a}, {b}, {c};"',
    'x = f"vadd4.u32.u32.u32 {d}{m}, {a}, {b}, {c};"',
    'x = f"vadd4.u32.u32.u32 {d}, {a}, {b}, {c}"',  # the string may go on
    'x = f"vadd4.u32.u32.u32 %r{d}{m}, {a}, {b}, {c};"',
    'x = f"prmt.b32 {d}, {a}, {b}, 0x{selector:04x};"',
    'x = "vadd4.u32.u32.u32 {}, {}, {};".format(*r)',
    'x = f"vadd.u32.u32.u32.add {d}, {a}, {b};"',
]


@pytest.mark.parametrize(
    "text",
    [
        'x = f"vset4.u32.u32.ltt %r{a}, %r{b}, {c}, %r1;"',
        'x = "vset4.u32.u32.ltt %s, %s, %s, %s;" % r',
        'x = "vset4.u32.u32.ltt {}, {}, {}, {};".format(*r)',
    ],
)
def test_a_wrong_modifier_is_found_whatever_the_fields_are(text: str) -> None:
    (item,) = check(text)
    (diagnostic,) = item.diagnostics
    assert diagnostic.message.startswith("unknown modifier `.ltt`")


@pytest.mark.parametrize("text", UNREAD)
def test_fields_that_may_be_anything_are_not(text: str) -> None:
    (item,) = check(text)
    assert item.is_unreadable


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('x = f"vadd4.u32.u32.wrap {d}, {a}, {b}, {c};"', ".wrap"),
        ('x = f"mov.b32 {d}, {e};\\nvadd4.u32.u32.u32.min {d}, {a}, {b}, {c};"', ".min"),
    ],
)
def test_what_is_wrong_whatever_they_are_is_an_error(text: str, place: str) -> None:
    (item,) = check(text)
    assert not item.is_legal
    location = item.diagnostics[0].location
    assert location.excerpt[slice(*location.span)] == place


def test_an_erratum_and_its_replacement_have_the_fields() -> None:
    (item,) = check('x = f"vadd.u32.s32.s32.sat {d}.b0, {a}, {b}, {c};"')
    assert item.errata == ("E3",)
    assert item.example
    assert set(item.example.values) == {"{a}", "{b}", "{c}"}
    assert item.replacement
    assert (item.replacement[0], item.replacement[-1]) == ("{{", "}}")
    assert any("{d}" in line for line in item.replacement)


def test_a_longer_line_by_the_same_name_is_one_register() -> None:
    (item,) = check('x = f"prmt.b32 {d}, {a}, {a}, 0x3210;"')
    assert [x.rule for x in item.diagnostics] == ["shorter"]
    assert "`mov.b32 {d}, {a};`" in item.diagnostics[0].message
