"""Export of the trace: format, contents and a live preview; save or copy."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from ... import files
from ...documents import BINARY, COMMON_FORMATS, FORMATS, export, find_format
from ...documents.content.annotated_trace import annotate_trace
from ...documents.options import Options, make_options, map_switches
from ...engine.syntax.errors import make_printable, make_printable_lines
from ...engine.tracing.annotations import Annotations
from ...engine.tracing.trace import Trace
from ...state.requests import AskItem, MenuItem
from ...widgets.base.form_fields import ChoiceRow, LabelledInput, Page
from .dialog import Dialog, DialogFrame
from .prompts import MenuDialog

_FRAME_COLUMNS = 8
"""Columns of a dialog's frame and its margins."""


def _list_formats() -> tuple[str, ...]:
    """Return the formats, common ones first."""
    return tuple(dict.fromkeys((*COMMON_FORMATS, *FORMATS)))


class ExportDialog(Dialog[Annotations]):
    """The dialog returns the edited annotations."""

    DEFAULT_CSS = """
    ExportDialog {
        & #said { height: auto; min-height: 1; max-height: 4; color: $foreground; }
        & #request { dock: top; height: auto; }
        & #preview { height: auto; max-height: 100%; }
    }
    """
    BINDING_GROUP_TITLE = "Export"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", show=False),
        Binding("ctrl+y", "copy", "Copy", show=False),
    ]

    def __init__(self, trace: Trace, block: Trace | None = None) -> None:
        super().__init__()
        self._trace = trace
        self._block = block
        """The block to export instead of one statement's trace."""
        self._switches = map_switches()
        self._choices = ChoiceRow("choices", _list_formats(), tuple(self._switches))
        self._format = self._choices.choice
        self._message_line = Static(id="said")
        self._preview = Page("preview", "Preview")

    def compose(self) -> ComposeResult:
        """Yield the choices and, below them, the preview."""
        extra = self._trace.annotations
        with DialogFrame("Export", ""):
            with Vertical(id="request"):
                yield self._choices
                if self._block is None:
                    yield LabelledInput("steps", "steps", "", "all; 1-4, 3, or select-saturate")
                else:
                    yield LabelledInput("fold", "steps", "", "statements: 2-4, all, or but-last")
                yield LabelledInput("title", "title", extra.title, "text above the trace")
                yield LabelledInput("caption", "caption", extra.caption, "text below the trace")
                yield LabelledInput("save as", "path", self._suggest_file_name(), "a file")
                yield self._message_line
            yield self._preview

    def on_mount(self) -> None:
        """Show the preview."""
        self._show()
        self._show_keys()

    def on_descendant_focus(self) -> None:
        """Show the keys of the widget with the focus."""
        self._show_keys()

    def _show_keys(self) -> None:
        """Show the effect of Enter and the other keys."""
        enter, ask = "^s", "? keys"
        if self.focused is self._choices:
            enter = "←→ format · ↓ Space switch · ^s"
        elif isinstance(self.focused, Input):
            enter, ask = "Enter or ^s", "^p keys"
        keys = f"{enter} save · ^y copy · Tab next · {ask} · Esc leave"
        for optional in (f" · {ask}", " · Tab next", "←→ format · ", "↓ Space switch · "):
            if len(keys) > self.size.width - _FRAME_COLUMNS:  # a narrow terminal
                keys = keys.replace(optional, "")
        self.query_one(DialogFrame).border_subtitle = keys

    def _suggest_file_name(self) -> str:
        name = "block" if self._block else self._trace.instruction.opcode
        return f"{name}.{find_format(self._format).endings[0]}"

    def _get_value(self, id_: str) -> str:
        return self.query_one(f"#{id_}", Input).value

    @property
    def annotations(self) -> Annotations:
        """The trace's annotations with the fields' title and caption."""
        return self._trace.annotations._replace(
            title=self._get_value("title"), caption=self._get_value("caption")
        )

    def _parse_request(self) -> tuple[Trace, Options]:
        """Return the trace and the options. Raise ValueError if the steps do not exist."""
        steps = self._get_value("steps").strip()
        active = (self._switches[name] for name in self._choices.active_switches)
        options = make_options({key: value for each in active for key, value in each.items()})
        if self._block is None:
            trace = self._trace.with_annotations(self.annotations)
            return annotate_trace(trace, options, steps=steps)
        annotations = self.annotations._replace(notes=self._block.annotations.notes)
        return annotate_trace(self._block.with_annotations(annotations), options, folded=steps)

    def make_document(self) -> str | bytes:
        """Return the document to save.

        Raise ValueError for invalid choices, and ImportError if no image renderer is installed.
        """
        trace, options = self._parse_request()
        return export(trace, self._format, options)

    def _make_preview(self) -> tuple[str, str]:
        """Return a document, or a description of an image, and a label for it."""
        trace, options = self._parse_request()
        if self._format not in BINARY:
            text = export(trace, self._format, options)
            return text, f"{len(text.encode('utf-8', 'replace')):,} bytes of {self._format}"
        from ...documents.content.alt_text import format_alt_text
        from ...documents.content.document_builder import build_document
        from ...documents.media.images import describe_image

        image = describe_image(trace, self._format, options)
        says = format_alt_text(build_document(trace, options))
        return f"A terminal cannot show this file: {image}.\n\nDescription:\n\n{says}", self._format

    def _show(self, message: str = "") -> None:
        try:
            text, kind = self._make_preview()
        except (ValueError, ImportError) as error:
            message, text, kind = message or make_printable(str(error)), "", self._format
        self._preview.border_title = f"Preview · {kind}"
        # A document keeps the user's text unchanged; in the preview it must be printable.
        self._preview.show(make_printable_lines(text))
        self._message_line.update(Content(message))

    @on(ChoiceRow.OptionChanged)
    def _handle_format_changed(self) -> None:
        before = self._suggest_file_name()
        self._format = self._choices.choice
        path = self.query_one("#path", Input)
        if path.value == before:
            path.value = self._suggest_file_name()
        self._show()

    @on(Input.Changed)
    def _handle_field_changed(self) -> None:
        self._show()

    @on(Input.Submitted)
    def _handle_field_submitted(self) -> None:
        self.action_save()

    def action_save(self) -> None:
        """Write the file; confirm first if it exists."""
        name = self._get_value("path").strip()
        if not name:
            self._show("a file needs a name")
            return
        try:
            path = files.expand_path(name)
            is_new = not files.is_there(path)
        except OSError as error:
            self._show_write_error(error, name)
            return
        if is_new:
            self._write(path)
            return

        def on_choice(index: int | None) -> None:
            if index == 1:
                self._write(path)
            else:
                self._show(f"{make_printable(name)} is unchanged")

        items = [
            MenuItem("keep it", "nothing is written"),
            MenuItem("overwrite", "its contents are lost"),
        ]
        self.app.push_screen(
            MenuDialog(AskItem(f"{make_printable(name)} exists", items, 0)), on_choice
        )

    def _write(self, path: Path) -> None:
        try:
            document = self.make_document()
            data = document.encode("utf-8", "replace") if isinstance(document, str) else document
            files.replace(path, data)
        except (OSError, ValueError, ImportError) as error:
            self._show_write_error(error, str(path))
        else:
            folder = make_printable(str(path.resolve().parent))
            self._show(f"saved as {make_printable(path.name)} in {folder}")

    def _show_write_error(self, error: Exception, name: str) -> None:
        why = getattr(error, "strerror", None) or str(error)
        self._show(f"not written, {make_printable(why)}: {make_printable(name)}")

    def action_copy(self) -> None:
        """Copy the document."""
        if self._format in BINARY:
            self._show(f"{self._format} can't be copied as text; ^s saves it")
            return
        try:
            self.app.copy_to_clipboard(self._make_preview()[0])
        except ValueError as error:
            self._show(make_printable(str(error)))
        else:
            self._show("copied")

    def action_leave(self) -> None:
        """Return to the explorer with title and caption."""
        self.close_with(self.annotations)
