"""Exceptions that are both Python's and DGL's, so that ``except dgl.DGLError`` catches what this package raises."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .. import errors
from .._core.binding import advised
from .framework import dgl

__all__ = [
    "DGLDeviceError",
    "DGLFormatError",
    "DGLIndexError",
    "DGLInternalError",
    "DGLMemoryError",
    "DGLTypeError",
    "DGLValueError",
    "raises_dgl_errors",
]

C = TypeVar("C", bound=Callable[..., Any])


class DGLValueError(dgl.DGLError, ValueError):  # type: ignore[misc]
    """An argument has the right type and a value that cannot be used."""


class DGLTypeError(dgl.DGLError, TypeError):  # type: ignore[misc]
    """An argument has the wrong type."""


class DGLIndexError(dgl.DGLError, IndexError):  # type: ignore[misc]
    """A vertex is not in the graph."""


class DGLMemoryError(dgl.DGLError, MemoryError):  # type: ignore[misc]
    """The result does not fit into memory."""


class DGLFormatError(dgl.DGLError, errors.FormatError):  # type: ignore[misc]
    """A graph's file is damaged."""


class DGLDeviceError(dgl.DGLError, errors.DeviceError):  # type: ignore[misc]
    """The GPU cannot be used."""


class DGLInternalError(dgl.DGLError, errors.InternalError):  # type: ignore[misc]
    """A fault of gonextdoor itself."""


_BOTH: dict[type[Exception], type[Exception]] = {
    ValueError: DGLValueError,
    TypeError: DGLTypeError,
    IndexError: DGLIndexError,
    MemoryError: DGLMemoryError,
    errors.FormatError: DGLFormatError,
    errors.DeviceError: DGLDeviceError,
    errors.InternalError: DGLInternalError,
}


def raises_dgl_errors(function: C) -> C:
    """Decorates a function of the public interface, as ``advised``: its errors are also ``dgl.DGLError``.

    Only the classes that this package raises are replaced; subclasses of other libraries pass through unchanged.
    """

    called = advised(function)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return called(*args, **kwargs)
        except tuple(_BOTH) as why:
            both = _BOTH.get(type(why))
            if both is None:
                raise
            raise both(*why.args).with_traceback(why.__traceback__) from why.__cause__

    return wrapped  # type: ignore[return-value]
