"""The outcome of an analysis: a bound, or the reason why there is none."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from .. import tree

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Bound", "NoBoundError"]


@dataclasses.dataclass(frozen=True)
class Bound:
    """A bound: its text, the hook, and the parameters and arrays that the hook reads after those of the app.

    Without a hook there is no bound, and the text has the reasons. error is one that edge_bias may have, and its line;
    accepted is the share of proposals that are accepted, if that is known.
    """

    text: str
    function: tree.Function | None = None
    parameters: tuple[int | float, ...] = ()
    arrays: tuple[np.ndarray[Any, Any], ...] = ()
    error: tuple[str, int] | None = None
    accepted: float | None = None


class NoBoundError(Exception):
    """The hook has no bound; the text says why, and line is the line in the user's file, or 0."""

    def __init__(self, text: str, line: int = 0) -> None:
        super().__init__(text)
        self.line = line
