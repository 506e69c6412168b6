"""The reader of NumPy's ``.npy`` format; every error and warning is a ValueError."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

_MAX_REASON_CHARS = 200
"""Maximum characters of NumPy's own text in an error."""


def read_array(source: BinaryIO) -> npt.NDArray[Any]:
    """Return the array of a .npy file; raise ValueError if the file is not in this format."""
    with convert_array_errors():
        array: npt.NDArray[Any] = np.lib.format.read_array(source, allow_pickle=False)
    return array


@contextmanager
def convert_array_errors() -> Iterator[None]:
    """Turn NumPy's exceptions and warnings into ValueErrors, except OSError and MemoryError."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)  # a file of Python 2, which is read
        try:
            yield
        except (OSError, MemoryError):
            raise
        except (OverflowError, RuntimeWarning):
            raise ValueError("its shape has more elements than an array can have") from None
        except ValueError as error:
            raise ValueError(" ".join(str(error).split())[:_MAX_REASON_CHARS]) from None
        except Exception:  # the tokenizer, the parser and the types raise errors of many types
            raise ValueError("its header can't be read") from None
