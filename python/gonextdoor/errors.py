"""Errors and warnings that the library defines. All others are Python's."""

from __future__ import annotations

import os
import sys
import warnings

__all__ = ["DeviceError", "FormatError", "InputWarning", "InternalError"]


def __dir__() -> list[str]:
    return sorted(__all__)


_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class FormatError(ValueError):
    """A file that is not of the expected format: truncated, of another format, or with a line that does not parse.

    Examples:
        >>> with open("edges.txt", "w") as file:
        ...     _ = file.write("0 1\\n1 x\\n")
        >>> try:
        ...     gnd.read("edges.txt")
        ... except gnd.FormatError as error:
        ...     print(error)
        edges.txt, line 2: "1 x": "x" is not an integer, but the ids of the first edge are: ids='text' reads all as text
    """


class DeviceError(RuntimeError):
    """The GPU cannot be used. The text gives the reason and what to do.

    Examples:
        >>> graph = gnd.rmat(4, seed=1)
        >>> try:
        ...     samples = gnd.sample(graph, gnd.apps.DeepWalk(8), device="cuda", seed=1)
        ... except gnd.DeviceError:  # no GPU, or its driver is too old: use the CPU
        ...     samples = gnd.sample(graph, gnd.apps.DeepWalk(8), device="cpu", seed=1)
        >>> samples.numpy().shape
        (16, 9)
    """


class InternalError(RuntimeError):
    """A fault of the library itself, never of its caller. Please report it with its text."""


FAULTS = DeviceError, ArithmeticError, IndexError, RuntimeError, ValueError  # that a run of an app may raise


class InputWarning(UserWarning):
    """Ambiguous input was used; the text says how it was understood, and how to decide it.

    Examples:
        Turn it into an error, so that such input is refused:

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("error", gnd.InputWarning)
        ...     gnd.Graph.from_edges([0, 1], [1, 2])
        Graph(num_vertices=3, num_edges=2)
    """


def warn(text: str, kind: type[Warning] = InputWarning) -> None:
    """Issues a warning at the line of the caller outside this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)
