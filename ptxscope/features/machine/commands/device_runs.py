"""Lines on a GPU, or in the files that another machine with a GPU runs."""

from __future__ import annotations

from collections.abc import Sequence

from ....cli.support.arguments import print_report
from ....cli.support.streams import CommandError, report_errors
from ....documents.formats.json_text import convert_to_json
from ....engine.syntax.errors import format_count, format_install_hint, make_printable
from ....engine.syntax.instruction import Instruction
from ....files import expand_path
from ..device import (
    RESULTS,
    THREADS,
    judge_results,
    make_batch,
    read_results,
    write_batch,
)
from ..device_launch import DriverError, Gpu, load_driver
from ..form_verdict import DeviceVerdict
from ..machine_report import iter_device_blocks

MAX_LINES = 4000
"""The lines of one batch, of 64 KiB each."""
_MODULE_LINES = 250
"""The lines of one module for the driver."""


def write_lines(lines: Sequence[Instruction], folder: str, arch: str) -> int:
    """Write a batch to a folder, and print how to run it; return the exit status."""
    path = expand_path(folder)
    _check_count(lines)
    with report_errors(ValueError):
        batch = make_batch(lines)
    write_batch(batch, path, arch)
    print(f"{format_count(len(lines), 'line')} for {arch}: {make_printable(str(path))}")
    print(f"On a machine with a GPU, NumPy and cuda-bindings: python {path / 'launch.py'}")
    print(f"Then: ptxscope verify --gpu --results {path / RESULTS}")
    return 0


def report_results(name: str, *, format_: str) -> int:
    """Report on the results of another machine; return the exit status."""
    with report_errors(ValueError):
        batch, found = read_results(expand_path(name))
    return _report(judge_results(batch, found.results), found.device, format_=format_)


def run_lines(lines: Sequence[Instruction], *, format_: str) -> int:
    """Run lines on this machine's GPU and report on its results; return the exit status."""
    _check_count(lines)
    try:
        gpu = Gpu(load_driver())
        verdicts: list[DeviceVerdict] = []
        for start in range(0, len(lines), _MODULE_LINES):
            with report_errors(ValueError):
                batch = make_batch(lines[start : start + _MODULE_LINES])
            results = gpu.run(batch.format_ptx(gpu.arch).encode(), batch.operands)
            verdicts += judge_results(batch, results)
    except DriverError as error:
        hint = f"; {format_install_hint('gpu')}" if "cuda-bindings" in str(error) else ""
        raise CommandError(f"error: {make_printable(str(error))}{hint}") from None
    return _report(verdicts, gpu.description, format_=format_)


def _check_count(lines: Sequence[Instruction]) -> None:
    if len(lines) > MAX_LINES:
        raise CommandError(
            f"error: {len(lines):,} lines; --sample {MAX_LINES // 2} takes fewer, and at most "
            f"{MAX_LINES:,} can be run at once"
        )


def _report(verdicts: Sequence[DeviceVerdict], device: str, *, format_: str) -> int:
    data = {"device": device, "lines": verdicts}
    blocks = iter_device_blocks(verdicts, device, THREADS)
    print_report(format_, blocks, lambda: convert_to_json(data, {}))
    return 0 if all(x.models for x in verdicts) else 1
