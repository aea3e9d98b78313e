"""The classes of errors that are the library's own; all else is Python's."""

from __future__ import annotations

__all__ = ["DeviceError", "FormatError", "InternalError"]


class FormatError(ValueError):
    """A file that is not what it should be: truncated, of another format, or with a line that does not parse."""


class DeviceError(RuntimeError):
    """The GPU cannot be used; the text says why and what to do."""


class InternalError(RuntimeError):
    """A fault of the library itself, never of its caller. Please report it with its text."""
