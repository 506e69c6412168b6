"""Values of wrong types for the Python API."""

from __future__ import annotations

from typing import Any

import pytest


def read_message(call: Any, *values: Any, **named: Any) -> str:
    """Return the message of the TypeError or ValueError of a call, one line that is ours."""
    with pytest.raises((TypeError, ValueError)) as info:
        call(*values, **named)
    message = str(info.value)
    assert len(message) < 300
    for words in ("object has no", "not iterable", "is required", "has no len", "unhashable"):
        assert words not in message
    return message
