"""The engine: PTX to instructions, plans and traces, without Textual, Rich, files or printing."""
