"""Trees of neighbours."""

from __future__ import annotations

import dataclasses
import itertools
import math
import operator

from .app import SamplingApp
from .parameters import MAX_WIDTH, Weighted, checked_fanouts, checked_flag, checked_weighted, put

__all__ = ["KHop"]


@dataclasses.dataclass(frozen=True)
class KHop(SamplingApp):
    """Trees: at step i every vertex takes ``fanouts[i]`` of its edges, and their end points take theirs at the next
    step (GraphSAGE: Hamilton et al., NIPS'17; k-hop neighbourhoods of NextDoor, EuroSys'21).

    Args:
        fanouts: edges taken by each vertex of a step, at least 1 each.
        replace: whether a vertex may take one edge several times. Without, one with too few edges leaves places empty.
        weighted: whether edges are taken in proportion to their weights; "auto": where the graph has some.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    fanouts: tuple[int, ...]
    replace: bool = False
    weighted: Weighted = False

    def __post_init__(self) -> None:
        fanouts = checked_fanouts(self.fanouts, all_edges=False)
        if 1 + sum(itertools.accumulate(fanouts, operator.mul)) > MAX_WIDTH:
            raise ValueError(f"fanouts = {list(fanouts)}: expected at most 2^28 vertices a root")
        put(
            self,
            fanouts=fanouts,
            replace=checked_flag("replace", self.replace),
            weighted=checked_weighted(self.weighted),
        )

    def per_step(self) -> bool:
        return True

    def width(self, roots: int = 1) -> int:
        return roots * (1 + sum(math.prod(shape) for shape in self.slots()))

    def slots(self, roots: int = 1) -> list[tuple[int, ...]]:
        many = () if roots == 1 else (roots,)
        return [(*many, *self.fanouts[: i + 1]) for i in range(len(self.fanouts))]
