"""Code that commands share: arguments, streams, input files, progress, worker processes."""
