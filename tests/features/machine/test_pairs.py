"""``verify --pairs``: pairs of statements from the catalog, and the search among them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from ptxscope.blocks.block_parser import parse_block
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.features.machine import tools, verification
from ptxscope.features.machine.commands import statement_search
from ptxscope.features.machine.kernel_source import KernelSource
from ptxscope.features.machine.statement_pairs import list_pairs, list_triples, strip_declarations
from ptxscope.features.machine.toolchain import Compiled, Tool
from ptxscope.features.machine.verification import make_key
from tests.driving.command_line import run
from tests.tiers import whole
from tools.machine_code import read_blocks

PTXAS, NVDISASM = Tool("ptxas", (13, 0), "13.0.88"), Tool("nvdisasm", (13, 5), "13.5.37")
PAIRS = [
    ".reg .b16 a; neg.s16 t, a; cvt.s32.s16 d, t;",
    "prmt.b32 t, a, b, 0x8888; and.b32 d, t, 255;",
    "add.s32 t, a, b; min.s32 d, t, c;",
    "add.s32 t, a, b; max.s32 d, t, c;",
]


def is_any(_: Instruction) -> bool:
    return True


# the pairs of an issue on ptxas 13.0: a negation that is not cut, a selector and a mask, a sum
# that a saturating difference undoes, and a conversion of a negated number
@pytest.mark.parametrize(
    ("opcodes", "statements"),
    [
        (["neg"], "neg.s16 t, a16; cvt.u32.s16 d, t"),
        (["neg", "mov"], "neg.s32 t, a32; cvt.sat.u8.s32 d, t"),
        (["prmt"], "prmt.b32 t, a32, b32, 0x8888; and.b32 d, t, 0xff"),
        (["add"], "add.u32 t, a32, b32; sub.sat.s32 d, t, b32"),
        (["abs"], "abs.s16 t, a16; shr.s16 d, t, b32"),
    ],
)
@whole
def test_the_pairs_of_an_opcode(opcodes: Sequence[str], statements: str) -> None:
    pairs = list_pairs(opcodes, is_any)
    assert statements in map(strip_declarations, pairs)
    assert len({*pairs}) == len(pairs)


def test_the_second_statement_of_a_pair_reads_the_first() -> None:
    pairs = Random(1).sample(list_pairs(["cvt", "selp"], is_any), 150)
    for text in pairs:
        first, second = parse_block(text).statements
        assert any(x.statement == 1 for x in second.reads.values()), text
        assert not (first.instruction.constants and second.instruction.constants), text
        assert {"cvt", "selp"} & {first.instruction.opcode, second.instruction.opcode}


def test_a_triple_is_a_chain() -> None:
    triples = list_triples(["neg", "abs"], is_any)
    assert ".reg .b16 a16, t, t2, d; neg.s16 t, a16; abs.s16 t2, t; neg.s16 d, t2;" in triples
    for text in triples[::7]:
        _, second, third = parse_block(text).statements
        assert [[x.statement for x in y.reads.values()] for y in (second, third)] == [[1], [2]]


def test_an_assembler_has_the_instructions_of_its_pairs() -> None:
    pairs = list_pairs(["neg"], lambda x: x.opcode == "neg")
    assert pairs
    assert all(strip_declarations(x).count("neg") == 2 for x in pairs)


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """Machine code comes from the samples; returns the numbers of kernels that were compiled."""
    pytest.importorskip("bitwuzla")
    compiled: list[int] = []
    kernels: dict[str, Compiled] = {
        make_key(x.source.program): x.kernel
        for x in read_blocks()
        if (x.arch, x.level) == ("sm_90", 3)
    }

    # as if an assembler took a maximum for a minimum
    kernels[make_key(parse_block(PAIRS[3]))] = kernels[make_key(parse_block(PAIRS[2]))]

    def compile_stored(
        _: Tool, __: Tool, ___: str, sources: Sequence[KernelSource], *____: str
    ) -> list[Compiled]:
        compiled.append(len(sources))
        return [kernels.get(make_key(x.program), "in no sample") for x in sources]

    monkeypatch.setattr(verification, "compile_kernels", compile_stored)
    monkeypatch.setattr(
        tools, "find_tool", lambda name, *_, **__: {"ptxas": PTXAS, "nvdisasm": NVDISASM}[name]
    )
    monkeypatch.setattr(statement_search, "list_pairs", lambda *_: PAIRS)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return compiled


def test_a_search_lists_the_pairs_that_depart(stored: list[int], tmp_path: Path) -> None:
    done = run("verify", "--pairs")
    assert done.returncode == 1, done.stderr
    words = " ".join(done.stdout.split())
    assert "ptxas 13.0.88, sm_90: 4 sequences, " in words
    for part in (
        "1 as documented, for all operands",
        "1 as erratum E19 says",
        "1 as erratum E20 says",
        "1 equal to no known model",
        "add.s32 t, a, b: 1, such as add.s32 t, a, b; max.s32 d, t, c Equal to no known model: for",
    ):
        assert part in words
    found = json.loads(run("verify", "--pairs", "neg", "-f", "json").stdout)
    others = {x["ptx"]: x for x in found["targets"][0]["verdicts"]}
    assert [*others] == [x.removesuffix(";") for x in PAIRS if x != PAIRS[2]]
    departing = others[PAIRS[3].removesuffix(";")]
    a, b, c = (departing["operands"][x] for x in "abc")
    sum_and_c = [(x + 2**31) % 2**32 for x in (a + b, c)]  # in the order of signed words
    assert departing["documented"]["d"] == (max(sum_and_c) + 2**31) % 2**32
    assert departing["obtained"]["d"] == (min(sum_and_c) + 2**31) % 2**32
    assert stored == [4]  # the same search continues from its file
    assert [x.name.partition("-")[0] for x in tmp_path.rglob("*.jsonl")] == ["pairs"]
    assert run("verify", "--pairs", "--sample", "1").returncode in (0, 1)
    assert stored == [4]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--pairs", "nonsense"), "--pairs nonsense: it is one of "),
        (("--pairs", "--all"), "--pairs and --triples go with no other lines"),
        (("--pairs", "--triples", "neg"), "and not together"),
        (("--triples", "ad"), "--triples ad: did you mean "),
    ],
)
def test_searches_that_are_none(words: Sequence[str], message: str) -> None:
    done = run("verify", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
