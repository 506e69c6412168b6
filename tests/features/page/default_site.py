"""The files of the web explorer, made once for the tests that read them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ptxscope.features.page.site import make_site


@cache
def make_default_site() -> Mapping[str, bytes]:
    """Return the files of a site whose runtime is on another host."""
    return MappingProxyType(make_site(None))
