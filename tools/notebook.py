"""The example notebook of the manual: its cells are run, and shown on a page with their output.

`dev.py docs --renew` stores the outputs in the notebook, so that it can be read without Jupyter.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .manual_text import make_code_block, make_picture

if TYPE_CHECKING:
    from nbformat import NotebookNode

_ROOT: Final = Path(__file__).resolve().parent.parent
NOTEBOOK: Final = _ROOT / "docs" / "notebook.ipynb"
_SHOWN_TYPES: Final = ("image/svg+xml", "text/plain")
"""The stored types of an output; the page shows the first."""


def read_notebook() -> NotebookNode:
    """Return the notebook with the stored outputs."""
    import nbformat

    notebook: NotebookNode = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    return notebook


def run_notebook() -> NotebookNode:
    """Return the notebook with the outputs of its cells; raise CellExecutionError if one fails."""
    from nbclient import NotebookClient

    notebook = read_notebook()
    with tempfile.TemporaryDirectory() as folder:  # for the files that cells write
        NotebookClient(
            notebook, timeout=60, record_timing=False, resources={"metadata": {"path": folder}}
        ).execute(env={**os.environ, "PYTHONPATH": str(_ROOT)})
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "data" in output:
                output["data"] = {x: output["data"][x] for x in _SHOWN_TYPES if x in output["data"]}
    notebook.metadata.pop("language_info", None)  # the version of Python
    return notebook


def write_notebook() -> None:
    """Run the notebook, and store its outputs if they have changed."""
    import nbformat

    text = nbformat.writes(run_notebook()) + "\n"  # type: ignore[no-untyped-call]
    if text != NOTEBOOK.read_text(encoding="utf-8"):
        NOTEBOOK.write_text(text, encoding="utf-8")
        print(f"ran {NOTEBOOK.name}")


def make_files() -> dict[str, str]:
    """Return the page with the stored outputs, and its pictures, by their paths."""
    files: dict[str, str] = {}
    lines: list[str] = []
    for number, cell in enumerate(read_notebook().cells, 1):
        if cell.cell_type == "markdown":
            lines += [cell.source, ""]
            continue
        lines += make_code_block("python", cell.source.splitlines())
        for output in cell.outputs:
            data: dict[str, str] = output["data"]
            if svg := data.get("image/svg+xml"):
                path = f"notebook/{number}.svg"
                files[path] = svg
                lines += make_picture(_flatten(data["text/plain"]), path)
            else:
                lines += make_code_block("", data["text/plain"].splitlines())
    return {"notebook.md": "\n".join(lines).rstrip() + "\n"} | files


def _flatten(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
