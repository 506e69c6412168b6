"""The running explorer: Textual app, terminal driver, key queue, lifecycle, crash report."""

INTERNAL_ERROR = 70
"""The exit status after an internal error: ``EX_SOFTWARE`` of sysexits.h."""
