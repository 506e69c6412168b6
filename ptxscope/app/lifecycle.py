"""The end of the explorer without a request: by a signal, a lost terminal or an error.

In every case the state is saved and the terminal is restored.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING

from ..engine.syntax.errors import make_printable
from . import INTERNAL_ERROR
from .app import Explorer

if TYPE_CHECKING:
    from ..state.state_store import StateStore

_GRACE = 2.0
"""Seconds for the explorer to end by itself before it is forced to."""
_SIGNALS = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM")


def run(make: Callable[[], Explorer], store: StateStore | None) -> int:
    """Run an explorer to its end, whatever the reason, and return the exit status."""
    return _SupervisedRun(store).run_app(make)


class _SupervisedRun:
    """One supervised run of the explorer."""

    def __init__(self, store: StateStore | None) -> None:
        self.store = store
        self.app: Explorer | None = None
        self.failure: Exception | None = None
        self.signal: int | None = None

    def run_app(self, make: Callable[[], Explorer]) -> int:
        """Run the explorer and return the exit status."""
        before = self._install_handlers()
        try:
            self.app = app = make()
            app.ending = self._set_deadline
            app.run()
        except SystemExit:  # a signal before the explorer owns the terminal, or after
            pass
        except Exception as error:  # the last resort
            self.failure = error
        finally:
            _set_alarm(0)
            for number, handler in before.items():
                signal.signal(number, handler)
        return self._clean_up()

    def _install_handlers(self) -> dict[int, signal.Handlers | Callable[..., object] | int | None]:
        """Install handlers of signals, except ignored ones (``nohup``)."""
        numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        heard = [x for x in numbers if signal.getsignal(x) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self._handle_signal) for number in heard}
        if hasattr(signal, "SIGALRM"):
            before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._force_exit)
        return before

    def _handle_signal(self, number: int, _: FrameType | None) -> None:
        is_repeated, self.signal = self.signal is not None, number
        if is_repeated:
            self._force_exit()
        self._set_deadline()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise SystemExit(128 + number) from None
        if self.app is not None:
            loop.call_soon_threadsafe(self.app.exit)

    def _set_deadline(self) -> None:
        """Make sure that the explorer ends even if it hangs."""
        _set_alarm(_GRACE)

    def _force_exit(self, *_: object) -> None:
        """End the process, wherever it hangs."""
        status = INTERNAL_ERROR
        with suppress(Exception):
            if self.app:
                self.app.restore_terminal()
            status = self._clean_up()
        os._exit(status)

    def _clean_up(self) -> int:
        """Save the state and print messages; return the exit status."""
        app, messages = self.app, list[str]()
        failure = self.failure or (app.failure if app else "")
        if failure and app and self.store and app.is_suspect:
            messages += self.store.set_aside("the explorer fails on it")
        elif app:
            messages += _save_state(app)
        if failure:
            from .crash_report import (
                # importing its dependencies would take an eighth of the start-up time
                write_crash_report,
            )

            messages = [*write_crash_report(failure, app, self.store), *messages]
        if app and app.is_gone:
            detach_output()
        else:
            for line in messages:
                sys.stderr.write(f"ptxscope: {make_printable(line)}\n")
        if failure:
            return INTERNAL_ERROR
        if self.signal is not None:
            return 128 + self.signal
        return app.return_code or 0 if app else 0


def _set_alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _save_state(app: Explorer) -> list[str]:
    """Save the state and return messages about failures."""
    try:
        app.save_state()
    except OSError as error:
        return [f"your session could not be saved: {error}"]
    except Exception as error:  # the state may be the cause of the failure
        return [f"your session could not be saved: {type(error).__name__}: {error}"]
    return []


def detach_output() -> None:
    """Stop writing to a lost terminal, which the interpreter would do at exit."""
    with suppress(OSError):
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (1, 2):
            os.dup2(nothing, descriptor)
