"""Lines on a GPU: their operands, and the models that the results follow.

A batch is a folder: ``module.ptx`` with a kernel for each line, ``operands.npy``, ``lines.json``,
and ``launch.py``, which runs the kernels on a machine that has a GPU and writes ``results.npz``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
from numpy.lib.npyio import NpzFile

from ...engine.isa.types import Type
from ...engine.semantics.models import Model
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.parser import parse
from ...engine.tracing.evaluation import evaluate
from ...engine.tracing.probe_operands import draw_values
from .form_verdict import KNOWN_MODELS, DeviceVerdict
from .kernel_source import STRIDE, KernelSource, ParameterSlot, format_module, make_kernel_source

Words = npt.NDArray[np.uint64]
THREADS = 1024
"""The operand sets of each line: one for each thread of a block."""
_WORDS = STRIDE // 8
_EDGE_SETS = THREADS // 2
"""The sets that are combinations of edge cases; the others are drawn, edge cases among them."""
SCHEMA = "ptxscope.device/1"
_MODULE, _OPERANDS, _LINES, _LAUNCH = "module.ptx", "operands.npy", "lines.json", "launch.py"
RESULTS = "results.npz"


class Batch(NamedTuple):
    """Lines with operand sets for a GPU."""

    lines: Sequence[Instruction]
    sources: Sequence[KernelSource]
    operands: Words
    """By line, set and slot."""

    def format_ptx(self, arch: str) -> str:
        """Return the module with a kernel for each line, ``k0``, ``k1``, …."""
        kernels = [(f"k{index}", source) for index, source in enumerate(self.sources)]
        return format_module(kernels, arch, _find_release(arch))


class DeviceResults(NamedTuple):
    """The results that a GPU computed."""

    device: str
    """The name, the architecture and the driver."""
    results: Words
    """By line, set and slot."""


_RELEASES = ((110, (13, 0)), (103, (12, 9)), (121, (12, 9)), (100, (12, 8)), (120, (12, 8)))
"""Targets and the releases of CUDA that first knew them."""


def _find_release(arch: str) -> tuple[int, int]:
    """Return the oldest release of CUDA, from 12.0 on, whose driver knows a target."""
    number = int("".join(filter(str.isdigit, arch)))
    return dict(_RELEASES).get(number, (13, 0) if number > 100 else (12, 0))


def make_batch(lines: Sequence[Instruction]) -> Batch:
    """Return a batch, with the same operands each time."""
    sources = [make_kernel_source(ins) for ins in lines]
    operands = np.zeros((len(lines), THREADS, _WORDS), np.uint64)
    for index, source in enumerate(sources):
        widths = tuple(x.type.bits for x in source.inputs)
        draws = draw_values(widths)
        edges = [*islice(draws, 2 * _EDGE_SETS)][::2] if widths else []
        others = islice(draws, THREADS - len(edges))
        for number, values in enumerate((*edges, *others)):
            for slot, bits in zip(source.inputs, values, strict=True):
                operands[index, number, slot.offset // 8] = bits
    return Batch([source.ins for source in sources], sources, operands)


def write_batch(batch: Batch, folder: Path, arch: str) -> None:
    """Write a batch to a folder, which is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MODULE).write_text(batch.format_ptx(arch), "utf-8")
    np.save(folder / _OPERANDS, batch.operands)
    names = [str(ins) for ins in batch.lines]
    document = {"schema": SCHEMA, "arch": arch, "lines": names}
    (folder / _LINES).write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    launch = files("ptxscope.features.machine").joinpath("device_launch.py").read_text("utf-8")
    (folder / _LAUNCH).write_text(launch, "utf-8")


