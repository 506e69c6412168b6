"""The name of the Sphinx extension, which is in every ``conf.py``."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
from sphinx.errors import ExtensionError

from ptxscope import sphinx
from ptxscope.feature import Service


def test_the_extension_is_that_of_a_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_one(service: Service) -> tuple[object, ...]:
        return (lambda app: {"app": app},) * (service is Service.SET_UP_SPHINX)

    monkeypatch.setattr(sphinx, "find_services", find_one)
    app = Mock()
    assert sphinx.setup(app) == {"app": app}


def test_without_a_feature_that_offers_it_a_build_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sphinx, "find_services", lambda _: ())
    with pytest.raises(ExtensionError, match="no feature of this ptxscope offers a Sphinx"):
        sphinx.setup(Mock())
