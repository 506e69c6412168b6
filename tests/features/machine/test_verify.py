"""``lower`` and ``verify``: with stored machine code, and with real tools."""

from __future__ import annotations

import ctypes
import io
import json
import multiprocessing
import os
import pickle
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ptxscope
from ptxscope import parse
from ptxscope.cli.support.streams import CommandError
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.entry import MinimumVersion
from ptxscope.engine.isa.types import Type
from ptxscope.engine.semantics.models import ISA_MODEL, parse_model
from ptxscope.engine.semantics.rules import ERRATA
from ptxscope.engine.syntax.instruction import make_instruction
from ptxscope.features.machine import (
    device,
    device_launch,
    fault_code,
    form_verdict,
    toolchain,
    tools,
    verification,
)
from ptxscope.features.machine.commands import verify
from ptxscope.features.machine.form_verdict import (
    FormVerdict,
    VerdictOutcome,
    decide_line,
    iter_forms,
    list_verified_opcodes,
)
from ptxscope.features.machine.kernel_source import KernelSource, make_kernel_source
from ptxscope.features.machine.toolchain import (
    Compiled,
    CrashedError,
    RefusedError,
    Tool,
    ToolError,
    compile_kernels,
    find_tool,
)
from tests.driving.command_line import run
from tests.driving.feature_tables import needs
from tests.tiers import ci_only, sampled, whole
from tools.machine_code import COUNTED_LINES, read_samples

pytest.importorskip("bitwuzla")