def read_results(path: Path) -> tuple[Batch, DeviceResults]:
    """Return the batch in whose folder results are, and the results.

    Raise ValueError if ``write_batch`` or ``launch.py`` did not write a file.
    """
    folder = path.parent
    try:
        with path.open("rb") as stream:
            stored = np.load(stream, allow_pickle=False)
            if not isinstance(stored, NpzFile):
                raise ValueError("it is not a .npz file")
            results, device = stored["results"], " ".join(str(stored["device"]).split())
        lines = _read_lines(folder / _LINES)
        operands = np.load(folder / _OPERANDS, allow_pickle=False)
    except (LookupError, TypeError, ValueError, EOFError, BadZipFile) as error:
        reason = str(error).partition("\n")[0].removeprefix("error: ")
        raise ValueError(f"{path} and the files beside it are not a batch: {reason}") from None
    shape = (len(lines), THREADS, _WORDS)
    for name, array in ((_OPERANDS, operands), (path.name, results)):
        if array.shape != shape or array.dtype != np.uint64:
            raise ValueError(
                f"{name} has {array.dtype} of shape {array.shape}, not uint64 of {shape}"
            )
    batch = Batch(lines, [make_kernel_source(ins) for ins in lines], operands)
    return batch, DeviceResults(device, results)


def _read_lines(path: Path) -> list[Instruction]:
    """Return the lines of a batch; raise ValueError or LookupError if a file has none."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except RecursionError:
        raise ValueError(f"{path.name} is nested too deeply") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ValueError(f"{path.name} is of another version")
    texts = document["lines"]
    if not isinstance(texts, list) or not all(isinstance(x, str) for x in texts):
        raise ValueError(f"`lines` of {path.name} is not a list of lines of PTX")
    return [parse(x) for x in texts]


def judge_results(batch: Batch, results: Words) -> list[DeviceVerdict]:
    """Return the models that a GPU follows on each line."""
    return [
        _judge(source, batch.operands[index], results[index])
        for index, source in enumerate(batch.sources)
    ]


def _judge(source: KernelSource, operands: Words, results: Words) -> DeviceVerdict:
    computed = {model: compute_results(source, operands, model) for model in KNOWN_MODELS}
    obtained = {x.role: _take(results, x) for x in source.results}
    equal = [
        model
        for model, expected in computed.items()
        if all(np.array_equal(expected[role], obtained[role]) for role in obtained)
    ]
    documented = computed[KNOWN_MODELS[0]]
    differs = np.zeros(len(operands), bool)
    for role, column in obtained.items():
        differs |= documented[role] != column
    followed = equal[0].errata if equal else ()
    names = source.ins.results
    first = int(np.argmax(differs)) if differs.any() else None
    return DeviceVerdict(
        str(source.ins).removesuffix(";"),
        tuple(model.name for model in equal),
        tuple(x.id for x in source.ins.errata if x in followed) if first is not None else (),
        {} if first is None else {x.name: int(_take(operands, x)[first]) for x in source.inputs},
        {} if first is None else {names[x]: int(documented[x][first]) for x in obtained},
        {} if first is None else {names[x]: int(obtained[x][first]) for x in obtained},
    )


def compute_results(source: KernelSource, operands: Words, model: Model) -> dict[str, Words]:
    """Return the results by role that a model gives for operand sets."""
    ins = source.ins
    values: dict[str, Any] = {
        slot.name: _take(operands, slot).astype(_get_dtype(slot.type)) for slot in source.inputs
    }
    needed = {x.name for x in ins.inputs}
    roles = {x.name for x in source.inputs if x.role in ins.results}  # old values
    needed_values = {name: value for name, value in values.items() if name in needed | roles}
    results = evaluate(ins, needed_values, model=model)
    names = ins.results
    return {
        role: np.broadcast_to(np.asarray(results[name]).astype(np.uint64), len(operands))
        for role, name in names.items()
    }


def _get_dtype(type_: Type) -> np.dtype[Any]:
    return np.dtype(bool if type_ is Type.PRED else f"u{type_.bits // 8}")


def _take(array: Words, slot: ParameterSlot) -> Words:
    """Return the bits of a slot; a predicate is a word that is not 0."""
    column: Words = array[:, slot.offset // 8]
    mask = np.uint64(0xFFFFFFFF if slot.type is Type.PRED else (1 << slot.type.bits) - 1)
    bits: Words = column & mask
    return (bits != 0).astype(np.uint64) if slot.type is Type.PRED else bits
