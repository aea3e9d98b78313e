"""The shapes of trees."""

from __future__ import annotations

from collections.abc import Sequence

from .parameters import MAX_WIDTH

__all__ = ["tree_shapes", "tree_width"]

MAX_DEPTH = 30  # fan-outs in a shape: numpy's arrays had at most 32 dimensions for long, and two are samples and roots


def tree_width(fanouts: Sequence[int], frontier: int = MAX_WIDTH) -> int:
    """The vertices of a tree, its root included, of whose steps so many grow on; some number above MAX_WIDTH where
    there are more than that."""
    total = level = 1
    for fanout in fanouts:
        level = min(level, frontier) * fanout
        total += level
        if total > MAX_WIDTH:
            break
    return total


def tree_shapes(fanouts: Sequence[int], roots: int) -> list[tuple[int, ...]]:
    """The shape of each step in one sample of so many roots; of steps behind MAX_DEPTH the places lie in one row."""
    many, shapes, level = () if roots == 1 else (roots,), [], 1
    for i, fanout in enumerate(fanouts):
        level *= fanout
        shapes.append((*many, *fanouts[: i + 1]) if i < MAX_DEPTH else (*many, level))
    return shapes
