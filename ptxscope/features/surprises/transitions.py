"""Transitions of surprises: go to the next or the previous one, and deeper into one."""

from __future__ import annotations

from ...feature import Service, find_services
from ...scene.scene_model import Place
from ...state.explorer_state import ExplorerState
from ...state.requests import Act, Focus, PlaceCursor, Requests, ShowHint, refuse
from .surprises import find_surprise, list_surprises


def go_to_next(state: ExplorerState) -> Requests:
    """Put the cursor on the next surprise."""
    yield from _go(state, 1)


def go_to_previous(state: ExplorerState) -> Requests:
    """Put the cursor on the previous surprise."""
    yield from _go(state, -1)


def _go(state: ExplorerState, delta: int) -> Requests:
    """Put the cursor on another surprise, and show the steps up to it."""
    surprises = list_surprises(state.trace, state.session.deviation)
    place = yield Act("find_cursor")
    surprise = find_surprise(surprises, place, delta)
    if surprise is None:
        yield ShowHint("No lane is clamped, wrapped, kept or taken from elsewhere")
        return
    stage = state.trace.rows[surprise.place.key].stage
    step = next(x.number for x in state.trace.steps if x.stage is stage)
    if state.step < step:
        state.go_to_step(step)
    yield ShowHint("")
    yield Focus("lanes")
    yield PlaceCursor(surprise.place)


def check_surprise(state: ExplorerState) -> ShowHint | None:
    """Refuse while the user predicts."""
    if state.is_predicting:
        return refuse("this would reveal the answer")
    return None


def go_deeper(state: ExplorerState, place: Place) -> Requests | None:
    """Return the transition that opens the page of the erratum that changes a lane, if one does."""
    services = find_services(Service.OPEN_REFERENCE)
    if not services or state.is_predicting:
        return None
    surprises = list_surprises(state.trace, state.session.deviation)
    errata = next((x.errata for x in surprises if x.place == place), ())
    return services[0](state, errata[0]) if errata else None
