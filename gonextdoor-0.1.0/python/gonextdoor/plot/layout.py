"""Positions of vertices. Equal inputs give equal positions: nothing here is random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["columns", "forest", "positions"]

ROUNDS = 200  # of the stress minimisation, which has settled by then

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def positions(count: int, sources: Ints, targets: Ints) -> Array:
    """Positions in the plane, (count, 2), whose distances are close to the distances in the graph.

    Connected components are placed separately, the largest first, in rows. The stress of each is minimised from the
    positions of classical scaling.
    """
    linked = np.zeros((count, count), bool)
    linked[sources, targets] = linked[targets, sources] = True
    np.fill_diagonal(linked, False)
    hops = _hops(linked)
    places = np.zeros((count, 2))
    components: list[Ints] = []
    missing = np.ones(count, bool)
    while missing.any():
        members = np.flatnonzero(np.isfinite(hops[int(np.argmax(missing))]))
        missing[members] = False
        components.append(members)
    components.sort(key=len, reverse=True)
    for members in components:
        places[members] = _upright(_stress(hops[np.ix_(members, members)]))
    _in_rows(places, components)
    return places


def _hops(linked: npt.NDArray[np.bool_]) -> Array:
    """The number of edges on the shortest path between each two vertices; infinite if there is none."""
    count = len(linked)
    hops = np.full((count, count), np.inf)
    reached = np.eye(count, dtype=bool)
    step, fresh = 0, reached.copy()
    while fresh.any():
        hops[fresh] = step
        step += 1
        fresh = ((fresh.astype(np.float32) @ linked.astype(np.float32)) > 0) & ~reached
        reached |= fresh
    return hops


def _stress(hops: Array) -> Array:
    """Positions with the least stress, by majorisation: the sum of squared relative errors of the distances."""
    count = len(hops)
    if count == 1:
        return np.zeros((1, 2))
    weights = np.zeros_like(hops)
    np.divide(1, hops**2, out=weights, where=hops > 0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    places = _classical(hops)
    for _ in range(ROUNDS):
        apart = np.linalg.norm(places[:, None] - places[None, :], axis=2)
        ratio = np.zeros_like(hops)
        np.divide(weights * hops, apart, out=ratio, where=apart > 1e-9)
        places = inverse @ ((np.diag(ratio.sum(axis=1)) - ratio) @ places)
    return places


def _classical(hops: Array) -> Array:
    """Classical scaling, with a small circle added, so that no two vertices are at the same position."""
    count = len(hops)
    centre = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-0.5 * centre @ hops**2 @ centre)
    axes = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
    angles = 2 * np.pi * np.arange(count) / count
    placed: Array = axes + 0.1 * np.column_stack([np.cos(angles), np.sin(angles)])[:, : axes.shape[1]]
    return placed


def _upright(places: Array) -> Array:
    """The positions turned so that their longest extent is horizontal, with vertex 0 on the lower left."""
    places = places - places.mean(axis=0)
    turned: Array = places @ np.linalg.eigh(places.T @ places)[1][:, ::-1]
    turned *= np.where(turned[0] > 0, -1.0, 1.0)
    return turned


def _in_rows(places: Array, components: Sequence[Ints]) -> None:
    """Moves the components so that none overlaps another: in rows about as wide as they are high together."""
    gap = 1.0
    boxes = [np.ptp(places[members], axis=0) + gap for members in components]
    width = max(float(boxes[0][0]), float(np.sqrt(sum(box[0] * box[1] for box in boxes)) * 1.3))
    left = top = height = 0.0
    for members, box in zip(components, boxes, strict=True):
        if left and left + box[0] > width:
            left, top, height = 0.0, top - height, 0.0
        corner = places[members].min(axis=0)
        high = float(np.ptp(places[members][:, 1]))
        places[members] += np.array([left, top - high]) - corner
        left, height = left + float(box[0]), max(height, float(box[1]))


def forest(parents: Sequence[int], levels: Sequence[int]) -> Array:
    """Positions of the vertices of trees, (n, 2): a parent, -1 for a root, is before its children and above their
    middle."""
    children: list[list[int]] = [[] for _ in parents]
    for child, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(child)
    places = np.zeros((len(parents), 2))
    places[:, 1] = -np.asarray(levels, np.float64)
    leaf = 0.0
    order: list[int] = []
    waiting = [root for root, parent in enumerate(parents) if parent < 0][::-1]
    while waiting:  # leaves from left to right
        at = waiting.pop()
        order.append(at)
        if not children[at]:
            places[at, 0], leaf = leaf, leaf + 1
        waiting += children[at][::-1]
    for at in reversed(order):
        if children[at]:
            places[at, 0] = places[children[at], 0].mean()
    return places


def columns(sizes: Sequence[int], links: Sequence[tuple[Ints, Ints]]) -> list[Array]:
    """Positions of vertices in columns, one array (m, 2) per column.

    The first column keeps its order. Each other one is sorted by the mean height of the vertices in the column before
    that its vertices are linked to, which leaves few crossings.

    Args:
        sizes: the vertices of each column.
        links: for each column but the first, pairs of a place in the column before and a place in this one.
    """
    height = max([*sizes, 2]) - 1.0
    placed: list[Array] = []
    for column, size in enumerate(sizes):
        heights = height * (0.5 - (np.arange(size) + 0.5) / max(size, 1))
        if column:
            before, here = links[column - 1]
            total, number = np.zeros(size), np.zeros(size)
            np.add.at(total, here, placed[-1][before, 1])
            np.add.at(number, here, 1)
            mean = np.where(number > 0, total / np.maximum(number, 1), -np.inf)
            sorted_heights = heights.copy()
            heights[np.argsort(-mean, kind="stable")] = sorted_heights
        placed.append(np.column_stack([np.full(size, float(column)), heights]))
    return placed
