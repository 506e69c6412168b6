"""What happened: an evaluation's steps, flags, origins, sentences; where two part."""
