"""The Python runtime of a page: a pinned Pyodide, from jsDelivr or from a folder."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..files import read

VERSION = "314.0.7"
"""Version of Pyodide, which has Python 3.14."""
CDN = f"https://cdn.jsdelivr.net/npm/pyodide@{VERSION}/"
MODULES = ("pyodide.mjs", "pyodide.asm.mjs")
"""Files that are loaded as JavaScript modules."""
_MAX_FILE_BYTES = 1 << 26


class RuntimeFile(NamedTuple):
    """A file of the runtime."""

    integrity: str
    """Its hash, as the ``integrity`` of a request."""
    bytes: int


FILES: Mapping[str, RuntimeFile] = {
    "pyodide.mjs": RuntimeFile(
        "sha384-Lp79fMwxa4n2BLtugpUAoQMlbxIdg8iCUiP1r3h7nJLkQjwlXT1JzZTeHVL+f4Dg",
        17931,
    ),
    "pyodide.asm.mjs": RuntimeFile(
        "sha384-/2281iaC0Iimw0B3Kagy1DBfZcJG3W4KYW+EmOqhsdY3fR9BJ88FE2Zt6y0KQKpa",
        1250344,
    ),
    "pyodide.asm.wasm": RuntimeFile(
        "sha384-y++qrQ72KPA1fTjLIuGMP+jppgGxjbLCgfdb0zMrnNnQVhxRUXTOTF6rTxNzllSu",
        9598218,
    ),
    "python_stdlib.zip": RuntimeFile(
        "sha384-xW3A5jmenkrPXbsgrIaB1FCJh9OuLT7FRMagsJMgtlhVc19k/mSy3+7nMaF/d767",
        2545637,
    ),
    "pyodide-lock.json": RuntimeFile(
        "sha384-o8SQQvpVlZnOl04+3dFTJipKxul9GbViVusA379wlOrfHSgxbzt0yPiqCTxOiYES",
        119077,
    ),
}
"""The files of the pinned version."""


def compute_integrity(data: bytes) -> str:
    """Return the hash of a file as the ``integrity`` of a request."""
    return f"sha384-{base64.b64encode(hashlib.sha384(data).digest()).decode()}"


def read_runtime(folder: Path) -> dict[str, bytes]:
    """Return the files of a local copy; raise OSError if one is missing.

    Raise ValueError if one is not that of the pinned version.
    """
    contents = {name: read(folder / name, _MAX_FILE_BYTES) for name in FILES}
    for name, data in contents.items():
        if compute_integrity(data) != FILES[name].integrity:
            raise ValueError(f"{folder / name} is not that of Pyodide {VERSION}")
    return contents
