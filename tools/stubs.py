"""Write ``ptxscope/__init__.pyi``: `python3 dev.py stubs`; with --check, report a stale one.

It has the types of all names of the package, of the core and of available features.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import ptxscope

STUB: Final = Path(__file__).resolve().parent.parent / "ptxscope" / "__init__.pyi"


def format_stub() -> str:
    """Return the text of the stub, in the order of sorted imports."""
    names = [name for name in ptxscope.__all__ if name != "__version__"]
    things = ((name, getattr(ptxscope, name)) for name in names)
    targets = [(x.__module__.removeprefix("ptxscope"), x.__name__, name) for name, x in things]
    targets.sort(key=lambda x: (x[0], x[1].islower(), x[1]))
    imports = (f"from {module} import {own} as {name}" for module, own, name in targets)
    return "\n".join(
        (
            '"""The types of the names of the package, written by `python3 dev.py stubs`."""\n',
            *imports,
            "\n__all__: list[str]",
            "__version__: str\n",
        )
    )


def main(*arguments: str) -> int:
    """Write the stub, or check it; return the exit status."""
    text = format_stub()
    if "--check" not in arguments:
        STUB.write_text(text, encoding="utf-8")
    elif STUB.read_text(encoding="utf-8") != text:
        print(f"{STUB.name} is stale: python3 dev.py stubs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
