"""Regular expressions compiled on first use; a short run needs only a few of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pattern = re.compile
else:

    class pattern:  # noqa: N801 - it stands for re.compile
        """A stand-in for ``re.compile`` that compiles on the first use of an attribute."""

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text, self._flags = text, flags

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            attribute = getattr(re.compile(self._text, self._flags), name)
            setattr(self, name, attribute)  # later accesses bypass __getattr__
            return attribute
