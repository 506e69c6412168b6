"""NVIDIA's compiler, assembler and disassembler: their places, versions and answers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ...engine.syntax.errors import format_install_hint
from .kernel_source import KernelSource, format_module
from .machine_instruction import MachineKernel, parse_disassembly

PTXAS, NVDISASM, NVCC = "ptxas", "nvdisasm", "nvcc"
DEFAULT_ARCH = "sm_90"
"""The target if none is named."""
_VARIABLES = {name: f"PTXSCOPE_{name.upper()}" for name in (PTXAS, NVDISASM, NVCC)}
_FOLDERS = ("cu13/bin", "cu14/bin", "cuda_nvcc/bin", "cuda_nvdisasm/bin")
"""The folders of the PyPI packages of NVIDIA that hold programs."""
_RELEASE = re.compile(r"release (\d{1,3})\.(\d{1,3}), V([\d.]{1,40})")
_NAME = re.compile(r"(\w{1,20}): NVIDIA")
_ARCHITECTURE = re.compile(r"'(sm_\d{2,3}[a-z]?)'")
_ERROR = re.compile(r"ptxas [^,\n]*+, line (\d++); (?:error|fatal)\s*+: (.*+)")
_NVCC_ERROR = re.compile(r"\b(?:error|fatal)\b\s*+:\s*+(.*)")
_NVCC_ERROR_LINE = re.compile(r"^[^\n(]*+\((\d{1,9}+)\): (?:error|catastrophic)", re.MULTILINE)
_SECONDS = 600
_WINDOWS_EXCEPTION = 0xC0000000
"""The least exit status of a process that Windows has ended."""


class ToolError(Exception):
    """A tool is missing, or cannot do its work; the text has the remedy."""


class CrashedError(ToolError):
    """A tool has crashed, as it does on some inputs."""


class RefusedError(ToolError):
    """The assembler refused PTX. ``errors`` has each line's number and message."""

    def __init__(self, text: str, errors: tuple[tuple[int, str], ...]) -> None:
        super().__init__(text)
        self.errors = errors

    def __reduce__(self) -> tuple[type[RefusedError], tuple[object, ...]]:
        """Return the arguments with which another process can raise it."""
        return RefusedError, (str(self), self.errors)


class Tool(NamedTuple):
    """A program of NVIDIA's."""

    path: str
    version: tuple[int, int]
    """The release: (13, 0)."""
    build: str
    """The whole version: ``13.0.88``."""

    @property
    def identity(self) -> str:
        """The version, and the file's place, size and time: a wrapper reports the same version."""
        path = Path(shutil.which(self.path) or self.path)
        try:
            state = path.stat()
        except OSError:
            return f"{self.build} {path}"
        return f"{self.build} {path.resolve()} {state.st_size} {state.st_mtime_ns}"


def find_tool(name: str, path: str | None = None, *, has_option: bool = False) -> Tool:
    """Return a program: by its path, a variable, PATH, or the place of its PyPI package.

    Raise ToolError, with what to install or name, if it is missing or does not say its version;
    with ``has_option``, the path can be given as an option.
    """
    if path:
        return _ask_version(name, path)
    if variable := os.environ.get(_VARIABLES[name]):
        return _ask_version(name, variable)
    if place := next(iter_places(name), None):
        return _ask_version(name, place)
    option = f"give --{name} PATH, " if has_option else ""
    raise ToolError(
        f"{name} is not found: {option}set {_VARIABLES[name]}, have it in PATH with "
        f"the CUDA toolkit, or {format_install_hint('sass')}"
    )


def iter_places(name: str) -> Iterator[str]:
    """Yield the paths at which a tool is found: in PATH, then in packages of Python."""
    if found := shutil.which(name):
        yield found
    places = [*sys.path]
    if spec := find_spec("nvidia"):
        places = [str(Path(x).parent) for x in spec.submodule_search_locations or ()] + places
    for place in dict.fromkeys(places):
        for folder in _FOLDERS:
            for file in (name, f"{name}.exe"):
                path = Path(place) / "nvidia" / folder / file
                if path.is_file():
                    yield str(path)


@cache
def _ask_version(name: str, path: str) -> Tool:
    answer = _run([path, "--version"], name)
    match = _RELEASE.search(answer.stdout)
    if match is None:
        raise ToolError(f"{path} does not report its version: is it {name}?")
    if (said := _NAME.match(answer.stdout)) and said[1] != name:
        raise ToolError(f"{path} is {said[1]}, not {name}")
    return Tool(path, (int(match[1]), int(match[2])), match[3])


