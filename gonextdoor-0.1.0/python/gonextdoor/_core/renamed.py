"""Translates argument names in errors: those of the core become those of the function that was called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["renamed"]


@contextmanager
def renamed(**names: str) -> Iterator[None]:
    """Replaces names of arguments at the start of an error's text.

    Args:
        **names: by the core's name, the name that the caller knows.

    Raises:
        the same error with the other name; errors that begin with another word pass through unchanged.

    Example:
        >>> with renamed(fanouts="num_neighbors"):
        ...     raise ValueError("fanouts[0] = -2: expected from 0 to 2^28, or -1 for all")
        Traceback (most recent call last):
        ValueError: num_neighbors[0] = -2: expected from 0 to 2^28, or -1 for all
    """
    try:
        yield
    except (TypeError, ValueError, IndexError) as why:
        text = str(why)
        first = re.match(r"\w*", text)
        known = names.get(first[0]) if first else None
        if known is None or first is None:
            raise
        raise type(why)(known + text[first.end() :]) from None
