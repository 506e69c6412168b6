"""What writes memory: a proof says *Equal* only if every such statement is a result it compares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random

import pytest

from ptxscope.blocks.block_parser import parse_block
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.features.prove.equivalence import prove, prove_equal, read_program
from ptxscope.features.prove.proof import Proof, Verdict
from tests.tiers import some

pytest.importorskip("bitwuzla")

HEAD = """\
.entry k(.param .u64 i, .param .u64 o)
{
.reg .b32 a, b, c, d; .reg .b64 I, O; .reg .pred p;
ld.param.u64 I, [i]; ld.param.u64 O, [o];
ld.global.u32 a, [I]; ld.global.u32 b, [I+4];
setp.lt.s32 p, a, b;
"""
CALLS = ("max.u32", "min.s32", "add.u32", "sub.u32", "xor.b32")
Stores = list[str]


def make_kernel(values: str, stores: Stores) -> str:
    return "\n".join([HEAD + values, *(f"{x};" for x in stores), "ret;\n}\n"])


def prove_kernels(a: str, b: str, same: Mapping[str, str] = {}) -> Proof:
    programs = [parse_block(x, with_memory=True) if ".entry" in x else read_program(x)
                for x in (a, b)]  # fmt: skip
    return prove_equal(programs[0], programs[1], same=same)


def draw_stores(rng: Random) -> Stores:
    """Stores of each value at places of their own; the first is of a computed one."""
    others = rng.sample(["d", "a", "b", "5", "0xffffffff"], rng.randrange(3))
    return [f"st.global.u32 [O+{4 * index}], {x}" for index, x in enumerate(["c", *others])]


def add_guard(stores: Stores, index: int, rng: Random) -> Stores:
    return replace_store(stores, index, f"@{rng.choice(['p', '!p'])} {stores[index]}")


def remove(stores: Stores, index: int, _: Random) -> Stores:
    return [*stores[:index], *stores[index + 1 :]]


def change_value(stores: Stores, index: int, rng: Random) -> Stores:
    address, _, value = stores[index].rpartition(" ")
    others = sorted({"a", "b", "c", "d", "0", "5", "6"} - {value})
    return replace_store(stores, index, f"{address} {rng.choice(others)}")


def reduce(stores: Stores, index: int, rng: Random) -> Stores:
    name = rng.choice(["red.global.add.u32", "red.global.max.u32", "st.global.u8"])
    return replace_store(stores, index, stores[index].replace("st.global.u32", name))


def overwrite(stores: Stores, index: int, rng: Random) -> Stores:
    address = stores[index].partition(",")[0]
    return [*stores, f"{address}, {rng.choice(['0', '7', 'a', 'd'])}"]


def exchange(stores: Stores, index: int, _: Random) -> Stores:
    """Stores of which one has the address of the next."""
    (x, one), (y, other) = (stores[i].split(", ") for i in (index, (index + 1) % len(stores)))
    changed = replace_store(stores, index, f"{x}, {other}")
    return replace_store(changed, (index + 1) % len(stores), f"{y}, {one}")


def replace_store(stores: Stores, index: int, text: str) -> Stores:
    return [*stores[:index], text, *stores[index + 1 :]]


MUTATIONS: list[Callable[[Stores, int, Random], Stores]] = [
    add_guard, remove, change_value, reduce, overwrite, exchange,
]  # fmt: skip


@pytest.mark.parametrize("seed", some(range(8)))
@pytest.mark.parametrize("mutate", MUTATIONS)
def test_a_kernel_with_another_store_is_never_equal(
    mutate: Callable[[Stores, int, Random], Stores], seed: int
) -> None:
    rng = Random(f"{mutate.__name__} {seed}")
    calls = rng.sample(CALLS, 2)
    values = f"{calls[0]} c, a, b; {calls[1]} d, b, a;"
    stores = draw_stores(rng)
    changed = mutate(stores, rng.randrange(len(stores)), rng)
    if changed == stores:
        return
    kernel, other = make_kernel(values, stores), make_kernel(values, changed)
    for pair in ((kernel, other), (other, kernel)):
        try:
            proof = prove_kernels(*pair)
        except (PtxError, ValueError):  # refused
            continue
        assert proof.verdict is Verdict.UNDECIDED
        assert proof.value_verdict is not Verdict.EQUAL, changed
        assert proof.uncompared


@pytest.mark.parametrize("seed", some(range(8)))
@pytest.mark.parametrize("mutate", [add_guard, change_value, reduce, overwrite])
def test_a_kernel_with_another_store_does_not_equal_its_results(
    mutate: Callable[[Stores, int, Random], Stores], seed: int
) -> None:
    rng = Random(f"{mutate.__name__} {seed}")
    calls = rng.sample(CALLS, 2)
    stores = ["st.global.u32 [O], c", "st.global.u32 [O+4], d"]
    line = f"{{ {calls[0]} c, x, y; {calls[1]} d, y, x; }}"
    values = f"{calls[0]} c, a, b; {calls[1]} d, b, a;"
    same = {"a": "x", "b": "y"}
    assert prove_kernels(make_kernel(values, stores), line, same).verdict is Verdict.EQUAL
    changed = make_kernel(values, mutate(stores, rng.randrange(2), rng))
    for pair in ((changed, line, same), (line, changed, {"x": "a", "y": "b"})):
        with suppress(PtxError, ValueError):  # refused
            assert prove_kernels(*pair).verdict is not Verdict.EQUAL


WRITING = [
    "red.global.add.u32 [O], c", "atom.global.add.u32 _, [O], c", "st.volatile.global.u32 [O+4], c",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [O], c, [I]", "st.future.u32 [O], c",
    "st.release.gpu.global.u32 [O+4], c", "cp.async.ca.shared.global [O], [I], 16",
    "cp.async.bulk.global.shared::cta.bulk_group [O], [I], 16", "sust.b.1d.b32.trap [I, {c}], {c}",
    "sured.b.add.1d.u32.trap [I, {c}], c", "call store, (O, c)", "discard.global.L2 [O], 128",
    "multimem.red.global.add.u32 [O], c", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [O], {c}",
    "mbarrier.inval.shared.b64 [O]", "tcgen05.cp.cta_group::1.128x256b [c], I", "future.u32 O, c",
]  # fmt: skip


@pytest.mark.parametrize("text", WRITING)
def test_a_statement_that_may_write_memory_is_named(text: str) -> None:
    values, stores = "not.b32 c, a;", ["st.global.u32 [O], c"]
    kernel = make_kernel(values, [*stores, text])
    for other, same in ((make_kernel(values, stores), {}), ("not.b32 c, x;", {"a": "x"})):
        try:
            proof = prove_kernels(kernel, other, same)
        except PtxError as error:
            assert text.split(".", 1)[0].split()[0] in str(error)
            continue
        assert proof.value_verdict is None
        assert any(text[:25] in x for x in proof.uncompared), proof.uncompared


@pytest.mark.parametrize("text", ["bar.sync 0", "membar.gl", "prefetch.global.L2 [O]"])
def test_a_statement_that_leaves_memory_as_it_is_needs_no_comparison(text: str) -> None:
    kernel = make_kernel("not.b32 c, a;", [text, "st.global.u32 [O], c"])
    kernel = kernel.replace("setp.lt.s32 p, a, b;", "")
    assert prove_kernels(kernel, "not.b32 c, x;", {"a": "x"}).verdict is Verdict.EQUAL


def test_a_block_of_text_that_stores_is_undecided() -> None:
    block = "{{ not.b32 d, a; st.global.u32 [x], {}; }}"
    proof = prove(block.format("d"), block.format(5))
    assert (proof.verdict, proof.value_verdict) == (Verdict.UNDECIDED, None)
    assert prove(block.format("d"), "not.b32 d, a").verdict is Verdict.UNDECIDED


def test_values_of_stores_are_paired_in_their_order() -> None:
    values = "max.u32 c, a, b; max.u32 d, b, a;"
    one = make_kernel(values, ["st.global.u32 [O], c", "st.global.u32 [O+4], a"])
    other = make_kernel(values, ["st.global.u32 [O], d", "st.global.u32 [O+4], a"])
    proof = prove_kernels(one, other)
    assert (proof.verdict, proof.value_verdict) == (Verdict.UNDECIDED, Verdict.EQUAL)
    assert proof.pairs == (("c", "d"),)


def test_nothing_runs_after_a_return() -> None:
    kernel = make_kernel("not.b32 c, a;", ["ret", "st.global.u32 [O], c"])
    with pytest.raises(PtxError, match="leaves the block"):
        parse_block(kernel, with_memory=True)
