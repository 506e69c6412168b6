"""Regular expressions that are compiled when they are first asked: few are, in a short run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pattern = re.compile
else:

    class pattern:  # noqa: N801 - it stands for re.compile
        """What ``re.compile`` returns, later."""

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text, self._flags = text, flags

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            found = getattr(re.compile(self._text, self._flags), name)
            setattr(self, name, found)  # asked for directly from now on
            return found
