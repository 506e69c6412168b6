"""See, to the bit, what a PTX instruction computes.

The names are loaded on first use, so that importing the package is quick.
"""

from __future__ import annotations

_HOMES = {
    "BasicBlock": "engine.tracing.basic_block",
    "Instruction": "engine.syntax.instruction",
    "Problem": "engine.syntax.errors",
    "PtxError": "engine.syntax.errors",
    "Trace": "engine.tracing.trace",
    "diagnose": "diagnosis.explanations",
    "evaluate": "engine.tracing.evaluation",
    "evaluate_block": "blocks.block_parser",
    "export": "documents",
    "parse": "engine.syntax.parser",
    "parse_all": "engine.syntax.parser",
    "parse_block": "blocks.block_parser",
    "replay": "engine.tracing.trace",
    "trace": "engine.tracing.trace",
    "trace_block": "blocks.block_parser",
}
"""The core's names, with their modules."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    value: object
    if name == "__all__":
        return [*sorted({*_HOMES, *_map_exports()}), "__version__"]
    if name in _HOMES:
        from importlib import import_module

        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        if name in ("Trace", "diagnose", "trace", "trace_block"):
            display = import_module(".notebook", __name__)
            display.install()
            if name == "diagnose":
                display.install_explanations()
    elif not name.startswith("_") and (target := _map_exports().get(name)):
        from .feature import load

        value = load(target)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _map_exports() -> dict[str, str]:
    """Map the names that features add to their targets."""
    from .feature import list_features

    return {name: target for x in list_features() for name, target in x.exports.items()}


def __dir__() -> list[str]:
    return sorted({*_HOMES, *_map_exports(), "__all__", "__doc__", "__version__"})
