"""A seeded fraction of `dev.py prove`: what docs/dev/evidence.md says, proved again."""

from __future__ import annotations

from itertools import product
from random import Random
from time import process_time
from types import SimpleNamespace
from typing import Any

import pytest

from ptxscope import parse
from ptxscope.engine.isa.intrinsics import map_intrinsics
from ptxscope.engine.semantics.models import get_erratum
from ptxscope.engine.semantics.rules import ERRATA
from ptxscope.engine.tracing.basic_block import make_block
from tests.tiers import ci_only, thorough, whole

pytest.importorskip("bitwuzla")
pytest.importorskip("ptxscope.features.check")

import numpy as np

from tools import nvcc_intrinsics, proofs, symbolic_calls, verified
from tools.nvcc_intrinsics import map_kernels, read_stored_ptx
from tools.proofs import prove_intrinsic
from tools.symbolic_ptx import PlainPtx


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits are of this process's own time: what others do must not make a proof too long."""
    own = SimpleNamespace(monotonic=process_time)
    monkeypatch.setattr("ptxscope.features.prove.solver.time", own)
    monkeypatch.setattr("tools.proofs.time", own)


EXACT = {x.id for x in ERRATA} - {"E10", "E16"}


@pytest.mark.parametrize("count", [25, pytest.param(80, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", [x for x in proofs.PARTS if x != "intrinsics"])
@whole
def test_a_sample_of_every_claim_of_the_evidence_is_proved(
    name: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs, "TIMEOUT", 2.0 if count < 100 else 4.0)  # also beside other work
    part = proofs.PARTS[name](count, Random(f"{name} {count}"))
    assert sum(part.counts.values()) == count
    hard = "vmad" if name in ("models", "replacements") else ""  # products and quotients
    assert not [x for x in part.exceptions if not x.startswith(f"undecided: {hard}")]
    assert len(part.exceptions) <= count / 10


KERNELS = {
    (name, architecture): kernel
    for architecture in nvcc_intrinsics.STORED
    for name, kernel in map_kernels(read_stored_ptx(architecture)).items()
}


def test_every_intrinsic_has_kernels() -> None:
    assert {*KERNELS} == set(product(map_intrinsics(), nvcc_intrinsics.STORED))


@whole
@pytest.mark.parametrize(("name", "architecture"), KERNELS)
def test_an_intrinsic_equals_the_code_that_nvcc_generates(name: str, architecture: str) -> None:
    proof = prove_intrinsic(map_intrinsics()[name], KERNELS[name, architecture])
    assert proof.verdict == "equal"


@ci_only
@pytest.mark.skipif(not nvcc_intrinsics.has_nvcc(), reason="nvcc is not installed")
def test_nvcc_generates_the_stored_kernels() -> None:
    part = proofs.PARTS["intrinsics"](20, Random(20))
    assert sum(part.counts.values()) == part.counts["proved"] + part.counts["the same operations"]
    assert sum(part.counts.values()) == 20


def test_without_nvcc_the_stored_kernels_are_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "has_nvcc", lambda: False)
    part = proofs.PARTS["intrinsics"](20, Random(2))
    assert part.claim.endswith("for sm_75, sm_90. No nvcc was found: the kernels are those in "
                               "tests/data.")  # fmt: skip
    assert "nvcc 13.0.88" in part.claim
    assert not part.exceptions


@ci_only
def test_an_unreadable_kernel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "has_nvcc", lambda: False)
    monkeypatch.setattr(
        proofs, "read_stored_ptx", lambda x: read_stored_ptx(x).replace("dp4a.s32", "dp9a.s32")
    )
    part = proofs.PARTS["intrinsics"](None, Random(2))
    assert part.exceptions == [f"not readable: __dp4a ({x})" for x in nvcc_intrinsics.STORED]


def test_a_wrong_meaning_of_an_intrinsic_is_refuted() -> None:
    maximum = map_intrinsics()["__vmaxu4"]
    proof = prove_intrinsic(maximum, KERNELS["__vmaxs4", "sm_90"])
    assert proof.verdict == "different"
    pairs = [*zip(*(x.to_bytes(4, "little") for x in proof.get_values(1).values()), strict=True)]
    lanes = [
        [max(x, y) for x, y in pairs],
        [max(x, y, key=lambda byte: (byte + 128) % 256) for x, y in pairs],
    ]
    unsigned, signed = (int.from_bytes(x, "little") for x in lanes)
    assert proof.results == ((signed, unsigned),)


@ci_only
def test_the_proof_of_all_forms_stops_at_its_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "TIMEOUT", 0.5)
    part = proofs.PARTS["replacements"](None, Random(1), 1.0)
    assert sum(part.counts.values()) < part.total
    assert {"proved", "unaffected"} <= part.counts.keys()
    assert not [x for x in part.exceptions if not x.startswith("undecided: vmad")]


