"""The stochastic block model with features: draws the labels, features and edges of planted_partition."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import bayes
from .hetero import RelationType

__all__ = ["BlockModel"]

Array = npt.NDArray[Any]

LABELS, FEATURES, EDGES = range(3)  # purposes of random numbers


@dataclasses.dataclass(frozen=True)
class BlockModel:
    """The parameters of ``planted_partition``, by type of vertices and by relation.

    Attributes:
        num_vertices: the number of vertices by type.
        relations: the probabilities of an edge within a class and between two, by relation.
        shares: (num_classes,) the probabilities of the classes.
        num_features: the number of features.
        separations: the means of feature c in class c, by type.
        seed: the random seed, 64 bits.
    """

    num_vertices: dict[str, int]
    relations: dict[RelationType, tuple[float, float]]
    shares: Array
    num_features: int
    separations: dict[str, float]
    seed: int

    def labels(self) -> dict[str, Array]:
        """Draws the class of each vertex, by type."""
        bounds = np.cumsum(self.shares)[:-1]
        return {
            kind: np.searchsorted(bounds, self._random(LABELS, i).random_sample(n), "right")
            for i, (kind, n) in enumerate(self.num_vertices.items())
        }

    def features(self, labels: dict[str, Array]) -> dict[str, Array]:
        """Draws (num_vertices, num_features) float32 by type."""
        drawn = {}
        for i, (kind, classes) in enumerate(labels.items()):
            random, features = self._random(FEATURES, i), np.empty((len(classes), self.num_features), np.float32)
            for column in range(self.num_features):  # by column, for the memory
                features[:, column] = random.standard_normal(len(classes)) + self.separations[kind] * (
                    classes == column
                )
            drawn[kind] = features
        return drawn

    def edges(self, labels: dict[str, Array]) -> Iterator[tuple[RelationType, Array, Array]]:
        """Draws the edges of each relation: the vertices of its first type and of its second.

        Within a type, each pair of vertices has at most one edge, and there are no self-loops.
        """
        for i, (relation, (p_in, p_out)) in enumerate(self.relations.items()):
            random, same = self._random(EDGES, i), relation[0] == relation[2]
            rows, columns = (self._members(labels[kind]) for kind in (relation[0], relation[2]))
            ends = []
            for a, row in enumerate(rows):
                for b, column in enumerate(columns[: a + 1] if same else columns):
                    if same and a == b:
                        pairs = len(row) * (len(row) - 1) // 2
                        first, second = _triangle(_drawn(random, pairs, p_in))
                    else:
                        picked = _drawn(random, len(row) * len(column), p_in if a == b else p_out)
                        first, second = np.divmod(picked, max(len(column), 1))
                    ends.append((row[first], column[second]))
            yield relation, np.concatenate([end[0] for end in ends]), np.concatenate([end[1] for end in ends])

    def accuracy(self, kind: str, labels: dict[str, Array], *, edges: bool) -> float:
        """The accuracy of Bayes' rule for a type, with or without the edges and the labels of all other vertices."""
        sizes = {other: np.bincount(of, minlength=len(self.shares)) for other, of in labels.items()}
        evidence = [
            bayes.Edges(sizes[second if first == kind else first], first == second, p_in, p_out)
            for (first, _, second), (p_in, p_out) in self.relations.items()
            if edges and kind in (first, second)
        ]
        return bayes.accuracy(self.shares, sizes[kind], evidence, self.separations[kind])

    def _members(self, classes: Array) -> list[Array]:
        """The vertices of each class, ascending."""
        order = np.argsort(classes, kind="stable")
        return np.split(order, np.cumsum(np.bincount(classes, minlength=len(self.shares)))[:-1])

    def _random(self, purpose: int, index: int) -> np.random.RandomState:
        """A generator for a purpose and a type or relation. NumPy never changes the values of a RandomState."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=(purpose, index))
        return np.random.RandomState(np.random.MT19937(sequence))


def _drawn(random: np.random.RandomState, pairs: int, chance: float) -> Array:
    """Takes each of some pairs with a probability, independently: their numbers, ascending.

    The number of pairs that are taken is binomial, and all sets of that size are equally likely.
    """
    count = int(random.binomial(pairs, chance)) if pairs else 0
    if 2 * count > pairs:  # draw those that are not taken
        left = np.ones(pairs, bool)
        left[_distinct(random, pairs, pairs - count)] = False
        return np.flatnonzero(left)
    return np.sort(_distinct(random, pairs, count))


def _distinct(random: np.random.RandomState, n: int, count: int) -> Array:
    """Draws numbers below n one by one until count different ones were drawn, and returns these."""
    drawn = np.empty(0, np.int64)
    while len(drawn) < count:
        missing = count - len(drawn)
        drawn = np.concatenate([drawn, random.randint(0, n, missing + missing // 8 + 8, dtype=np.int64)])
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return drawn[:count]


def _triangle(number: Array) -> tuple[Array, Array]:
    """The pairs (i, j), j < i, of numbers i (i - 1) / 2 + j."""
    i = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    i -= i * (i - 1) // 2 > number  # the root is rounded
    i += (i + 1) * i // 2 <= number
    return i, number - i * (i - 1) // 2
