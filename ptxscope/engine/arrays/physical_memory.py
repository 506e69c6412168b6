"""The memory of this machine, which bounds arrays."""

from __future__ import annotations

import os


def get_physical_memory() -> int | None:
    """Return the bytes of physical memory; None if the system does not report them."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
