"""`python3 -m tools.verified_blocks`: the proofs of blocks, for the table of docs/dev/evidence.md.

All blocks and listings of the tests, and 500 random blocks, are compiled by ptxas for three targets
at two levels of optimization, and proved. Writes docs/dev/verified_blocks.csv and the page.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ptxscope.blocks.block_parser import parse_block
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.tracing.basic_block import BasicBlock
from ptxscope.features.machine.form_verdict import FormVerdict, VerdictOutcome
from ptxscope.features.machine.statement_runs import list_runs
from ptxscope.features.machine.toolchain import NVDISASM, PTXAS, find_tool
from ptxscope.features.machine.verification import Task, VerdictStore, make_key, verify_all

from .block_table import SECONDS, TABLE, BlockRow
from .random_blocks import make_random_blocks

_ROOT = Path(__file__).resolve().parent.parent
_TESTS = _ROOT / "tests"
_TARGETS = ("sm_75", "sm_90", "sm_120")
_LEVELS = (3, 0)
_SEED, _COUNT = 2, 500
_CHARS = 1000
"""The characters of the blocks that equal no known model."""
_CARRIES = {
    "ADD": "add.cc.u32 %r1, %r2, %r3;",
    "SUB": "sub.cc.u32 %r1, %r2, %r3;",
    "READ": "addc.u32 %r4, %r5, %r6;",
}
"""The words of carries.txt that stand for statements."""


def _iter_texts() -> Iterator[str]:
    """Yield the blocks of the tests."""
    for line in (_TESTS / "data" / "blocks.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split(" | ")[0]
    idioms = (_TESTS / "data" / "idioms.ptx").read_text("utf-8")
    for part in re.split(r"^// --- ", idioms, flags=re.MULTILINE)[1:]:
        yield part.partition("\n")[2]
    pairs = _TESTS / "features" / "prove" / "data" / "proof_pairs.txt"
    for line in pairs.read_text("utf-8").splitlines():
        if line.startswith("    "):
            yield line.strip()
    carries = _TESTS / "features" / "check" / "data" / "carries.txt"
    for line in carries.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield re.sub(
                r"\b[A-Z]+\b", lambda x: _CARRIES.get(x[0], x[0]), line.rpartition(" | ")[0]
            )


def _iter_blocks() -> Iterator[BasicBlock]:
    for text in _iter_texts():
        try:
            block = parse_block(text, max_statements=1024)
        except (PtxError, ValueError):
            continue  # a text that is no block, or is refused on purpose
        if len(block.statements) > 1:
            yield block


def _list_listings() -> list[Path]:
    kernels = _TESTS / "features" / "kernels" / "data"
    return sorted([*(_TESTS / "data").glob("*.ptx"), *kernels.glob("*.ptx")])


def list_blocks() -> dict[str, list[BasicBlock]]:
    """Return the blocks of each kind, each kernel once."""
    runs = (
        x for path in _list_listings() for x in list_runs(path.read_text("utf-8"), path.name).blocks
    )
    kinds = {
        "blocks of the tests": [*_iter_blocks()],
        "runs of listings": [*runs],
        f"random blocks, seed {_SEED}": make_random_blocks(_SEED, _COUNT),
    }
    return {kind: [*{make_key(x): x for x in found}.values()] for kind, found in kinds.items()}


def _make_row(kind: str, task: Task, verdicts: Sequence[FormVerdict], date: str) -> BlockRow:
    outcomes = Counter(x.outcome for x in verdicts)
    documented = sum(
        x.outcome is VerdictOutcome.PROVED and x.is_as_documented is True for x in verdicts
    )
    ids = {id_ for x in verdicts for id_ in x.errata}
    return BlockRow(
        kind,
        task.ptxas.build,
        task.arch,
        task.level,
        date,
        len(verdicts),
        documented,
        outcomes[VerdictOutcome.PROVED] - documented,
        " ".join(sorted(ids, key=lambda x: int(x[1:]))),
        outcomes[VerdictOutcome.DEPARTED],
        outcomes[VerdictOutcome.UNDECIDED],
        outcomes[VerdictOutcome.UNKNOWN],
        outcomes[VerdictOutcome.REFUSED],
        round(sum(x.seconds for x in verdicts), 1),
        " | ".join(x.line for x in verdicts if x.outcome is VerdictOutcome.DEPARTED)[:_CHARS],
    )


def main() -> None:
    """Write the table, and renew the page."""
    from .verified import PAGE, replace_section

    date = datetime.now(UTC).date().isoformat()
    ptxas, nvdisasm = find_tool(PTXAS), find_tool(NVDISASM)
    rows = list[BlockRow]()
    for kind, blocks in list_blocks().items():
        for arch in _TARGETS:
            for level in _LEVELS:
                task = Task(ptxas, nvdisasm, arch, SECONDS, level)
                jobs = os.cpu_count() or 1
                verdicts = verify_all(task, blocks, VerdictStore(None), jobs, lambda _: None)
                rows.append(_make_row(kind, task, verdicts, date))
                sys.stdout.write(f"{rows[-1]}\n")
                for x in verdicts:
                    if x.outcome in (VerdictOutcome.DEPARTED, VerdictOutcome.UNKNOWN):
                        sys.stdout.write(f"  {x.outcome}: {x.line[:200]} {x.reason}\n")
                sys.stdout.flush()
    with TABLE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(BlockRow._fields)
        writer.writerows(rows)
    PAGE.write_text(replace_section(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
