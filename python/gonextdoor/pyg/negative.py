"""Negative links: end points that are drawn at random, a pure function of the batch's random seed.

End point i of the sources (or destinations) is decided by the word at slot i of
``key(stream(batch_seed, NEGATIVES), 0)`` (or 1): ``below`` the number of nodes, or, by weight, the first node at which
the running sum of the weights exceeds ``word * sum >> 64``. Weights become integers, in units of 2^-32 of the power of
two above the largest. If nodes have times, the candidates are the nodes that are there at the link's time, in order of
time, then of their number; if there are none, the oldest node is taken, as PyG's own sampler does in the end.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import rng
from .._core.words import words_of
from .exact import ExactDraws

__all__ = ["Negatives"]

Array = npt.NDArray[Any]

SRC, DST = 0, 1
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


class Negatives:
    """Draws the end points of negative links for a sampler, and keeps what it needs for that between batches."""

    def __init__(self) -> None:
        self.exact = ExactDraws()
        self._orders: dict[Any, tuple[Array, Array]] = {}
        self._sums: dict[Any, tuple[Any, int, Array]] = {}

    def __reduce__(self) -> tuple[type[Negatives], tuple[()]]:
        return Negatives, ()  # a worker makes its own

    def draw(
        self,
        sampling: Any,
        endpoint: int,
        positives: int,
        num_nodes: int,
        batch_seed: int,
        *,
        node_type: Any = None,
        node_time: Array | None = None,
        seed_time: Array | None = None,
    ) -> Array:
        """End points of the negative links of a batch.

        Args:
            sampling: a NegativeSampling. endpoint: SRC or DST.
            positives: how many links the batch has. num_nodes: how many nodes the end points are among.
            batch_seed: the random seed of the batch.
            node_type: the type of the end points.
            node_time: (num_nodes,) int64 times of the nodes. seed_time: (positives,) int64 times of the links, which
                serve negative i at i modulo positives.

        Returns:
            (ceil(positives * amount),) int64.

        Raises:
            ValueError: the weights are not one non-negative finite number a node, or all of them are 0.
        """
        count = math.ceil(positives * sampling.amount)
        if not num_nodes and count:
            raise ValueError("negative links: there are no nodes of that type to draw from")
        words = words_of(rng.key(rng.stream(batch_seed, rng.NEGATIVES), endpoint), count)
        weight = sampling.src_weight if endpoint == SRC else sampling.dst_weight
        if node_time is None or seed_time is None:
            if weight is None:
                return _below(words, np.uint64(num_nodes)).astype(np.int64)
            return _search(self._running(weight, endpoint, num_nodes, None, None), words, None)
        order, sorted_times = self._order(node_type, node_time)
        there = np.searchsorted(sorted_times, np.resize(seed_time, count), side="right")
        if weight is None:
            picked = _below(words, there.astype(np.uint64)).astype(np.int64)
        else:
            picked = _search(self._running(weight, endpoint, num_nodes, node_type, order), words, there)
        return order[picked]

    def _order(self, node_type: Any, node_time: Array) -> tuple[Array, Array]:
        """The nodes in order of time, and their times."""
        if node_type not in self._orders:
            order = np.argsort(node_time, kind="stable")
            self._orders[node_type] = order, node_time[order]
        return self._orders[node_type]

    def _running(self, weight: Any, endpoint: int, num_nodes: int, node_type: Any, order: Array | None) -> Array:
        """Running sums of the weights as integers, in the order of the candidates."""
        name = ("src_weight", "dst_weight")[endpoint]
        key = (name, node_type, order is not None)
        version = getattr(weight, "_version", 0)
        kept = self._sums.get(key)
        if kept is None or kept[0] is not weight or kept[1] != version:
            sums = _integers(name, weight, num_nodes)
            self._sums[key] = kept = weight, version, np.cumsum(sums if order is None else sums[order])
        return kept[2]


def _below(words: Array, n: Any) -> Array:
    """The high half of words * n, for n below 2^32."""
    numbers: Array = (words >> _HALF) * n + ((words & _LOW) * n >> _HALF) >> _HALF
    return numbers


def _high(words: Array, n: Array) -> Array:
    """The high half of words * n, for any n."""
    upper, lower = n >> _HALF, n & _LOW
    middle = (words >> _HALF) * lower + ((words & _LOW) * lower >> _HALF)
    cross = (words & _LOW) * upper + (middle & _LOW)
    numbers: Array = (words >> _HALF) * upper + (middle >> _HALF) + (cross >> _HALF)
    return numbers


def _search(sums: Array, words: Array, there: Array | None) -> Array:
    """The candidate of each random word among all, or among the first ``there``; 0 if those have no weight."""
    ends = np.full(len(words), len(sums)) if there is None else there
    total = np.where(ends > 0, sums[np.maximum(ends, 1) - 1], np.uint64(0))
    picked = np.searchsorted(sums, _high(words, total), side="right")
    return np.where(total > 0, picked, 0).astype(np.int64)


def _integers(name: str, weight: Any, num_nodes: int) -> Array:
    """Weights as integers, as above; those that are not 0 are 1 at least."""
    values = np.asarray(weight.detach().cpu().numpy() if hasattr(weight, "detach") else weight, np.float64)
    if values.shape != (num_nodes,):
        raise ValueError(f"{name}: expected {num_nodes} numbers, one per node, got shape {values.shape}")
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"{name}[{at}] = {values[at]}: expected a non-negative finite number")
    largest = values.max(initial=0)
    if largest == 0:
        raise ValueError(f"{name}: all weights are 0; expected at least one positive weight")
    _, exponent = math.frexp(largest)
    whole = np.rint(np.ldexp(values, 32 - exponent)).astype(np.uint64)
    return np.maximum(whole, (values > 0).astype(np.uint64))
