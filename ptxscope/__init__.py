"""See, to the bit, what a PTX instruction computes.

The names are loaded on first use, so that importing the package is quick.
"""

from __future__ import annotations

_HOMES = {
    "BasicBlock": "engine.tracing.basic_block",
    "Instruction": "engine.syntax.instruction",
    "OperandSearch": "proof.operand_search",
    "Problem": "engine.syntax.errors",
    "Proof": "proof.equivalence",
    "PtxError": "engine.syntax.errors",
    "Trace": "engine.tracing.trace",
    "diagnose": "diagnosis.explanations",
    "evaluate": "engine.tracing.evaluation",
    "evaluate_block": "kernels.blocks.block_parser",
    "export": "documents",
    "find": "proof.operand_search",
    "parse": "engine.syntax.parser",
    "parse_all": "engine.syntax.parser",
    "parse_block": "kernels.blocks.block_parser",
    "prove": "proof.equivalence",
    "replay": "engine.tracing.trace",
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
