"""Messages of an editor on standard input, and replies on standard output.

The loop of pygls waits for a line before it ends, in any case, and shows faults of the editor to
its user. This one ends at once, and replies.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO, TypeVar
from urllib.parse import unquote

from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from ...cli.support.streams import CommandError

MAX_MESSAGE_BYTES = 1 << 30
"""Bytes of a message; a longer one ends the server."""
_MAX_LINE_BYTES = 1 << 12
_PIECE_BYTES = 1 << 20
_LENGTH = re.compile(rb"content-length:\s*+(\d+)\s*+", re.IGNORECASE)
_MAX_LENGTH_DIGITS = 20
_WATCH_SECONDS = 0.25
"""Time between two looks at the process of the editor."""
ResultT = TypeVar("ResultT")


class Worker:
    """A thread that runs functions one after another, and does not keep the process alive."""

    def __init__(self) -> None:
        self._tasks = SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]()
        Thread(target=self._work, daemon=True).start()

    def run(self, function: Callable[[], ResultT]) -> Awaitable[ResultT]:
        """Return the result of a function, once the thread has run it."""
        future = Future[ResultT]()
        self._tasks.put((function, future))
        return asyncio.wrap_future(future)

    def end(self) -> None:
        """End the thread after the work that is queued."""
        self._tasks.put(None)

    def _work(self) -> None:
        while task := self._tasks.get():
            function, future = task
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except Exception as error:
                    future.set_exception(error)


class EditorProtocol(LanguageServerProtocol):
    """The protocol, with a reply to every request that is wrong."""

    def receive(self, body: bytes) -> None:
        """Handle a message, or reply why it cannot be handled."""
        data: dict[str, Any] | None = None
        try:
            data = _parse_message(body)
            self._require_phase(data.get("method"))
            self.handle_message(self.structure_message(data))
        except Exception as error:  # pygls does not expect every message, an unhashable id say
            fault = error if isinstance(error, JsonRpcException) else JsonRpcInternalError()
            if data is None or {"method", "id"} <= data.keys():
                number = data["id"] if data else None
                reply = {"code": fault.code, "message": fault.message}
                self._send_data({"jsonrpc": "2.0", "id": number, "error": reply})

    def _require_phase(self, method: object) -> None:
        """Raise JsonRpcException for a message before the first one, or after the last one."""
        if method in (None, lsp.EXIT):
            return
        if self._workspace is None and method != lsp.INITIALIZE:
            raise JsonRpcServerNotInitialized
        if self._shutdown or (self._workspace and method == lsp.INITIALIZE):
            raise JsonRpcInvalidRequest

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: lsp.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        """Change a text, if the editor has opened it."""
        if unquote(params.text_document.uri) in self.workspace.text_documents:
            yield from super().lsp_text_document__did_change(params)


def _parse_message(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise JsonRpcParseError from None
    if not isinstance(data, dict) or data.get("jsonrpc") != "2.0":
        raise JsonRpcInvalidRequest
    if not isinstance(data.get("id"), str | int | None):
        raise JsonRpcInvalidRequest
    if not isinstance(data.get("method"), str | None):
        raise JsonRpcInvalidRequest
    return data


class _Writer:
    """Standard output, as pygls writes it; a failure ends the server."""

    def __init__(self, file: BinaryIO, failure: asyncio.Future[int]) -> None:
        self._file, self._failure = file, failure

    def write(self, data: bytes) -> None:
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            if not self._failure.done():
                self._failure.set_exception(error)

    def close(self) -> None:
        """Leave the file open; it is not the server's."""


async def serve(server: LanguageServer, source: BinaryIO, output: BinaryIO) -> int:
    """Serve until the source ends, or the editor; return the exit status.

    Raise CommandError for a message that is too long, OSError if the output cannot be written.
    """
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # the editor has the reply
    failure: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    server.protocol.set_writer(_Writer(output, failure))
    messages = asyncio.ensure_future(_receive_all(server, source))
    editor_end = asyncio.ensure_future(_watch_editor(server))
    ends = [messages, editor_end, failure]
    done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    return max(end.result() for end in done)


async def _receive_all(server: LanguageServer, source: BinaryIO) -> int:
    protocol, reader = server.protocol, Worker()
    assert isinstance(protocol, EditorProtocol)
    while body := await reader.run(partial(_read_message, source)):
        try:
            protocol.receive(body)
        except SystemExit as end:  # the editor ends the server
            return int(end.code or 0)
    return 0


def _read_message(source: BinaryIO) -> bytes:
    """Return the next message, empty at the end of the source."""
    length = 0
    while line := source.readline(_MAX_LINE_BYTES):
        if match := _LENGTH.fullmatch(line):
            length = int(match[1][:_MAX_LENGTH_DIGITS])
        elif length and not line.strip():
            return _read_body(source, length)
    return b""


def _read_body(source: BinaryIO, length: int) -> bytes:
    if length > MAX_MESSAGE_BYTES:
        raise CommandError(
            f"error: a message of {length:,} bytes is announced; the limit is {MAX_MESSAGE_BYTES:,}"
        )
    body = bytearray()
    while len(body) < length:
        piece = source.read(min(length - len(body), _PIECE_BYTES))
        if not piece:
            return b""
        body += piece
    return bytes(body)


async def _watch_editor(server: LanguageServer) -> int:
    """Return when the process that the editor names has ended, if that can be observed."""
    was_running = False
    while True:
        number = server.process_id
        is_running = os.name == "posix" and number is not None and _is_running(number)
        if was_running and not is_running:
            return 0
        was_running = is_running
        await asyncio.sleep(_WATCH_SECONDS)


def _is_running(process: int) -> bool:
    with suppress(PermissionError):
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True
