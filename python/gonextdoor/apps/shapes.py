"""The shapes of trees."""

from __future__ import annotations

from collections.abc import Sequence

from .parameters import MAX_WIDTH

__all__ = ["tree_shapes", "tree_width"]

MAX_DEPTH = 30  # fan-outs in a shape: numpy before 2.0 has at most 32 dimensions, and two are samples and roots


def tree_width(fanouts: Sequence[int], frontier: int = MAX_WIDTH) -> int:
    """The number of vertices of a tree, its root included, if each step expands at most ``frontier`` vertices; some
    number above MAX_WIDTH if there are more than that."""
    total = level = 1
    for fanout in fanouts:
        level = min(level, frontier) * fanout
        total += level
        if total > MAX_WIDTH:
            break
    return total


def tree_shapes(fanouts: Sequence[int], roots: int) -> list[tuple[int, ...]]:
    """The shape of each step in one sample with that many roots; steps after MAX_DEPTH are flat."""
    many, shapes, level = () if roots == 1 else (roots,), [], 1
    for i, fanout in enumerate(fanouts):
        level *= fanout
        shapes.append((*many, *fanouts[: i + 1]) if i < MAX_DEPTH else (*many, level))
    return shapes
