"""The explorer's action: a kernel compared with another, and both runs of a difference."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from ...cli.support.streams import CommandError
from ...engine.cancellation import IsStopped
from ...engine.semantics.models import parse_model
from ...engine.syntax.errors import make_printable
from ...sources.source_lines import UNSEEN_LISTING
from ...state.explorer_state import ExplorerState
from ...state.listing_transitions import check_listing, go_to, open_text
from ...state.requests import Act, AskText, Notify, Open, Requests, RunInThread, ShowHint
from ..kernels.launch_request import load_kernel
from ..kernels.launches.kernel_run import choose_kernel
from ..kernels.transitions import open_evaluation
from ..prove.pin_proof import ADVICE, PROOF_SECONDS
from .comparison import KernelComparison, compare_kernels
from .comparison_report import iter_comparison_blocks
from .file_kernel import FileKernel
from .kernel_files import KernelPlace
from .run_pair import RunPair, run_comparison

_DIALOG = f"{__package__.rpartition('.')[0]}.prove.terminal.proof_dialog:ProofDialog"
_RETURN_KEYS = (("listing.compare", "returns to both runs"),)


class LastPair:
    """The last runs of two kernels, where the user left them; the explorer keeps them."""

    pair: RunPair | None = None


def check_comparison(state: ExplorerState) -> ShowHint | None:
    """Return that no kernel is there to compare, or None."""
    return None if state.get_attached(LastPair).pair else check_listing(state)


def compare(state: ExplorerState) -> Requests:
    """Return to the runs of two kernels, or ask for a kernel to compare with the listing's."""
    pair = state.get_attached(LastPair).pair
    if pair is None or not _is_current(state, pair):
        yield from _ask_kernel(state)
    else:
        yield from show_pair(state, pair)


def _is_current(state: ExplorerState, pair: RunPair) -> bool:
    """Return whether the cursor is in one of the kernels, or no listing is open."""
    if state.cursor is None:
        return True
    listing, number = state.cursor.listing, state.cursor.program
    own = {x.launch.kernel.name for x in pair.runs if x.launch.code.text == listing.text}
    return listing.programs[number].name in own


class _Answer(NamedTuple):
    """A comparison, and its runs if they show a difference."""

    comparison: KernelComparison
    pair: RunPair | None


def _ask_kernel(state: ExplorerState) -> Requests:
    """Ask for a kernel, and compare it with the listing's."""
    assert state.cursor
    listing, model = state.cursor.listing, parse_model(state.setup.model)
    try:
        name = listing.programs[state.cursor.program].name
        code, kernel = load_kernel(listing.text, listing.name, name)
    except ValueError as error:
        yield Notify(str(error), "Not compared", "warning")
        return
    first = FileKernel(f"{listing.name}:{kernel.name}", listing.name, code, kernel, model)
    others: list[FileKernel] = []

    def check(text: str, _: object) -> None:
        others[:] = [_read_kernel(text.strip(), first)]

    title = f"Compare {make_printable(kernel.name)} with"
    names = [x.name for x in code.kernels if x.has_body and x.name != kernel.name]
    suggestion = state.drafts.get(title) or next(iter(names), "")
    hint = "a kernel of this listing, or FILE:KERNEL"
    text = yield AskText(
        title, "kernel", suggestion, hint, "compares them", check, is_suggestion=bool(suggestion)
    )
    if not text or not text.strip() or not others:
        return
    answer: _Answer = yield RunInThread(partial(_compare, first, others[0]))
    state.get_attached(LastPair).pair = answer.pair
    if (yield Act("is_covered")):
        yield ShowHint("The comparison is done", keys=_RETURN_KEYS if answer.pair else ())
    elif answer.pair:
        yield from show_pair(state, answer.pair)
    else:
        blocks = partial(iter_comparison_blocks, answer.comparison, is_brief=True, advice=ADVICE)
        yield Open(_DIALOG, ("Two kernels compared", blocks))


def _read_kernel(text: str, first: FileKernel) -> FileKernel:
    """Return the kernel ``f`` of the same listing, or ``FILE:f``. Raise ValueError without one."""
    if ":" not in text:
        kernel = choose_kernel(first.code, text)
        return first._replace(label=f"{first.file}:{kernel.name}", kernel=kernel)
    try:
        place = KernelPlace(text)
        if not place.is_kernel:
            raise ValueError(
                f"{text} is not a kernel: name a kernel of this listing, or FILE:KERNEL"
            )
        return place.read(first.model)
    except CommandError as error:
        raise ValueError(str(error)) from None


def _compare(first: FileKernel, second: FileKernel, is_stopped: IsStopped) -> _Answer:
    comparison = compare_kernels(first, second, timeout=PROOF_SECONDS, is_stopped=is_stopped)
    return _Answer(comparison, run_comparison(comparison) if comparison.has_runs else None)


# --- the runs --------------------------------------------------------------------------------


def open_pair(state: ExplorerState, pair: RunPair) -> Requests:
    """Open the listing of A, and show both runs over it."""
    yield from _open_listing(state, pair)
    yield from show_pair(state, pair)


def show_pair(state: ExplorerState, pair: RunPair) -> Requests:
    """Show both runs; they stay where they are left."""
    left = yield Open(f"{__package__}.terminal.pair_screen:PairScreen", (pair,))
    state.get_attached(LastPair).pair = left.run
    if left.is_again or left.evaluation:
        yield from _open_listing(state, left.run)
    if left.is_again and state.cursor:
        yield from _ask_kernel(state)
        return
    if left.evaluation:
        yield from open_evaluation(state, left.evaluation)
    yield ShowHint(is_sticky=True, keys=_RETURN_KEYS)


def _open_listing(state: ExplorerState, pair: RunPair) -> Requests:
    """Open the listing of the kernel that has the cursor, unless it is open."""
    code = pair.run.launch.code
    if state.cursor is None or state.cursor.listing.text != code.text:
        name = pair.labels[pair.side].rpartition(":")[0]
        if code.text.startswith(UNSEEN_LISTING):
            name = f"{name} (PTX)"  # the language is that of the text
        yield from open_text(state, code.text, name)
    if (cursor := state.cursor) and cursor.listing.text == code.text:
        lines = {x.line for x in pair.run.launch.kernel.statements}
        places = (cursor.move_to_line(x, "") for x in sorted(lines))
        if (place := next(filter(None, places), None)) and place.program != cursor.program:
            yield from go_to(state, place)
