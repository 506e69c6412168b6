"""``check``: diagnostics for PTX in files; and ``errata``."""

from ...feature import Command, Completer, DocumentFormat, Feature, Key, PagePanel, Service

FEATURE = Feature(
    "check",
    needs=("languages", "sequences"),
    commands=(
        Command(
            "check",
            "find illegal lines, and lines that an erratum can change",
            f"{__package__}.commands.check",
            after="run",
            group="debug",
            old_spellings={"--json": "-f json", "--sarif": "-f sarif"},
        ),
        Command(
            "errata",
            "list the differences between ptxas and the documentation",
            f"{__package__}.commands.errata",
            after="show",
            old_spellings={"--json": "-f json", "--report": "ptxscope errata ID -f issue"},
        ),
    ),
    completers=(Completer("ID", f"{__package__}.commands.errata:complete_id"),),
    keys=(
        Key(
            "check",
            "Listings",
            "listing.run",
            "",
            "check",
            "Show errors, and errata that can change a result",
            f"{__package__}.transitions:check",
            widget_keys={"listing": "c"},
        ),
        Key(
            "reference",
            "See",
            "explain",
            "E,f4",
            "erratum",
            "Open the erratum, or the section of the PTX ISA, that the screen names",
            f"{__package__}.transitions:open_references",
            is_everywhere=True,
        ),
    ),
    formats=(DocumentFormat("issue", f"{__package__}.fault_report:render", ("md",), after="json"),),
    services={
        Service.LIST_POSSIBLE_ERRATA: f"{__package__}.counterexample:list_possible_errata",
        Service.OPEN_REFERENCE: f"{__package__}.transitions:open_reference",
        Service.RENDER_FAULT: f"{__package__}.fault_report:render_proved_fault",
    },
    page_panels=(PagePanel("check", "check", "explain", f"{__package__}.page_panel:make_panel"),),
)
