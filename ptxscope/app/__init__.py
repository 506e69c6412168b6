"""The running explorer: Textual app, terminal driver, key queue, lifecycle, crash report."""