@pytest.mark.parametrize(
    "id_",
    [pytest.param(x, marks=thorough) if x in ("E10", "E16") else x for x in proofs.CONDITIONS],
)
def test_the_condition_under_which_an_erratum_changes_a_result_is_proved(id_: str) -> None:
    verdict = proofs.decide_condition(get_erratum(id_), proofs.CONDITIONS[id_])
    assert verdict == "exactly" if id_ in EXACT else verdict.startswith("only")


def test_wrong_claims_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proofs.decide_condition(get_erratum("E3"), "operate.t < -1") == "refuted"
    assert proofs.decide_condition(get_erratum("E3"), "operate.t < 1") == "only"
    ins = parse("vadd.u32.s32.s32.sat d.b0, a, b, c")
    assert proofs.prove_replacement(ins) == "proved"
    execute = PlainPtx.execute
    monkeypatch.setattr(
        PlainPtx, "execute", lambda self, name, x: execute(self, name.replace("max", "min"), x)
    )
    assert proofs.prove_replacement(ins) == "refuted"


def test_wrong_calls_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_block(parse("vadd4.s32.s32.s32.sat d, a, b, c")).make_plan()
    assert proofs.prove_program(plan) == "proved"
    calls: dict[Any, Any] = dict(symbolic_calls.CALLS)
    monkeypatch.setattr(symbolic_calls, "CALLS", {**calls, np.add: calls[np.subtract]})
    assert proofs.prove_program(plan) == "refuted"


def test_the_page_has_what_was_verified() -> None:
    page = verified.PAGE.read_text("utf-8")
    assert verified.replace_section(page) == page
    rows = verified.read_rows()
    for row in rows:
        assert row.lines == row.documented + row.departing + row.undecided + row.other
        known = {x.id for x in ERRATA if row.opcode in x.opcodes}
        assert set(row.errata.split()) <= known
        assert bool(row.departing) == bool(row.errata)


def test_results_of_verify_become_rows() -> None:
    keys = ("ptx", "outcome", "as_documented", "errata", "seconds")
    rows: tuple[tuple[object, ...], ...] = (
        ("vadd.s32.s32.s32 d, a, b", "proved", True, [], 0.25),
        ("vadd.s32.s32.s32 d.h1, a, b, c", "proved", False, ["E1"], 0.25),
        ("vadd.u32.u32.u32.max d, a, b, c", "proved", False, ["E6"], 0.25),
        ("vadd.u32.u32.u32.sat d, a, b", "undecided", None, [], 0.25),
        ("@p set.lt.f32.s32 d, a, b", "refused", None, [], 0.25),
    )
    verdicts = [dict(zip(keys, row, strict=True)) for row in rows]
    document = {"ptxas": "13.0.88", "targets": [{"arch": "sm_90", "verdicts": verdicts}]}
    assert list(verified.make_rows(document, "2026-11-23")) == [
        verified.VerifiedRow("vadd", "13.0.88", "sm_90", "2026-11-23", 4, 1, 2, "E1 E6", 1, 0, 1.0),
        verified.VerifiedRow("set", "13.0.88", "sm_90", "2026-11-23", 1, 0, 0, "", 0, 1, 0.2),
    ]
