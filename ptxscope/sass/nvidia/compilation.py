"""Many kernels in one module: their machine code, or why the assembler has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ..disassembly import MachineKernel, parse_disassembly
from ..kernel_source import KernelSource, format_module
from .toolchain import CrashedError, RefusedError, Tool, assemble, disassemble

Compiled = MachineKernel | str
"""The machine code of a kernel, or why there is none."""
_NAME = "k{}"
_ENTRY = ".visible .entry "


def compile_kernels(
    ptxas: Tool, nvdisasm: Tool, arch: str, sources: Sequence[KernelSource]
) -> list[Compiled]:
    """Return the machine code of each kernel, or the message of what refused it.

    Raise ToolError if a tool fails whatever it is given.
    """
    found: dict[int, Compiled] = {}
    with TemporaryDirectory(prefix="ptxscope-") as folder:
        work = _Compilation(ptxas, nvdisasm, arch, sources, Path(folder) / "module.cubin")
        work.compile_some(range(len(sources)), found)
    return [found[index] for index in range(len(sources))]


class _Compilation:
    def __init__(
        self, ptxas: Tool, nvdisasm: Tool, arch: str, sources: Sequence[KernelSource], path: Path
    ) -> None:
        self.ptxas, self.nvdisasm, self.arch = ptxas, nvdisasm, arch
        self.sources, self.path = sources, path

    def compile_some(self, indexes: Sequence[int], found: dict[int, Compiled]) -> None:
        """Compile kernels in one module; without those that are refused, if some are."""
        if not indexes:
            return
        kernels = [(_NAME.format(index), self.sources[index]) for index in indexes]
        ptx = format_module(kernels, self.arch, self.ptxas.version)
        try:
            assemble(self.ptxas, ptx, self.arch, self.path)
            listing = disassemble(self.nvdisasm, self.path)
            codes = parse_disassembly(listing)
        except RefusedError as error:
            refused = _find_kernels(ptx, error.errors)
            if not refused:
                raise
            found |= refused
            self.compile_some([x for x in indexes if x not in refused], found)
        except CrashedError as error:
            if len(indexes) == 1:
                found[indexes[0]] = str(error)
                return
            middle = len(indexes) // 2
            self.compile_some(indexes[:middle], found)
            self.compile_some(indexes[middle:], found)
        else:
            found |= {index: codes[_NAME.format(index)] for index in indexes}


def _find_kernels(ptx: str, errors: Sequence[tuple[int, str]]) -> Mapping[int, str]:
    """Return the message about each kernel in which a line of PTX is refused, by its number."""
    names: list[str] = []
    for line in ptx.splitlines():
        is_entry = line.startswith(_ENTRY)
        names.append(line[len(_ENTRY) :].partition("(")[0] if is_entry else (names or [""])[-1])
    found: dict[int, str] = {}
    for number, message in errors:
        if 0 < number <= len(names) and (name := names[number - 1]):
            found.setdefault(int(name[1:]), message)
    return found
