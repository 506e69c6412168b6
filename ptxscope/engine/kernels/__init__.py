"""Running a kernel: its statements, plain instructions, which one made a value what it is."""