def format_tools(ptxas: Tool, nvdisasm: Tool) -> str:
    """Return the tools and their versions."""
    return f"ptxas {ptxas.build}, nvdisasm {nvdisasm.build}"


@cache
def list_targets(ptxas: Tool) -> tuple[str, ...]:
    """Return the targets for which an assembler makes machine code, as its help lists them."""
    answer = _run([ptxas.path, "--help"], PTXAS)
    # the option is the first that has values of this kind; lto_90 and compute_90 are no targets
    values = answer.stdout.partition("--gpu-name")[2].partition("Default")[0]
    return tuple(sorted({*_ARCHITECTURE.findall(values)}, key=_get_target_order))


def _get_target_order(target: str) -> tuple[int, str]:
    number = target.removeprefix("sm_").rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(number), target


def _run(words: list[str], name: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - the user's own tool
            words,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"{name} did not answer within {_SECONDS} s") from None
    except OSError as error:
        raise ToolError(f"{words[0]} cannot be run: {error.strerror or error}") from None


def assemble(ptxas: Tool, ptx: str, arch: str, target: Path, *options: str) -> None:
    """Assemble PTX for a target, ``sm_90``, to a file.

    Raise RefusedError if the PTX is refused, CrashedError if the assembler crashes, and ToolError
    if it does nothing for any PTX, as for an unknown target.
    """
    source = target.with_suffix(".ptx")
    source.write_text(ptx, "utf-8")
    words = [ptxas.path, f"-arch={arch}", *options, str(source), "-o", str(target)]
    answer = _run(words, PTXAS)
    if answer.returncode == 0:
        return
    text = answer.stderr + answer.stdout
    errors = tuple((int(line), message.strip()) for line, message in _ERROR.findall(text))
    if errors:
        reason = "; ".join(dict.fromkeys(message for _, message in errors))
        raise RefusedError(f"ptxas {ptxas.build} refuses it for {arch}: {reason}", errors)
    _check_crash(answer, f"ptxas {ptxas.build}")
    reason = next((x.strip() for x in text.splitlines() if x.strip()), "no reason given")
    targets = list_targets(ptxas)
    if targets and arch not in targets:
        raise ToolError(
            f"ptxas {ptxas.build} does not support {arch}; it supports {', '.join(targets)}"
        )
    raise ToolError(f"ptxas {ptxas.build} fails for {arch}: {reason}")


def _check_crash(answer: subprocess.CompletedProcess[str], name: str) -> None:
    """Raise CrashedError if a process was ended by a signal, or on Windows by an exception."""
    if answer.returncode < 0:
        raise CrashedError(f"{name} crashed with signal {-answer.returncode}")
    if answer.returncode >= _WINDOWS_EXCEPTION:
        raise CrashedError(f"{name} crashed with status {answer.returncode:#x}")


def disassemble(nvdisasm: Tool, cubin: Path) -> str:
    """Return nvdisasm's text of a file; raise ToolError if it cannot read it, or crashes."""
    answer = _run([nvdisasm.path, str(cubin)], NVDISASM)
    _check_crash(answer, f"nvdisasm {nvdisasm.build}")
    if answer.returncode:
        lines = (answer.stderr + answer.stdout).splitlines()
        reason = next((x.strip() for x in lines if x.strip()), "no reason given")
        raise ToolError(
            f"nvdisasm {nvdisasm.build} cannot read what ptxas wrote: {reason}; use one that is "
            "not older than ptxas and still supports the target"
        )
    return answer.stdout


def compile_ptx(ptxas: Tool, nvdisasm: Tool, ptx: str, arch: str, *options: str) -> str:
    """Return the disassembled machine code of PTX; raise ToolError as its two steps do."""
    with TemporaryDirectory(prefix="ptxscope-") as folder:
        cubin = Path(folder) / "module.cubin"
        assemble(ptxas, ptx, arch, cubin, *options)
        return disassemble(nvdisasm, cubin)


def compile_cuda(nvcc: Tool, cuda: str, arch: str) -> str:
    """Return the PTX of CUDA C++ for a target, from nvcc; raise ToolError if it fails."""
    with TemporaryDirectory(prefix="ptxscope-") as folder:
        source = Path(folder) / "module.cu"
        source.write_text(cuda, "utf-8")
        return _compile_cuda_file(nvcc, source, arch)


_NEW_TARGET = "sm_90"
"""The target of a CUDA source that nvcc cannot compile for its oldest one."""