SHOWING_E3 = "vadd.u32.s32.s32.sat d.b0, a, b, c"
KERNELS = (Path(__file__).parent / "data" / "repro_kernels.txt").read_text("utf-8")
EXAMPLES = {
    erratum.example[0]: code
    for id_, code in re.findall(r"^// (\w+)\n((?:\t.*\n)+)", KERNELS, re.M)
    for erratum in ERRATA
    if erratum.id == id_
}
"""The machine code of the kernels of reports, by line."""
PTXAS, NVDISASM = Tool("ptxas", (13, 0), "13.0.88"), Tool("nvdisasm", (13, 5), "13.5.37")


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Machine code comes from the samples; returns the lines that were compiled."""
    compiled: list[str] = []

    def compile_stored(
        _: Tool, __: Tool, arch: str, sources: Sequence[KernelSource], *___: str
    ) -> list[Compiled]:
        kernels: dict[str, Compiled] = {
            str(x.source.ins).removesuffix(";"): x.kernel for x in read_samples(arch)
        }
        lines = [str(x.ins).removesuffix(";") for x in sources]
        compiled.extend(lines)
        return [kernels.get(line, "it is in no sample") for line in lines]

    def compile_example(_: Tool, __: Tool, ptx: str, arch: str) -> str:
        found = (code for line, code in EXAMPLES.items() if f"    {line};\n" in ptx)
        if text := next(found, ""):
            return text
        raise toolchain.ToolError(f"it is in no sample for {arch}")

    monkeypatch.setattr(fault_code, "compile_ptx", compile_example)
    for module in (tools, verification):
        monkeypatch.setattr(module, "compile_kernels", compile_stored)
    monkeypatch.setattr(
        tools, "find_tool", lambda name, *_, **__: {"ptxas": PTXAS, "nvdisasm": NVDISASM}[name]
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return compiled


# --- lower --------------------------------------------------------------------------------------


def test_lower_lists_each_machine_instruction_with_its_purpose(stored: list[str]) -> None:
    done = run("lower", SHOWING_E3, "--arch", "sm_75", "--arch", "sm_90")
    assert done.returncode == 0, done.stderr
    text = done.stdout
    assert text.startswith(f"{SHOWING_E3}\nptxas 13.0.88, nvdisasm 13.5.37\n")
    assert "sm_75  12 instructions\nsm_90  12 instructions\n" in text
    assert "The documented value of saturate t is computed by no instruction." in text
    assert "E3: The clamp's lower bound is missing" in text
    assert re.search(r"IADD3 R11, P0, R0, R5, RZ +add t\n", text)
    assert "part of saturate t\n" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_lower_keeps_the_names_of_registers(stored: list[str]) -> None:
    text = run("lower", "@%p1 set.lt.f32.s32 out, %r1, y").stdout
    assert text.startswith("@%p1 set.lt.f32.s32 out, %r1, y\n")
    for part in ("load %p1\n", "load %r1\n", "load y\n", "load out\n", "store out\n"):
        assert part in text
    words = " ".join(text.split())
    # a false guard: the documentation keeps out, the code converts its magnitude (E14)
    witness = re.search(r"for %r1 = \S+ y = \S+ %p1 = 0, out = (\S+) it gives out = (\w+);", words)
    assert witness
    kept, given = (int(x, 0) for x in witness.groups())
    (magnitude,) = struct.unpack("<I", struct.pack("<f", min(kept, 2**32 - kept)))
    assert given == magnitude != kept
    assert "part of guard d" in text  # rows have the trace's names


def test_lower_as_json(stored: list[str]) -> None:
    for line, count in COUNTED_LINES.items():
        (target,) = json.loads(run("lower", line, "-f", "json").stdout)["targets"]
        assert target["count"] == count
        assert target["verdict"]["outcome"] == "proved"
        assert {x["purpose"] for x in target["instructions"]} <= {
            *("load", "store", "address", "constant", "row", "part")
        }


def test_a_line_that_ptxas_refuses_is_an_error(stored: list[str]) -> None:
    line = "vadd.u32.u32.u32 d, a, b"
    done = run("lower", line)
    assert (done.returncode, done.stdout) == (1, "")
    assert "ptxas 13.0.88 refuses the line for sm_90: it is in no sample" in done.stderr


def test_what_replaces_the_machine_code_of_trace() -> None:
    for option, new in (
        ("--sass=sm_75", "ptxscope lower PTX"),
        ("--ptxas", "ptxscope lower PTX --ptxas PATH"),
        ("--nvdisasm", "ptxscope lower PTX --nvdisasm PATH"),
    ):
        done = run("trace", SHOWING_E3, option)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"is no longer an option; write `{new}`\n" in done.stderr


def test_a_fifo_in_place_of_the_verdicts_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"verdicts-{verification.make_engine_digest()}.jsonl"
    os.mkfifo(tmp_path / name)
    store = verification.VerdictStore(tmp_path)
    store.keep(verification.Task(PTXAS, NVDISASM, "sm_90", 1), [])
    said = capsys.readouterr().err
    assert said.startswith("warning: verdicts are not saved: ")
    assert "it is a FIFO" in said
    assert said.count("\n") == 1


# --- verify -------------------------------------------------------------------------------------


def test_verify_names_the_model_of_the_assembler(stored: list[str]) -> None:
    for words, status, end in (
        ((), 0, "  Expected model: ptxas-13.0, which it follows.\n"),
        (("--model", "isa"), 1, "  Expected model: isa, which it does not follow.\n"),
    ):
        done = run("verify", SHOWING_E3, *words)
        assert done.returncode == status
        text = " ".join(done.stdout.split())
        assert "Equal to ptxas-13.5 and ptxas-13.0 for all operands" in text
        assert "not to isa: for a = 0x80000000, b = 0, c = 0" in text
        assert done.stdout.endswith(end)
    assert run("verify", "vadd4.u32.u32.u32 d, a, b, c", "--model", "isa").returncode == 0
    found = json.loads(run("verify", SHOWING_E3, "--model", "isa", "-f", "json").stdout)
    (verdict,) = found["targets"][0]["verdicts"]
    assert verdict["errata"] == ["E3"]
    assert verdict["as_documented"] is False
    assert verdict["obtained"] != verdict["documented"]


@pytest.mark.parametrize("release", [(12, 4), (13, 3), (13, 4), (13, 5)])
def test_every_release_has_a_model(
    stored: list[str], monkeypatch: pytest.MonkeyPatch, release: tuple[int, int]
) -> None:
    # 13.3 and 13.4 have E15 but not E1, which no known model has; no form has both
    version = "{}.{}".format(*release)
    found = {"ptxas": Tool("ptxas", release, f"{version}.1"), "nvdisasm": NVDISASM}
    monkeypatch.setattr(tools, "find_tool", lambda name, *_, **__: found[name])
    for line, repaired_in in (
        (SHOWING_E3, None),
        ("vadd.s32.s32.s32 d.h1, a, b, c", (13, 3)),
        ("bfe.s32 d, a, 40, 3", (13, 5)),
    ):  # the stored machine code is that of 13.0
        done = run("verify", line)
        assert done.returncode == (repaired_in is not None and release >= repaired_in), done
        assert f"Expected model: ptxas-{version}, which it " in done.stdout


@ci_only
def test_a_line_that_examples_share_is_verified_once() -> None:
    arguments = verify.make_parser().parse_args(["--all", "--sample", "1"])
    lines = [str(x) for x in verify.list_lines(arguments)]
    assert len(lines) == len({*lines}) == len({x.example[0] for x in ERRATA[:14]}) + 1


def test_verdicts_are_cached(stored: list[str], tmp_path: Path) -> None:
    first = run("verify", SHOWING_E3)
    assert len(stored) == 1
    assert run("verify", SHOWING_E3) == first
    assert len(stored) == 1
    run("verify", SHOWING_E3, "--fresh")
    assert len(stored) == 2
    (path,) = (tmp_path / "cache").rglob("verdicts-*.jsonl")
    path.write_text(path.read_text("utf-8") + '["13.0.88", "sm_90", "', "utf-8")  # killed here
    assert run("verify", SHOWING_E3) == first
    assert len(stored) == 2


def test_verdicts_hold_for_the_files_of_the_tools(
    stored: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = tmp_path / "ptxas"
    tool.write_text("one", "utf-8")
    found = {"ptxas": PTXAS._replace(path=str(tool)), "nvdisasm": NVDISASM}
    monkeypatch.setattr(tools, "find_tool", lambda name, *_, **__: found[name])
    run("verify", SHOWING_E3)
    run("verify", SHOWING_E3)
    assert len(stored) == 1
    tool.write_text("a wrapper of the same version", "utf-8")
    run("verify", SHOWING_E3)
    assert len(stored) == 2
    found["ptxas"] = PTXAS
    run("verify", SHOWING_E3)
    found["nvdisasm"] = NVDISASM._replace(path=str(tool))
    run("verify", SHOWING_E3)
    assert len(stored) == 4


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00",
        b"null\n{}\n[1, 2]\n",
        b'["13.0.88", "sm_90", "", "LINE", "nonsense", [], [], null, "", "", 1, 1.0, {}, {}, {}]\n',
        b'["13.0.88", "sm_9", "", "LINE", "proved", [], ["E99"], true, "", "", 1, 1.0, {}, {}, {}]',
        b'["13.0.88", "sm_90", "", "LINE", "proved", 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]\n',
    ],
)
def test_a_damaged_cache_is_rewritten(stored: list[str], tmp_path: Path, content: bytes) -> None:
    run("verify", SHOWING_E3)
    (path,) = (tmp_path / "cache").rglob("verdicts-*.jsonl")
    path.write_bytes(content.replace(b"LINE", SHOWING_E3.encode()))
    second = run("verify", SHOWING_E3)
    assert "Equal to ptxas-13.5 and ptxas-13.0 for all operands" in second.stdout
    assert run("verify", SHOWING_E3) == second
    assert len(stored) == 2


def test_verify_runs_although_verdicts_cannot_be_saved(stored: list[str], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file", "utf-8")
    done = run("verify", SHOWING_E3)
    assert done.returncode == 0
    assert done.stderr.startswith("warning: verdicts are not saved: ")
    assert "Equal to ptxas-13.5 and ptxas-13.0" in done.stdout


def test_the_modules_that_decide_a_verdict_are_there() -> None:
    for folder in verification.DECIDING_FOLDERS:
        assert [*(Path(ptxscope.__file__).parent / folder).glob("*.py")], folder


def test_a_refusal_and_a_verdict_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(RefusedError("no", ((3, "refused"),))))
    assert (str(error), error.errors) == ("no", ((3, "refused"),))
    verdict = FormVerdict("line", VerdictOutcome.PROVED, operands={"a": 1})
    assert pickle.loads(pickle.dumps(verdict)) == verdict


def test_an_interrupted_chunk_keeps_its_verdicts(
    stored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [parse(x.line) for x in read_samples("sm_90")[:9]]
    monkeypatch.setattr(verify, "list_lines", lambda _: lines)
    monkeypatch.setattr(verification, "CHUNK_LINES", 4)
    decide, decided = decide_line, list[str]()

    def interrupt(line: str, *arguments: Any, **options: Any) -> FormVerdict:
        if len(decided) == 6:
            raise KeyboardInterrupt
        decided.append(line)
        return decide(line, *arguments, **options)

    monkeypatch.setattr(verification, "decide_line", interrupt)
    done = run("verify", "--all", "--jobs", "1")
    assert done.returncode == 130
    assert "stopped after 6 of 9 lines; the same command continues from there" in done.stderr
    assert len(stored) == 8  # two chunks
    monkeypatch.setattr(verification, "decide_line", decide)
    done = run("verify", "--all", "--jobs", "1")
    assert done.returncode == 0, done.stdout
    assert len(stored) == 8 + 3
    assert "9 lines, " in done.stdout
    assert "as erratum E3 says, for all operands" in done.stdout
    assert "0  equal to no known model" in done.stdout


def test_a_process_sends_verdicts_before_its_chunk_ends(
    stored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [parse(x.line) for x in read_samples("sm_90")[:4]]
    queue: Any = multiprocessing.SimpleQueue()
    verification.remember_verdicts({}, queue)
    monkeypatch.setattr(verification, "PATIENCE", -1)
    task = verification.Task(PTXAS, NVDISASM, "sm_90", 20)
    assert verification.verify_in_process(task, lines) == []
    sent = [verdict.line for _ in lines for _, verdict in queue.get()]
    assert sent == stored
    monkeypatch.setattr(verification, "PATIENCE", 1000)
    assert [x.line for _, x in verification.verify_in_process(task, lines)] == sent
    verification.remember_verdicts({})


@ci_only
def test_the_counts_of_verify_name_unexpected_results(
    stored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [parse(x.line) for x in read_samples("sm_90")[:30]]
    lines.append(parse("vsub.u32.s32.u32.sat d, a.h1, b.b3"))
    monkeypatch.setattr(verify, "list_lines", lambda _: lines)
    done = run("verify", "--all", "--model", "isa", "--jobs", "1")
    assert done.returncode == 1
    assert "1  refused by the assembler" in done.stdout
    for erratum in ERRATA[:14]:
        assert re.search(rf"not as isa: .*\b{erratum.id}\b", done.stdout)


NEGATIVE_HALF = "vsub.u32.u32.u32.sat d.h0, a.h0, b.h1, c"
"""A line with the fault of E3, which is not its example."""


def check_results(text: str) -> None:
    """Check the results for any operands: a negative difference is 0, with the fault 0xffff."""
    a, b, c = (int(re.findall(rf"`{name} = 0x(\w+)`", text)[0], 16) for name in "abc")
    assert (a & 0xFFFF) < b >> 16
    upper = c & 0xFFFF0000
    assert f"| Documented | `d = {upper:#010x}` (PTX ISA " in text
    assert f"| Compiled | `d = {upper | 0xFFFF:#010x}` (ptxas 13.0.88, sm_90) |\n" in text


@needs("check")
def test_a_report_has_all_required_parts(stored: list[str]) -> None:
    text = run("verify", NEGATIVE_HALF, "-f", "issue").stdout
    check_results(text)
    for part in (
        "# ptxas: `vadd`/`vsub`/`vmin`/`vmax` with `.sat` and a byte",
        "| Wrong | exactly when `t3 < 0` (`t3` is t of step 3, subtract) |\n",
        "| Found by | a proof by an SMT solver, and ",
        ".visible .entry repro(",
        f"  {NEGATIVE_HALF};\n",
        "ptxas -arch=sm_90 repro.ptx -o repro.cubin\n",
        "- Proved for all operands, by a solver: ",
        "  ptxas 13.0.88 for sm_90\n",
        f"ptxscope verify \\`{NEGATIVE_HALF}\\` --arch sm_90 -f issue</sub>\n",
    ):
        assert part in text, part
    text = run("verify", "vadd4.u32.u32.u32 d, a, b, c", "-f", "issue").stdout
    assert text == "Nothing deviates from the documentation.\n"
    # the literals stay if the form departs with them alone
    text = run("verify", "bfe.s32 d, a, 40, 3", "-f", "issue").stdout
    assert text.startswith("# ptxas: `bfe.s32` with a literal position of 32 or more is folded to")
    assert "`bfe.s32 d, a, 40, 3` compiles to code that gives" in text


@needs("check")
def test_the_report_of_an_example_is_that_of_the_erratum(stored: list[str]) -> None:
    text = run("verify", SHOWING_E3, "-f", "issue").stdout.partition("<sub>")[0]
    page = run("errata", "E3", "-f", "issue").stdout.partition("<sub>")[0]
    # without tools, the code of the page is recorded
    difference = {*text.splitlines()} ^ {*page.splitlines()}
    assert all("ode of ptxas" in x or "Of ptxas" in x or "assembled again" in x for x in difference)
    assert "t of step 4 (saturate), not 0x00000000" in text


@needs("check")
def test_a_new_fault_has_a_report(stored: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    # an assembler of whose faults nothing is known
    defaults = {**(form_verdict.decide_line.__kwdefaults__ or {}), "models": (ISA_MODEL,)}
    monkeypatch.setattr(form_verdict.decide_line, "__kwdefaults__", defaults)
    text = run("verify", NEGATIVE_HALF, "-f", "issue", "--fresh").stdout
    check_results(text)
    for part in (
        f"# ptxas: `{NEGATIVE_HALF}` does not compute what the PTX ISA documents\n",
        "| Wrong | exactly when `t3 < 0` (`t3` is t of step 3, subtract) |",
        "| Releases tried | 13.0.88 |",
        "| Targets tried | sm_90 |",
        "- No known fault of ptxas explains it.\n",
        "- No GPU has run it: ",
        "<summary>The documented steps</summary>",
    ):
        assert part in text, part


@needs("check")
@sampled
@pytest.mark.parametrize("erratum", [x for x in ERRATA if x.id != "E17"][::2], ids=lambda x: x.id)
def test_a_report_on_a_known_erratum(erratum: Any, stored: list[str]) -> None:
    done = run("verify", erratum.example[0], "-f", "issue")
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.startswith("# ptxas: ")
    first = next(x for x in ERRATA if x.example[0] == erratum.example[0])
    for part in (first.sentence, "| Affected forms | ", "\n## Machine code\n", "STG"):
        assert part in done.stdout
    assert ("- The line has other faults, too, " in done.stdout) or first is erratum


@pytest.mark.parametrize("name", ["E3", "nonsense"])
def test_a_model_that_no_assembler_follows_is_refused(name: str, stored: list[str]) -> None:
    done = run("verify", SHOWING_E3, "--model", name)
    assert (done.returncode, stored) == (2, [])
    assert f"--model {name}: write isa, ptxas or ptxas-MAJOR.MINOR" in done.stderr


# --- forms --------------------------------------------------------------------------------------


def test_every_form_is_listed_once() -> None:
    opcodes = list_verified_opcodes()
    assert len(opcodes) == 27
    # 3,072 quad forms of types, modifiers and masks: `../shared` counts them the same way
    counts = {opcode: len({*iter_forms(opcode)}) for opcode in ("vadd4", "vset4", "slct", "selp")}
    assert counts["slct"] == 33
    assert counts["selp"] == 22
    assert 384 < counts["vadd4"] <= 768
    assert 768 < counts["vset4"] <= 1536
    for form in list(iter_forms("vadd2"))[:20]:
        assert parse(str(make_instruction(form))).form == form


@pytest.mark.parametrize("opcode", [x for x in CATALOG if x not in list_verified_opcodes()])
def test_every_form_of_another_opcode_is_legal_and_listed_once(opcode: str) -> None:
    forms = [*iter_forms(opcode)]
    assert len(set(forms)) == len(forms)
    for form in forms[:: max(len(forms) // 100, 1)]:
        assert parse(str(make_instruction(form))).form == form


def test_halves_are_forms_of_comparisons() -> None:
    types = {form.stype for form in iter_forms("setp")}
    assert {Type.F16, Type.BF16X2, Type.S32} <= types
    pairs = [form for form in iter_forms("set") if form.dtype is Type.F16X2]
    # 6 ordered and 6 unordered comparisons, num and nan; ftz or not; three operators with c or !c
    assert len(pairs) == 14 * 2 * 7


@pytest.mark.parametrize(
    ("version", "target", "is_met"),
    [
        ((9, 2), "sm_120a", True),
        ((9, 2), "sm_121f", True),
        ((9, 2), "sm_121", False),
        ((9, 1), "sm_120f", False),
        ((9, 3), "sm_107f", False),
        ((9, 4), "sm_107f", True),
        ((9, 4), "sm_100a", False),
    ],
)
def test_a_family_of_targets(version: tuple[int, int], target: str, *, is_met: bool) -> None:
    assert MinimumVersion("9.2", "sm_120f").is_met(version, target) == is_met


@ci_only
def test_lines_unsupported_by_the_target_are_skipped(
    stored: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--family", "set", "--sample", "100", "--jobs", "1")
    verify.run([*words, "--arch", "sm_75"])
    assert "note: sm_75 with PTX 9.0 does not support " in capsys.readouterr().err
    assert not any("bf16" in line for line in stored)
    verify.run([*words, "--arch", "sm_90"])
    assert capsys.readouterr().err == ""
    assert any("bf16" in line for line in stored)
    monkeypatch.setattr(verify, "list_lines", lambda _: [parse("neg.s8x4 d, a")])
    with pytest.raises(CommandError, match=r"sm_75 with PTX 9\.0 supports none of the lines"):
        verify.run([*words, "--arch", "sm_75"])


# --- tools --------------------------------------------------------------------------------------


def write_tool(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return str(path)


VERSION = 'echo "Cuda compilation tools, release {0}, V{0}.88"'


@pytest.mark.skipif(os.name == "nt", reason="the tools are shell scripts")
def test_tools_are_found_in_their_order_of_preference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    named = write_tool(tmp_path, "ptxas", VERSION.format("12.9"))
    in_path = write_tool(tmp_path / "bin", "ptxas", VERSION.format("13.0"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/bin{os.pathsep}/usr/bin")
    monkeypatch.delenv("PTXSCOPE_PTXAS", raising=False)
    assert find_tool("ptxas") == Tool(in_path, (13, 0), "13.0.88")
    monkeypatch.setenv("PTXSCOPE_PTXAS", named)
    assert find_tool("ptxas").version == (12, 9)
    assert find_tool("ptxas", in_path).version == (13, 0)
    # where PyPI's packages put programs
    monkeypatch.delenv("PTXSCOPE_PTXAS")
    monkeypatch.setenv("PATH", "")
    package = tmp_path / "site" / "nvidia" / "cu13" / "bin"
    package.mkdir(parents=True)
    script = write_tool(package, "ptxas", VERSION.format("13.5"))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    assert find_tool("ptxas").path == script


@pytest.mark.skipif(os.name == "nt", reason="the tools are shell scripts")
def test_missing_or_wrong_tools_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(name: str, otherwise: str = "", version: str = "13.0") -> str:
        script = f'case "$1" in --version) {VERSION.format(version)};; {otherwise} esac'
        return write_tool(tmp_path, name, script)

    good, silent = write("good"), write_tool(tmp_path, "silent", "exit 0")
    old = write("old", '*) echo "nvdisasm fatal: Unsupported SM" >&2; exit 1;;', "11.8")
    crash = write("crash", "*) kill -11 $$;;")
    fails_always = '*) echo "ptxas fatal   : no sm_99" >&2; exit 255;;'
    fails = write("fails", fails_always)
    help_ = "--gpu-name  'compute_75','lto_90','sm_100','sm_75','sm_90a'. Default"
    knows = write("knows", f'--help) echo "{help_}";; {fails_always}')
    others = {
        name: write_tool(tmp_path, name, f'echo "{name}: NVIDIA"; {VERSION.format("13.0")}')
        for name in ("ptxas", "nvdisasm")
    }
    monkeypatch.setenv("PATH", "/bin:/usr/bin")
    monkeypatch.setenv("PTXSCOPE_PTXAS", str(tmp_path / "nothing"))
    for words, status, message in (
        (("--ptxas", str(tmp_path / "no")), 2, "cannot be run: No such file or directory"),
        ((), 2, "nothing cannot be run"),
        (("--ptxas", silent), 2, "does not report its version: is it ptxas?"),
        (("--ptxas", good, "--nvdisasm", old), 2,
         "cannot read what ptxas wrote: nvdisasm fatal: Unsupported SM; use"),
        (("--ptxas", others["nvdisasm"]), 2, f"{others['nvdisasm']} is nvdisasm, not ptxas\n"),
        (("--ptxas", good, "--nvdisasm", others["ptxas"]), 2,
         f"{others['ptxas']} is ptxas, not nvdisasm\n"),
        (("--ptxas", crash, "--nvdisasm", old), 1, "ptxas 13.0.88 crashed with signal 11"),
        (("--ptxas", fails, "--nvdisasm", old), 2,
         "ptxas 13.0.88 fails for sm_90: ptxas fatal   : no sm_99"),
        (("--ptxas", knows, "--nvdisasm", old), 2,
         "ptxas 13.0.88 does not support sm_90; it supports sm_75, sm_90a, sm_100\n"),
    ):  # fmt: skip
        done = run("lower", SHOWING_E3, *words)
        assert done.returncode == status
        assert message in done.stderr
    done = run("verify", SHOWING_E3, "--fresh", "--ptxas", fails, "--nvdisasm", old)
    assert (done.returncode, "ptxas 13.0.88 fails for sm_90" in done.stderr) == (2, True)
    monkeypatch.setattr(toolchain, "iter_places", lambda _: iter(()))
    monkeypatch.delenv("PTXSCOPE_PTXAS")
    done = run("lower", SHOWING_E3)
    assert (done.returncode, done.stdout) == (2, "")
    assert "ptxas is not found: give --ptxas PATH, set PTXSCOPE_PTXAS" in done.stderr


def test_a_module_without_the_kernels_that_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One kernel is refused, another crashes the assembler; the others are compiled."""
    samples = read_samples("sm_90")[:6]
    modules: list[int] = []

    def assemble(_: Tool, ptx: str, __: str, ___: Path, *____: str) -> None:
        modules.append(ptx.count(".entry"))
        lines = ptx.splitlines()
        for number, line in enumerate(lines, 1):
            if line.startswith("  vset4"):
                raise RefusedError("refused", ((number, "Illegal modifier"),))
        if "  vabsdiff4" in ptx:
            raise CrashedError("ptxas 13.0.88 crashed with signal 11")
        monkeypatch.setattr(toolchain, "disassemble", lambda *_: _list_text(ptx))

    def _list_text(ptx: str) -> str:
        names = [x.split()[2].partition("(")[0] for x in ptx.splitlines() if ".entry" in x]
        return "".join(f"\t.section\t.text.{name}\n /*0000*/ EXIT ;\n" for name in names)

    monkeypatch.setattr(toolchain, "assemble", assemble)
    found = compile_kernels(PTXAS, NVDISASM, "sm_90", [x.source for x in samples])
    texts = {x.line.split(".")[0]: y for x, y in zip(samples, found, strict=True)}
    assert texts["vset4"] == "Illegal modifier"
    assert "signal 11" in str(texts["vabsdiff4"])
    assert sum(not isinstance(x, str) for x in found) == 4
    assert modules[0] == 6


