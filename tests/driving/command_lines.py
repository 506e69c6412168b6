"""The core's command lines that succeed and print something, by their purpose."""

from __future__ import annotations

LINE = "vadd.u32.u32.u32.sat d, a, b"
ASM = 'asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));'
COMMAND_LINES: dict[str, tuple[str, ...]] = {
    "trace": ("trace", LINE, "a=1", "b=2"),
    "eval": ("eval", LINE, "a=1", "b=2"),
    "explain": ("explain", LINE, "a=1", "b=2", "--got", "3"),
    "explain --observations": ("explain", LINE, "--observations", "-"),
    "run": ("run", "-", "%1=1", "%2=2"),
    "show": ("show",),
    "show -f json": ("show", "-f", "json"),
    "show OPCODE": ("show", "vadd"),
    "completion": ("completion", "bash"),
    "--help": ("--help",),
    "--version": ("--version",),
    "show --help": ("show", "--help"),
}
INPUTS: dict[str, bytes] = {
    "explain --observations": b"a,b,got\n1,2,3\n",
    "run": ASM.encode(),
}
"""What they read from standard input."""
FILES: dict[str, str] = {}
"""Files beside them."""
