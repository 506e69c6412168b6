"""Common code of commands: arguments, streams, input files, progress, worker processes."""