@ci_only
@pytest.mark.skipif(os.name == "nt", reason="the tools are shell scripts")
def test_ctrl_c_ends_the_tools_and_removes_their_files(tmp_path: Path) -> None:
    slow = f'case "$1" in --version) {VERSION.format("13.0")};; *) sleep 60;; esac'
    tool = write_tool(tmp_path, "tool", slow)
    words = [sys.executable, "-m", "ptxscope", "verify", "--family", "vadd4", "--jobs", "2"]
    process = subprocess.Popen(
        [*words, "--fresh", "--ptxas", tool, "--nvdisasm", tool],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while len([*tmp_path.glob("ptxscope-*")]) < 2 and time.monotonic() < end:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.count("\n")) == (130, 1)
    assert "stopped after 0 of " in errors
    assert [*tmp_path.glob("ptxscope-*")] == []


# --- a GPU --------------------------------------------------------------------------------------


def make_fake(lines: Sequence[str], model: str) -> SimpleNamespace:
    """The calls of the CUDA driver on a GPU that follows a model."""
    sources = [make_kernel_source(parse(line)) for line in lines]
    memory: dict[int, Any] = {}
    images: list[bytes] = []

    def load(image: bytes) -> str:
        assert image.endswith(b"}\n\0")
        images.append(image)
        return "module"

    def get_function(_: str, name: bytes) -> int:
        assert f".entry {name.decode()}(" in images[-1].decode()
        return int(name[1:])

    def allocate(size: int) -> int:
        memory[len(memory) + 1] = ctypes.create_string_buffer(size)
        return len(memory)

    def launch(index: int, *arguments: Any) -> None:
        *_, threads, _, _, _, _, parameters, _ = arguments
        pointers = (ctypes.c_uint64 * 2).from_address(parameters)
        output, source = (ctypes.c_uint64.from_address(x).value for x in pointers)
        operands = np.frombuffer(memory[source].raw, np.uint64).reshape(threads, -1)
        found = np.full_like(operands, 0xAAAAAAAAAAAAAAAA)
        results = device.compute_results(sources[index], operands, parse_model(model))
        for slot in sources[index].results:
            column = found[:, slot.offset // 8]
            mask = np.uint64((1 << (32 if slot.type.bits == 1 else slot.type.bits)) - 1)
            column &= ~mask
            column |= results[slot.role] & mask
        ctypes.memmove(memory[output], found.tobytes(), operands.nbytes)

    names = "cuInit cuCtxSetCurrent cuCtxSynchronize cuMemFree cuModuleUnload"
    calls: dict[str, Callable[..., object]] = {
        **dict.fromkeys(names.split(), lambda *_: None),
        "cuDeviceGet": lambda number: number,
        "cuDeviceGetAttribute": lambda name, _: {"major": 9, "minor": 0}[name],
        "cuDeviceGetName": lambda size, _: b"Fake GPU".ljust(size, b"\0"),
        "cuDriverGetVersion": lambda: 13010,
        "cuDevicePrimaryCtxRetain": lambda _: "context",
        "cuModuleLoadData": load,
        "cuModuleGetFunction": get_function,
        "cuMemAlloc": allocate,
        "cuMemcpyHtoD": lambda target, source, size: (
            ctypes.memmove(memory[target], source, size) and None
        ),
        "cuMemsetD8": lambda target, byte, size: ctypes.memset(memory[target], byte, size) and None,
        "cuMemcpyDtoH": lambda target, source, size: (
            ctypes.memmove(target, memory[source], size) and None
        ),
        "cuLaunchKernel": launch,
    }

    def answer(call: Callable[..., object], *arguments: object) -> tuple[object, ...]:
        result = call(*arguments)
        return (0,) if result is None else (0, result)

    prefix = "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY"
    attributes = {f"{prefix}_{x.upper()}": x for x in ("major", "minor")}
    return SimpleNamespace(
        CUdevice_attribute=SimpleNamespace(**attributes),
        **{name: partial(answer, call) for name, call in calls.items()},
    )


GPU_LINES = (
    SHOWING_E3,
    "vadd4.u32.u32.u32 d, a, b, c",
    "setp.lt.and.f64 p|q, a, b, !c",
    "selp.b16 d, a, b, c",
    "@p set.lt.f32.s32 d, a, b",
    "vmad.u32.u32.u32.sat.shr7 d, a, b, c",
)


@pytest.mark.parametrize("model", ["isa", "ptxas-13.0"])
def test_a_gpu_is_compared_with_the_models(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "list_lines", lambda _: [parse(x) for x in GPU_LINES])
    monkeypatch.setattr(
        "ptxscope.features.machine.commands.device_runs.load_driver",
        lambda: make_fake(GPU_LINES, model),
    )
    done = run("verify", "--all", "--gpu")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Fake GPU, sm_90, driver 13.1\n  6 lines on 1,024 operand sets")
    if model == "isa":
        assert "6 as documented" in done.stdout
    else:
        assert "1 as erratum E3 says\n" in done.stdout
        assert "1 as erratum E14 says\n" in done.stdout
        assert "3 as documented" in done.stdout
    found = json.loads(run("verify", "--all", "--gpu", "-f", "json").stdout)
    assert all(model in x["models"] for x in found["lines"])


def test_a_batch_can_be_run_on_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "batch"
    monkeypatch.setattr(verify, "list_lines", lambda _: [parse(x) for x in GPU_LINES])
    done = run("verify", "--all", "--gpu", "--write-inputs", str(folder))
    assert done.returncode == 0
    assert {x.name for x in folder.iterdir()} == {
        *("module.ptx", "operands.npy", "lines.json", "launch.py")
    }
    # there, launch.py runs alone
    monkeypatch.setattr(device_launch, "load_driver", lambda: make_fake(GPU_LINES, "ptxas-13.0"))
    device_launch.main(folder)
    done = run("verify", "--gpu", "--results", str(folder / "results.npz"))
    assert done.returncode == 0
    assert "1 as erratum E3 says\n" in done.stdout
    # a GPU that follows nothing known
    with np.load(folder / "results.npz") as stored_results:
        results = stored_results["results"]
    results[1, 5, 0] ^= np.uint64(1)
    np.savez(folder / "results.npz", results=results, device=np.array("other"))
    done = run("verify", "--gpu", "--results", str(folder / "results.npz"))
    assert done.returncode == 1
    assert "no known model: vadd4.u32.u32.u32 d, a, b, c\n" in done.stdout
    np.savez(folder / "results.npz", results=results[:1], device=np.array("other"))
    done = run("verify", "--gpu", "--results", str(folder / "results.npz"))
    assert "has uint64 of shape (1, 1024, 8), not uint64 of (6, 1024, 8)" in done.stderr
    hostile = np.array("\x1b[31mred\nline")
    np.savez(folder / "results.npz", results=results, device=hostile)
    done = run("verify", "--gpu", "--results", str(folder / "results.npz"))
    assert done.stdout.startswith("␛[31mred line\n")
    check_that_results_are_refused(folder, results)


def check_that_results_are_refused(folder: Path, results: np.ndarray) -> None:
    whole = {name: (folder / name).read_bytes() for name in ("results.npz", "lines.json")}
    lines = whole["lines.json"]

    def encode(save: Callable[..., None], *arrays: Any, **named: Any) -> bytes:
        stream = io.BytesIO()
        save(stream, *arrays, **named)
        return stream.getvalue()

    objects = encode(np.savez, results=np.array([{}], object), device=np.array("other"))
    no_lines = "`lines` of lines.json is not a list of lines of PTX"
    for name, data, message in (
        ("results.npz", whole["results.npz"][:500], "File is not a zip file"),
        ("results.npz", b"", "No data left in file"),
        ("results.npz", encode(np.save, results), "it is not a .npz file"),
        ("results.npz", encode(np.savez, device=np.array("")), "'results is not a file"),
        ("results.npz", objects, "Object arrays cannot be loaded"),
        ("lines.json", lines.replace(b"vadd", b"hello"), "`hello` is not an instruction\n"),
        ("lines.json", lines.replace(b"device/1", b"device/2"), "lines.json is of another version"),
        ("lines.json", b"[" * 100_000, "lines.json is nested too deeply"),
        ("lines.json", b"[]", "lines.json is of another version"),
        ("lines.json", b'{"schema": "ptxscope.device/1", "lines": NaN}', no_lines),
        ("lines.json", b'{"schema": "ptxscope.device/1", "lines": "abc"}', no_lines),
        ("lines.json", b'{"schema": "ptxscope.device/1", "lines": [1]}', no_lines),
    ):
        for file, content in (*whole.items(), (name, data)):
            (folder / file).write_bytes(content)
        done = run("verify", "--gpu", "--results", str(folder / "results.npz"))
        assert (done.returncode, done.stdout) == (2, "")
        assert f"are not a batch: {message}" in done.stderr
        assert done.stderr.count("error: ") == done.stderr.count("\n") == 1


def test_results_of_a_gpu_bear_the_names_of_their_registers() -> None:
    batch = device.make_batch([parse("addc.cc.u32 d, a, b")])
    results = np.zeros_like(batch.operands)
    (verdict,) = device.judge_results(batch, results)
    assert set(verdict.documented) == set(verdict.obtained) == {"d", "CC.CF"}


def test_operands_for_a_gpu_have_edge_cases() -> None:
    batch = device.make_batch([parse(SHOWING_E3)])
    sets = {tuple(int(x) for x in row[:3]) for row in batch.operands[0]}
    assert len(sets) > 900
    assert any(a == 0xFFFFFFFF and b == 0x80000000 for a, b, _ in sets)


# --- real tools ---------------------------------------------------------------------------------


def find_real_tools() -> Sequence[tuple[str, str]]:
    """The assemblers of PTXSCOPE_TEST_PTXAS, or the one that is at hand, with a disassembler."""
    try:
        nvdisasm = find_tool("nvdisasm").path
        given = os.environ.get("PTXSCOPE_TEST_PTXAS")
        paths = given.split(os.pathsep) if given else [find_tool("ptxas").path]
    except ToolError:
        return ()
    return [(path, nvdisasm) for path in paths]


REAL_TOOLS = find_real_tools()
needs_tools = pytest.mark.skipif(not REAL_TOOLS, reason="there are no ptxas and nvdisasm")


@ci_only
@needs_tools
@pytest.mark.parametrize("paths", REAL_TOOLS)
def test_every_erratum_occurs_in_its_releases(
    paths: tuple[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for erratum in ERRATA:
        words = (erratum.example[0], "--ptxas", paths[0], "--nvdisasm", paths[1])
        done = run("verify", *words)
        assert done.returncode == (3 if erratum.id == "E17" else 0), done  # fns branches


@ci_only
@needs_tools
@pytest.mark.parametrize("paths", REAL_TOOLS)
def test_verify_rediscovers_the_known_errata(paths: tuple[str, str], tmp_path: Path) -> None:
    """A sample that contains them departs exactly where it is known to."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    words = "verify --all --sample 300 --model isa -f json --timeout 30".split()
    done = subprocess.run(
        [sys.executable, "-m", "ptxscope", *words, "--ptxas", paths[0], "--nvdisasm", paths[1]],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    (target,) = document["targets"]
    build = document["ptxas"].split(".")
    known = {x.id for x in parse_model(f"ptxas-{build[0]}.{build[1]}").errata}
    shown: set[str] = set()
    for verdict in target["verdicts"]:
        ins = parse(verdict["ptx"])
        expected = [x.id for x in ins.errata if x.id in known]
        assert verdict["outcome"] == VerdictOutcome.PROVED, verdict
        assert verdict["errata"] == expected, verdict
        assert verdict["as_documented"] is not bool(expected), verdict
        shown.update(expected)
    video = {x.id for x in ERRATA if {*x.opcodes} <= {*list_verified_opcodes()}}
    assert shown == video & known


@needs_tools
@pytest.mark.parametrize(("line", "count"), COUNTED_LINES.items())
@whole
def test_real_tools_make_the_counted_instructions(line: str, count: int) -> None:
    done = run("lower", line, "-f", "json")
    document = json.loads(done.stdout)
    if document["ptxas"].startswith("13.0."):
        assert document["targets"][0]["count"] == count
    assert document["targets"][0]["verdict"]["outcome"] == "proved"


@ci_only
@needs_tools
def test_ctrl_c_and_another_run(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    words = [sys.executable, "-m", "ptxscope", "verify", "--family", "slct", "--family", "vmad"]
    words += ["--jobs", "2"]
    process = subprocess.Popen(
        words, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60
    while time.monotonic() < end and not any(
        x.read_bytes().count(b"\n") > 1 for x in tmp_path.rglob("*.jsonl")
    ):
        time.sleep(0.2)
    for _ in range(2):  # as an impatient user does
        process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert errors.count("\n") == 1
    assert "the same command continues from there" in errors
    (path,) = tmp_path.rglob("*.jsonl")
    assert len(path.read_text("utf-8").splitlines()) >= 2
