"""The Sphinx extension for ``conf.py``, which a feature provides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .feature import Service, find_services

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension; called by Sphinx."""
    services = find_services(Service.SET_UP_SPHINX)
    if not services:
        from sphinx.errors import ExtensionError

        raise ExtensionError("no feature of this ptxscope offers a Sphinx extension")
    metadata: dict[str, Any] = services[0](app)
    return metadata
