"""Pages of MkDocs whose blocks of Python are run."""

from __future__ import annotations

import markdown
import markdown_exec


def run_python_blocks(page: str) -> str:
    """The page in HTML, with what its blocks print."""
    fence = {
        "name": "python",
        "class": "python",
        "validator": markdown_exec.validator,
        "format": markdown_exec.formatter,
    }
    return markdown.markdown(
        page,
        extensions=["pymdownx.superfences", "tables"],
        extension_configs={"pymdownx.superfences": {"custom_fences": [fence]}},
    )
