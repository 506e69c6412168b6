"""The proof of kernels in Python."""

from __future__ import annotations

from types import NoneType

from ...engine.semantics.models import Model
from ...engine.tracing.evaluation import resolve_model
from ...engine.tracing.operand_bits import check_argument
from ..kernels.launches.device_code import load_device_code
from ..kernels.launches.kernel_run import choose_kernel
from ..prove.equivalence import TIMEOUT
from .comparison import KernelComparison, compare_kernels
from .file_kernel import LETTERS, FileKernel


def prove_kernels(
    a: str,
    b: str | None = None,
    *,
    kernel: str | None = None,
    kernel_b: str | None = None,
    model: str | Model = "isa",
    model_a: str | Model | None = None,
    model_b: str | Model | None = None,
    where: str = "",
    may_alias: bool = False,
    timeout: float = TIMEOUT,
) -> KernelComparison:
    """Decide whether two kernels of PTX text leave the same bytes in memory.

    ``b`` is ``a`` if it is omitted. ``kernel`` names the kernel of both texts, ``kernel_b`` that of
    ``b``; they may be omitted if a text has one kernel. ``model`` is for both, ``model_a`` or
    ``model_b`` for one. ``where`` restricts the parameters, which are paired by position, and the
    thread: ``"param2 < 100 and ntid.x == 32"``. ``may_alias``: the buffers of pointers may overlap.
    ``timeout`` is in seconds.

    Raise PtxError if a text is invalid, ValueError if a kernel is not there, parameters do not fit
    or no operands satisfy ``where``, and ImportError, with installation advice, if bitwuzla is
    missing.
    """
    sources = list[FileKernel]()
    for letter, text, name, own_model in zip(
        LETTERS, (a, a if b is None else b), (kernel, kernel_b or kernel), (model_a, model_b),
        strict=True,
    ):  # fmt: skip
        check_argument(letter.lower(), text, str, "PTX as text")
        check_argument("kernel", name, (str, NoneType), "the name of a kernel")
        code = load_device_code(text)
        own = choose_kernel(code, name)
        own_model = resolve_model(own_model or model)
        sources.append(FileKernel(f"{letter}:{own.name}", "", code, own, own_model))
    return compare_kernels(*sources, where=where, may_alias=may_alias, timeout=timeout)