def compile_source(file: str, *, is_optimized: bool = True) -> str:
    """Return the PTX that nvcc makes of a CUDA source, with its lines, for the oldest target.

    If that fails, the source may need a newer target. Raise ValueError if nvcc is missing or fails.
    """
    option = "-lineinfo" if is_optimized else "-G"
    try:
        nvcc = find_tool(NVCC)
        try:
            return _compile_cuda_file(nvcc, Path(file), "", option)
        except ToolError:
            with suppress(ToolError):
                return _compile_cuda_file(nvcc, Path(file), _NEW_TARGET, option)
            raise
    except ToolError as error:
        raise ValueError(str(error)) from None


def _compile_cuda_file(nvcc: Tool, source: Path, arch: str, *options: str) -> str:
    words = [nvcc.path, "-ptx", *([f"-arch={arch}"] if arch else []), *options]
    with TemporaryDirectory(prefix="ptxscope-") as folder:
        target = Path(folder) / "module.ptx"
        answer = _run([*words, str(source.absolute()), "-o", str(target)], NVCC)
        _check_crash(answer, f"nvcc {nvcc.build}")
        if answer.returncode:
            match = _NVCC_ERROR.search(answer.stderr + answer.stdout)
            reason = match[1].rstrip(".") if match else "no reason given"
            place = f" for {arch}" if arch else f" on {source.name}{_find_error_line(answer)}"
            raise ToolError(f"nvcc {nvcc.build} fails{place}: {reason}")
        return target.read_text("utf-8")


def _find_error_line(answer: subprocess.CompletedProcess[str]) -> str:
    """Return ``:12``, the line of nvcc's first error; empty if it names none."""
    match = _NVCC_ERROR_LINE.search(answer.stderr + answer.stdout)
    return f":{match[1]}" if match else ""


Compiled = MachineKernel | str
"""The machine code of a kernel, or the reason why there is none."""
_KERNEL_NAME = "k{}"
_ENTRY = ".visible .entry "


def compile_kernels(
    ptxas: Tool, nvdisasm: Tool, arch: str, sources: Sequence[KernelSource], *options: str
) -> list[Compiled]:
    """Return the machine code of each kernel, or the message of the tool that refused it.

    ``options`` are those of ptxas, such as ``-O0``. Raise ToolError if a tool fails for any kernel.
    """
    results: dict[int, Compiled] = {}
    with TemporaryDirectory(prefix="ptxscope-") as folder:
        work = _Compilation(ptxas, nvdisasm, arch, sources, Path(folder) / "module.cubin", options)
        work.compile_some(range(len(sources)), results)
    return [results[index] for index in range(len(sources))]


class _Compilation:
    def __init__(
        self,
        ptxas: Tool,
        nvdisasm: Tool,
        arch: str,
        sources: Sequence[KernelSource],
        path: Path,
        options: tuple[str, ...],
    ) -> None:
        self.ptxas, self.nvdisasm, self.arch = ptxas, nvdisasm, arch
        self.sources, self.path, self.options = sources, path, options

    def compile_some(self, indexes: Sequence[int], results: dict[int, Compiled]) -> None:
        """Compile kernels in one module, without the refused ones."""
        if not indexes:
            return
        kernels = [(_KERNEL_NAME.format(index), self.sources[index]) for index in indexes]
        ptx = format_module(kernels, self.arch, self.ptxas.version)
        try:
            assemble(self.ptxas, ptx, self.arch, self.path, *self.options)
            listing = disassemble(self.nvdisasm, self.path)
            codes = parse_disassembly(listing)
        except RefusedError as error:
            refused = _find_kernels(ptx, error.errors)
            if not refused:
                raise
            results |= refused
            self.compile_some([x for x in indexes if x not in refused], results)
        except CrashedError as error:
            if len(indexes) == 1:
                results[indexes[0]] = str(error)
                return
            middle = len(indexes) // 2
            self.compile_some(indexes[:middle], results)
            self.compile_some(indexes[middle:], results)
        else:
            results |= {index: codes[_KERNEL_NAME.format(index)] for index in indexes}


def _find_kernels(ptx: str, errors: Sequence[tuple[int, str]]) -> Mapping[int, str]:
    """Return the message about each kernel in which a line of PTX is refused, by its number."""
    names: list[str] = []
    for line in ptx.splitlines():
        is_entry = line.startswith(_ENTRY)
        names.append(line[len(_ENTRY) :].partition("(")[0] if is_entry else (names or [""])[-1])
    messages: dict[int, str] = {}
    for number, message in errors:
        if 0 < number <= len(names) and (name := names[number - 1]):
            messages.setdefault(int(name[1:]), message)
    return messages
