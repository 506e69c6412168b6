"""See, to the bit, what a PTX instruction computes.

The names are loaded on first use, so that importing the package is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diagnosis.explanations import diagnose as diagnose
    from .documents import export as export
    from .engine.syntax.errors import Problem as Problem
    from .engine.syntax.errors import PtxError as PtxError
    from .engine.syntax.instruction import Instruction as Instruction
    from .engine.syntax.parser import parse as parse
    from .engine.syntax.parser import parse_all as parse_all
    from .engine.tracing.basic_block import BasicBlock as BasicBlock
    from .engine.tracing.evaluation import evaluate as evaluate
    from .engine.tracing.trace import Trace as Trace
    from .engine.tracing.trace import replay as replay
    from .engine.tracing.trace import trace as trace
    from .kernels.blocks.block_parser import evaluate_block as evaluate_block
    from .kernels.blocks.block_parser import parse_block as parse_block
    from .kernels.blocks.block_parser import trace_block as trace_block
    from .kernels.launches.kernel_run import KernelRun as KernelRun
    from .kernels.launches.kernel_run import run_kernel as run_kernel
    from .kernels.launches.run_explanations import RunDiagnosis as RunDiagnosis
    from .kernels.launches.run_explanations import RunExplanation as RunExplanation
    from .kernels.launches.run_explanations import explain_kernel as explain_kernel
    from .kernels.launches.thread_state import LaunchError as LaunchError
    from .proof.equivalence import Proof as Proof
    from .proof.equivalence import prove as prove
    from .proof.operand_search import OperandSearch as OperandSearch
    from .proof.operand_search import find as find

_HOMES = {
    "BasicBlock": "engine.tracing.basic_block",
    "Instruction": "engine.syntax.instruction",
    "KernelRun": "kernels.launches.kernel_run",
    "LaunchError": "kernels.launches.thread_state",
    "OperandSearch": "proof.operand_search",
    "Problem": "engine.syntax.errors",
    "Proof": "proof.equivalence",
    "PtxError": "engine.syntax.errors",
    "RunDiagnosis": "kernels.launches.run_explanations",
    "RunExplanation": "kernels.launches.run_explanations",
    "Trace": "engine.tracing.trace",
    "diagnose": "diagnosis.explanations",
    "evaluate": "engine.tracing.evaluation",
    "evaluate_block": "kernels.blocks.block_parser",
    "explain_kernel": "kernels.launches.run_explanations",
    "export": "documents",
    "find": "proof.operand_search",
    "parse": "engine.syntax.parser",
    "parse_all": "engine.syntax.parser",
    "parse_block": "kernels.blocks.block_parser",
    "prove": "proof.equivalence",
    "replay": "engine.tracing.trace",
    "run_kernel": "kernels.launches.kernel_run",
    "trace": "engine.tracing.trace",
    "trace_block": "kernels.blocks.block_parser",
}

__all__ = [*_HOMES, "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module

        value: object = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        if name in ("Trace", "diagnose", "trace", "trace_block"):
            display = import_module(".notebook", __name__)
            display.install()
            if name == "diagnose":
                display.install_explanations()
        globals()[name] = value
        return value
    if not name.startswith("_"):
        from .feature import list_features, load

        for feature in list_features():
            if name in feature.exports:
                return load(feature.exports[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
