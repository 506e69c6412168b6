"""The tools beside the picture: the panels of features, and the actions of their elements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ...feature import PagePanel, arrange, list_features
from .feature import FEATURE


@cache
def map_panels() -> Mapping[str, PagePanel]:
    """Return the panels by name, in the order of their buttons."""
    own = [(panel.name, panel) for panel in FEATURE.page_panels]
    others = [feature for feature in list_features() if feature.name != FEATURE.name]
    added = [(panel.name, panel) for feature in others for panel in feature.page_panels]
    return dict(arrange(own, added, lambda panel: panel))


@cache
def map_tools() -> Mapping[str, str]:
    """Return the explorer's action by the name of each tool."""
    return {name: panel.action for name, panel in map_panels().items()}


@cache
def map_places() -> Mapping[str, str]:
    """Return the explorer's action by the name of each tool that fills the page."""
    return {name: panel.action for name, panel in map_panels().items() if panel.find_open}


@cache
def map_panel_actions() -> Mapping[str, str]:
    """Return the transitions that the elements of panels name, by name."""
    return {name: run for panel in map_panels().values() for name, run in panel.actions.items()}
