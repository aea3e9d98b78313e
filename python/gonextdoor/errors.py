"""Errors and warnings that the library defines. All others are Python's."""

from __future__ import annotations

import os
import sys
import warnings

__all__ = ["DeviceError", "FormatError", "InputWarning", "InternalError"]

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class FormatError(ValueError):
    """A file that is not what it should be: truncated, of another format, or with a line that does not parse."""


class DeviceError(RuntimeError):
    """The GPU cannot be used; the text says why and what to do."""


class InternalError(RuntimeError):
    """A fault of the library itself, never of its caller. Please report it with its text."""


class InputWarning(UserWarning):
    """Input that was used, but may mean something else than it was taken for; the text says how to decide it.

    Example:
        >>> import warnings
        >>> warnings.simplefilter("error", gonextdoor.InputWarning)  # refuse such input
    """


def warn(text: str) -> None:
    """Issues an InputWarning at the line of the caller outside this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, InputWarning, stacklevel=level)
