"""The page of the manual about each panel."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import ptxscope
from ptxscope.feature import Feature, list_features
from ptxscope.features.manual.page_text import lay_out_page
from ptxscope.features.manual.pages import (
    FIRST_PAGE,
    PLACES,
    PREDICTION,
    ManualPlace,
    find_feature,
    find_folder,
    find_link,
    find_place,
    list_pages,
    read_page,
)
from ptxscope.screens.dialogs.explain_dialog import ExplainDialog
from ptxscope.screens.main.main_screen import MainScreen
from ptxscope.widgets.lanes.lanes_pane import LanesPane

DOCS = Path(ptxscope.__file__).parents[1] / "docs"


def is_there(place: ManualPlace) -> bool:
    page = lay_out_page(read_page(place.page), 80)
    return place.page in list_pages() and (not place.heading or place.heading in page.anchors)


def test_in_a_checkout_the_pages_are_those_of_the_manual() -> None:
    assert find_folder() == DOCS
    assert {*list_pages()} == {x.stem for x in DOCS.glob("*.md")}
    assert [*list_pages()][:4] == ["index", "install", "tutorial", "practise"]
    assert list_pages()["explorer"] == "The explorer"


def test_every_place_is_in_a_page_and_every_class_in_the_core() -> None:
    assert all(map(is_there, (FIRST_PAGE, PREDICTION, *PLACES.values())))
    names = {"widgets", "screens"}
    modules = (
        import_module(x.name)
        for package in names
        for x in walk_packages(
            import_module(f"ptxscope.{package}").__path__, f"ptxscope.{package}."
        )
    )
    classes = {name for module in modules for name in vars(module)}
    assert {*PLACES} <= classes


@pytest.mark.parametrize("feature", list_features(), ids=lambda x: x.name)
def test_a_feature_with_a_key_has_a_page(feature: Feature) -> None:
    place = find_feature(feature.name)
    assert place is not None or not feature.keys
    assert place is None or is_there(place)
    pages = {"sweep": "sweep", "check": "check", "kernels": "kernels", "prove": "prove"}
    pages |= {"machine": "verify", "lessons": "practise", "surprises": "explorer"}
    assert place is None or place.page == pages.get(feature.name, place.page)
    if feature.name == "lessons":
        assert place == ManualPlace("practise", "in-a-lesson")


def test_the_place_is_that_of_the_first_class_that_has_one() -> None:
    classes = (object, LanesPane, MainScreen)
    assert find_place(classes, is_predicting=False) == ManualPlace("pictures", "the-marks")
    assert find_place(classes, is_predicting=True) == PREDICTION
    assert find_place((ExplainDialog, *classes), is_predicting=True) == ManualPlace("explain")
    assert find_place((MainScreen,), is_predicting=False) == FIRST_PAGE
    assert find_place((), is_predicting=True) == PREDICTION


def test_a_link_leads_to_a_page_that_is_here() -> None:
    assert find_link("explorer", "sweep.md") == ManualPlace("sweep")
    assert find_link("explorer", "#edit") == ManualPlace("explorer", "edit")
    assert find_link("explorer", "practise.md#another-one") == ManualPlace(
        "practise", "another-one"
    )
    assert find_link("explorer", "reference/errata.md") is None
    assert find_link("explorer", "https://example.com") is None


@pytest.mark.parametrize("page", list_pages())
def test_every_link_between_pages_leads_to_a_heading(page: str) -> None:
    for href in re.findall(r"\]\(([\w#.-]+)\)", read_page(page)):
        place = find_link(page, href)
        assert place is None or is_there(place), href
