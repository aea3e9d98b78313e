"""The answer of a part to a question about its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native, running

__all__ = ["answered"]

Array = npt.NDArray[Any]

BYTE = 2e-8  # seconds per byte of a question, about


def answered(part: int, question: Array) -> Array:
    """The answer of a part, given by its handle, to a question.

    Raises:
        FormatError: the question is not of this graph.
    """
    given = np.ascontiguousarray(question).view(np.uint8).reshape(-1)
    result = np.zeros(2, np.int64)
    try:
        running.call(
            "PartAnswer",
            part,
            memory.address(given),
            given.size,
            memory.address(result),
            seconds=given.size * BYTE,
        )
    except BaseException:  # the call may have ended all the same
        if result[0]:
            native.call("Return", int(result[0]))
        raise
    return memory.wrap(int(result[0]), (int(result[1]),), np.uint8)
