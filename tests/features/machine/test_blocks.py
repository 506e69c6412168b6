"""``verify`` of blocks: their kernels, and proofs with stored machine code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ptxscope.blocks.block_parser import parse_block
from ptxscope.engine.semantics.models import parse_model
from ptxscope.features.machine import tools, verification
from ptxscope.features.machine.commands import verified_files
from ptxscope.features.machine.form_verdict import (
    VerdictOutcome,
    compute_machine_results,
    decide_line,
    drop_optimizer_errata,
    find_equal_model,
    list_models,
)
from ptxscope.features.machine.kernel_source import KernelSource, make_kernel_source
from ptxscope.features.machine.statement_runs import list_runs
from ptxscope.features.machine.toolchain import Compiled, Tool
from ptxscope.features.machine.verification import make_key
from tests.driving.command_line import run
from tests.driving.feature_tables import needs
from tools.machine_code import BLOCK_TARGETS, BLOCKS, BlockSample, read_blocks

pytest.importorskip("bitwuzla")

PTXAS, NVDISASM = Tool("ptxas", (13, 0), "13.0.88"), Tool("nvdisasm", (13, 5), "13.5.37")
SAMPLES = read_blocks()
WORD = 1 << 32


def signed(x: int, bits: int = 32) -> int:
    return (x & (1 << bits) - 1) - ((x >> bits - 1 & 1) << bits)


def clamp(x: int, low: int, high: int) -> int:
    return max(low, min(x, high))


# what each block computes, by the text of the manual
RESULTS: Mapping[str, Callable[..., Mapping[str, int]]] = {
    BLOCKS[0]: lambda a: {"d": signed(-a, 16) % WORD},
    BLOCKS[1]: lambda a, **_: {"d": 0xFF if a & 0x80 else 0},
    BLOCKS[2]: lambda a, b: {
        "d": clamp(signed(a + b) - signed(b), -WORD // 2, WORD // 2 - 1) % WORD
    },
    BLOCKS[3]: lambda a: {"d": clamp(signed(-a), 0, 255)},
    BLOCKS[4]: lambda a, b, c: {"t": (a - b) % WORD, "d": (c + (a < b)) % WORD},
    BLOCKS[5]: lambda a, b, c: {"d": min(signed(a + b), signed(c)) % WORD},
    BLOCKS[8]: lambda _1: {"%0": _1 if signed(_1) > 5 else WORD - 3},
}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda x: f"{x.arch}-O{x.level}-{x.text[:24]}")
def test_blocks_are_proved_or_refuted(sample: BlockSample) -> None:
    verdict = decide_line(sample.text, sample.source, sample.kernel)
    place = BLOCKS.index(sample.text)
    if place == 4 or (place < 4 and sample.level):
        # ptxas combines two statements, or adds the complement of the borrow
        erratum = ("E19", "E20", "E21", "E22", "E18")[place]
        assert (verdict.outcome, verdict.errata) == (VerdictOutcome.PROVED, (erratum,))
    else:
        assert (verdict.outcome, verdict.is_as_documented) == (VerdictOutcome.PROVED, True)
    if verdict.is_as_documented is False:
        operands = {x.replace("%", "_"): y for x, y in verdict.operands.items()}
        assert verdict.documented == RESULTS[sample.text](**operands) != verdict.obtained


@pytest.mark.parametrize("sample", SAMPLES[5::9], ids=lambda x: f"{x.arch}-O{x.level}")
def test_the_machine_code_of_a_block_computes_its_formula(sample: BlockSample) -> None:
    for a, b, c in ((1, 2, 3), (WORD - 1, 5, 0), (WORD // 2 - 1, 1, 7), (WORD // 2, WORD // 2, 9)):
        found = compute_machine_results(sample.source, sample.kernel, {"a": a, "b": b, "c": c})
        (expected,) = RESULTS[sample.text](a, b, c).values()
        assert [*found.values()] == [expected]


# --- kernels ------------------------------------------------------------------------------------


def write(text: str) -> str:
    return make_kernel_source(parse_block(text)).format_ptx("k")


def test_a_kernel_declares_every_register_of_its_text() -> None:
    text = write("{ mov.b32 t, from; mov.b32 u, t; @q add.u32 u, u, %0; add.u32 to, u, 1; }")
    assert "add.u32 to, to, place; add.u64 from" not in text
    declared = {x.split()[2].rstrip(";") for x in text.splitlines() if x.startswith("  .reg")}
    assert declared == {"to,", "v0", "v1", "v2", "q", "t", "u"}
    assert "  mov.b32 t, v" in text
    assert "  @q add.u32 u, u, v" in text


def test_a_constant_of_an_asm_statement_is_set_before() -> None:
    text = write('asm("add.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(5));')
    before, _, after = text.partition("add.u32 v")
    assert before.count(", 0x5;") == 1
    assert before.count("ld.global.b32") == after.count("st.global.b32") == 1


def test_a_kernel_with_many_operands_has_more_room_for_each_thread() -> None:
    lines = " ".join(f"add.u32 d{i}, a{i}, b{i};" for i in range(9))
    source = make_kernel_source(parse_block(f"{{ {lines} }}"))
    assert (len(source.inputs), source.stride) == (18, 256)
    assert "mul.wide.u32 place, thread, 256;" in source.format_ptx("k")
    assert make_kernel_source(parse_block("add.u32 d, a, b; add.u32 e, d, a;")).stride == 64


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("add.u32 x, a, a; { .reg .b32 x; not.b32 x, a; neg.s32 e, x; }", "x belongs to inner"),
        ("@p bra END; add.u32 x, a, a; END:", "a branch leaves the block"),
    ],
)
def test_a_block_without_a_kernel_of_the_same_meaning_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make_kernel_source(parse_block(text))
    task = verification.Task(PTXAS, NVDISASM, "sm_90", 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "compile_kernels", lambda *_: [])
        ((_, verdict),) = verification.iter_line_verdicts(task, [parse_block(text)])
    assert verdict.outcome is VerdictOutcome.UNKNOWN
    assert verdict.reason.startswith(reason)


def test_blocks_of_one_text_and_other_types_are_two() -> None:
    texts = (".reg .b16 d; cvt.u16.u8 d, a; not.b16 e, d;", "cvt.u16.u8 d, a; not.b16 e, d;")
    wide = 'asm("add.u32 t, %1, %2; not.b32 %0, t;" : "=r"(d) : "r"(a), "r"({}));'
    blocks = [parse_block(x) for x in (*texts, wide.format(4), wide.format(5))]
    assert str(blocks[2]) == str(blocks[3])
    assert make_key(blocks[0]) == make_key(blocks[1])
    assert len({make_key(x) for x in blocks}) == 3
    assert make_key(parse_block("add.u32 d, a, b;").without_braces()) == "add.u32 d, a, b"


def test_a_release_between_two_repairs_has_a_model_for_a_block() -> None:
    """E1 is repaired in 13.3, E15 in 13.5: 13.4 has one of them."""
    block = parse_block("vadd.s32.s32.s32 t.h1, a, b, c; bfe.s32 d, t, 40, 3;")
    model = find_equal_model(block, parse_model("ptxas-13.4"))
    assert {x.id for x in model.errata} >= {"E15"}
    assert "E1" not in {x.id for x in model.errata}
    assert [x.name for x in list_models(block)][3:] == ["ptxas-13.3", "E1"]
    assert len(list_models(parse_block("bfe.s32 t, a, 40, 3; not.b32 d, t;"))) == 3


def test_the_errata_of_the_optimizer_are_not_expected_without_it() -> None:
    """E15 and E22 do not occur at -O0, E3 does."""
    block = parse_block(
        "neg.s32 t, a; cvt.sat.u8.s32 d, t; bfe.s32 e, a, 40, 3; "
        "vsub.u32.u32.u32.sat f.b0, a, b, c;"
    )
    plain = drop_optimizer_errata(parse_model("ptxas-13.0"))
    assert [x.id for x in find_equal_model(block, plain).errata] == ["E3"]
    assert find_equal_model(parse_block("bfe.s32 d, a, 40, 3;"), plain).name == "isa"


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, ...]]:
    """Machine code comes from the samples; returns the options of ptxas."""
    options: list[tuple[str, ...]] = []

    def compile_stored(
        _: Tool, __: Tool, arch: str, sources: Sequence[KernelSource], *given: str
    ) -> list[Compiled]:
        options.append(given)
        level = int(given[0][2:]) if given else 3
        kernels = {
            make_key(x.source.program): x.kernel
            for x in SAMPLES
            if (x.arch, x.level) == (arch, level)
        }
        return [kernels.get(make_key(x.program), "it is in no sample") for x in sources]

    monkeypatch.setattr(verification, "compile_kernels", compile_stored)
    monkeypatch.setattr(
        tools, "find_tool", lambda name, *_, **__: {"ptxas": PTXAS, "nvdisasm": NVDISASM}[name]
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return options


def test_verify_takes_a_block_at_levels_of_optimization(stored: list[tuple[str, ...]]) -> None:
    done = run("verify", BLOCKS[0], "-O0", "-O", "3")
    assert done.returncode == 0, done.stderr  # without optimization, nothing is combined
    words = " ".join(done.stdout.split())
    assert "ptxas 13.0.88, sm_90 -O0 Equal to isa and ptxas-13.5 for all" in words
    assert "ptxas 13.0.88, sm_90 Equal to ptxas-13.0 for all operands" in words
    assert run("verify", BLOCKS[0], "--model", "isa").returncode == 1
    assert stored == [("-O0",), ()]
    assert run("verify", BLOCKS[0], "-O0").returncode == 0
    assert len(stored) == 2  # the verdict of -O0 is kept


def test_verify_of_an_asm_statement_as_json(stored: list[tuple[str, ...]]) -> None:
    found = json.loads(run("verify", BLOCKS[8], "--arch", "sm_75", "-f", "json").stdout)
    (target,) = found["targets"]
    assert (target["arch"], target["level"]) == ("sm_75", 3)
    (verdict,) = target["verdicts"]
    assert (verdict["outcome"], verdict["as_documented"]) == ("proved", True)
    assert verdict["ptx"] == "{ setp.gt.s32 p, %1, %2; selp.b32 %0, %1, -3, p; }"


@needs("check")
def test_a_block_has_a_report_for_a_tracker(stored: list[tuple[str, ...]]) -> None:
    text = run("verify", BLOCKS[0], "-f", "issue").stdout
    assert text.startswith("# ptxas: `neg.s16`, `abs.s16`")
    assert "`{ neg.s16 t, a; cvt.s32.s16 d, t; }` compiles to code that gives" in text
    assert run("verify", BLOCKS[5], "-f", "issue").stdout.startswith("Nothing deviates")


# --- runs of a file -----------------------------------------------------------------------------

KERNEL = """\
.visible .entry bounds(.param .u64 p)
{
  .reg .b64 q; .reg .b32 a, b, c, t, d, n; .reg .pred z;
  ld.param.u64 q, [p];
  mov.u32 n, %tid.x;
  ld.global.u32 a, [q];
  ld.global.u32 b, [q+4];
  ld.global.u32 c, [q+8];
  add.s32 t, a, b;
  min.s32 d, t, c;
  st.global.u32 [q+12], d;
  setp.eq.u32 z, n, 0;
  add.u32 n, n, d;
  @z bra END;
  mov.b32 a, n;
  st.global.u32 [q+16], a;
END:
  ret;
}
"""


def test_the_runs_of_a_kernel_are_between_what_is_not_computed() -> None:
    found = list_runs(KERNEL, "k.ptx")
    assert [(x.title, x.count) for x in found.runs] == [("bounds:9-10", 2), ("bounds:12-13", 2)]
    results = [{*x.results.values()} for x in found.blocks]
    # t is read in its run alone; n and z after theirs
    assert results == [{"d"}, {"z", "n"}]
    assert found.omitted == {"ld": 4, "mov": 2, "st": 2, "bra": 1, "ret": 1}
    assert [x.title for x in list_runs(KERNEL, "k.ptx", lines=range(10, 13)).runs] == [
        "bounds:10",
        "bounds:12",
    ]
    with pytest.raises(ValueError, match=r"k\.ptx has bounds, not other"):
        list_runs(KERNEL, "k.ptx", program_name="other")


def test_an_asm_statement_that_is_computed_is_one_run() -> None:
    text = 'void f() { asm("{ .reg .u32 t; add.u32 t, %1, %2; not.b32 %0, t; }" : "=r"(d) : "r"(a)'
    (whole,) = list_runs(text + ', "r"(5)); }', "f.cu").runs
    assert whole.block
    assert (whole.count, {*whole.block.results.values()}) == (2, {"%0"})
    assert ", 0x5;" in make_kernel_source(whole.block).format_ptx("k")


def test_a_long_run_is_several() -> None:
    lines = "\n".join(f"add.u32 r{i + 1}, r{i}, a;" for i in range(600))
    found = list_runs(f"{{\n{lines}\n}}")
    assert [x.count for x in found.runs] == [256, 256, 88]
    assert [[*x.results.values()] for x in found.blocks] == [["r256"], ["r512"], ["r600"]]


def test_a_part_of_a_vector_register_is_refused_by_name() -> None:
    block = parse_block(".reg .v2 .u32 r; .reg .v2 .u32 a; add.u32 r.x, a.x, a.y; not.b32 d, r.x;")
    with pytest.raises(ValueError, match=r"a\.[xy] is a part of a vector register"):
        make_kernel_source(block)


def test_verify_of_a_file_has_a_line_for_each_run(
    stored: list[tuple[str, ...]], tmp_path: Path
) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(KERNEL, "utf-8")
    done = run("verify", str(path))
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ptxas 13.0.88, sm_90: 2 runs of 4 statements, ")
    assert "  bounds:9-10   2 statements  as documented" in lines
    assert "  bounds:12-13  2 statements  refused" in lines  # it is in no sample
    assert "Not verified, because they are not computed: 10 statements (ld 4, " in done.stdout
    done = run("verify", f"{path}:bounds", "-f", "json")
    document = json.loads(done.stdout)
    assert document["omitted"]["ld"] == 4
    first, second = document["targets"][0]["runs"]
    assert (first["run"], first["lines"], first["outcome"]) == ("bounds:9-10", [9, 10], "proved")
    assert (second["statements"], second["outcome"]) == (2, "refused")
    done = run("verify", f"{path}:9-10")
    assert (done.returncode, done.stderr) == (0, "")
    for place, message in (
        (f"{path}:other", "k.ptx has bounds"),
        (f"{path}:4-8", "has no statements that are computed"),
        (f"{path}:99", "the file has "),
    ):
        done = run("verify", place)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr


@needs("check")
def test_check_verifies_each_asm_statement_and_run(
    stored: list[tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"ptxas": PTXAS, "nvdisasm": NVDISASM}
    monkeypatch.setattr(verified_files, "find_tool", lambda name: found[name])
    (tmp_path / "k.ptx").write_text(KERNEL, "utf-8")
    asm = 'asm("{ .reg .s32 t; add.s32 t, %1, %2; max.s32 %0, t, %3; }" '
    asm += ': "=r"(d) : "r"(a), "r"(b), "r"(c));'
    (tmp_path / "f.cu").write_text(f"void f(int a, int b, int c) {{ int d;\n{asm} }}\n", "utf-8")
    block = parse_block(asm)
    kernels = {x.text: x.kernel for x in SAMPLES if (x.arch, x.level) == ("sm_90", 3)}
    compile_stored = vars(verification)["compile_kernels"]

    def compile_asm(*arguments: Any) -> list[Compiled]:
        codes = compile_stored(*arguments)
        same = [make_key(x.program) == make_key(block) for x in arguments[3]]
        # as if an assembler took a maximum for a minimum
        return [kernels[BLOCKS[5]] if x else y for x, y in zip(same, codes, strict=True)]

    monkeypatch.setattr(verification, "compile_kernels", compile_asm)
    done = run("check", "-q", "--verify", str(tmp_path))
    assert done.returncode == 1, done.stderr
    (fault,) = [x for x in done.stdout.splitlines() if x.endswith("[verify]")]
    assert fault.startswith(f"{tmp_path / 'f.cu'}:2: error: ptxas 13.0.88 for sm_90, asm:2: ")
    assert re.search(r": Equal to no known model: for %1 = .* it gives %0 = .*; the docu", fault)
    assert done.stdout.splitlines()[-2:] == [
        "ptxas 13.0.88 for sm_90: 1 run as documented, 0 with known errata, 1 equal to no known "
        "model",
        "not verified: 1 refused; 10 other statements (ld, mov, st, bra, ret)",
    ]
    for words, message in (
        (("--arch", "sm_90"), "--arch needs --verify"),
        (("--verify", "-f", "json"), "--verify is for the text of a report alone"),
        (("--verify", "--arch", "x"), "--arch x: write sm_90"),
    ):
        done = run("check", "-q", str(tmp_path), *words)
        assert done.returncode == 2
        assert message in done.stderr


def test_every_stored_block_has_every_target() -> None:
    assert len(SAMPLES) == len(BLOCKS) * len(BLOCK_TARGETS)
