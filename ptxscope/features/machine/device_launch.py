"""Kernels on a GPU, through the CUDA driver: `python launch.py` beside the files of a batch.

It needs NumPy and cuda-bindings alone, so that it also runs where ptxscope is not installed.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

POISON = 0xAA
"""The bytes of the results before a kernel writes them."""


class DriverError(Exception):
    """The CUDA driver, or its Python package, is missing or refuses."""


def load_driver() -> Any:
    """Return the module of the CUDA driver; raise DriverError if it is missing."""
    try:
        return import_module("cuda.bindings.driver")
    except ImportError:
        raise DriverError("cuda-bindings is not installed") from None


class Gpu:
    """The first GPU."""

    def __init__(self, driver: Any) -> None:
        """Open it; raise DriverError if none exists."""
        self._driver = driver
        self._call("cuInit", 0)
        device = self._call("cuDeviceGet", 0)
        attribute = driver.CUdevice_attribute
        major, minor = (
            self._call("cuDeviceGetAttribute", kind, device)
            for kind in (
                attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            )
        )
        name = self._call("cuDeviceGetName", 128, device).split(b"\0")[0].decode()
        version = self._call("cuDriverGetVersion")
        self.arch = f"sm_{major}{minor}"
        self.description = f"{name}, {self.arch}, driver {version // 1000}.{version % 1000 // 10}"
        self._call("cuCtxSetCurrent", self._call("cuDevicePrimaryCtxRetain", device))

    def _call(self, name: str, *arguments: object) -> Any:
        """Call a function of the driver; raise DriverError with its reason if it fails."""
        try:
            status, *results = getattr(self._driver, name)(*arguments)
        except RuntimeError as error:  # the library is not there
            raise DriverError(f"{name}: {error}") from None
        if int(status) != 0:
            raise DriverError(f"{name} fails: {getattr(status, 'name', status)}")
        return results[0] if len(results) == 1 else tuple(results)

    def run(self, image: bytes, operands: Any) -> Any:
        """Run the kernels ``k0``, ``k1``, … of a module, each on its operand sets.

        ``image`` is PTX or machine code, ``operands`` an array by kernel, thread and slot.
        """
        module = self._call("cuModuleLoadData", image + b"\0")
        results = np.empty_like(operands)
        size = operands[0].nbytes if len(operands) else 0
        pointers = [self._call("cuMemAlloc", max(size, 1)) for _ in range(2)]
        output, source = pointers
        for index in range(len(operands)):
            words = np.ascontiguousarray(operands[index])
            obtained = np.empty_like(words)
            function = self._call("cuModuleGetFunction", module, f"k{index}".encode())
            self._call("cuMemcpyHtoD", source, words.ctypes.data, size)
            self._call("cuMemsetD8", output, POISON, size)
            values = np.array([int(output), int(source)], np.uint64)
            parameters = np.array([values[x:].ctypes.data for x in range(2)], np.uint64)
            grid, block = (1, 1, 1), (len(words), 1, 1)
            self._call("cuLaunchKernel", function, *grid, *block, 0, 0, parameters.ctypes.data, 0)
            self._call("cuCtxSynchronize")
            self._call("cuMemcpyDtoH", obtained.ctypes.data, output, size)
            results[index] = obtained
        for pointer in pointers:
            self._call("cuMemFree", pointer)
        self._call("cuModuleUnload", module)
        return results


def main(folder: Path) -> None:
    """Run the batch in a folder and write its results."""
    lines = json.loads((folder / "lines.json").read_text("utf-8"))["lines"]
    operands = np.load(folder / "operands.npy", allow_pickle=False)
    gpu = Gpu(load_driver())
    results = gpu.run((folder / "module.ptx").read_bytes(), operands)
    np.savez(folder / "results.npz", results=results, device=np.array(gpu.description))
    print(f"{gpu.description}: {len(lines)} lines; results.npz is written")


if __name__ == "__main__":
    try:
        main(Path(__file__).resolve().parent)
    except DriverError as error:
        sys.exit(f"error: {error}")
