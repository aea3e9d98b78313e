"""Bayes accuracies of planted partitions: the best shares of labels that a classifier can find."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Edges", "accuracy"]

Array = npt.NDArray[Any]

CELLS = 1 << 15  # of the grid on which scores are computed
TAIL = 9.0  # standard deviations beyond which a distribution is cut; less than 1e-17 of it is there
MARGIN = 40  # counts beyond that, for means near 0
EXTREME = 1e-9  # probabilities of edges that are closer to 0 or 1 have the weight of this one


@dataclasses.dataclass(frozen=True)
class Edges:
    """The edges of one relation at a vertex, as evidence for its class.

    Attributes:
        sizes: (num_classes,) the number of vertices in each class at the other end.
        same: whether the vertex itself is one of them.
        p_in: the probability of an edge to a vertex of the same class.
        p_out: the probability of an edge to a vertex of another class.
    """

    sizes: Array
    same: bool
    p_in: float
    p_out: float

    @property
    def weight(self) -> float:
        """The logarithm of the likelihood ratio that one edge adds, over that of a missing edge."""
        return _logit(self.p_in) - _logit(self.p_out)

    @property
    def missing(self) -> float:
        """The logarithm of the likelihood ratio of a missing edge."""
        p_in, p_out = (min(max(p, EXTREME), 1 - EXTREME) for p in (self.p_in, self.p_out))
        return math.log1p(-p_in) - math.log1p(-p_out)

    @property
    def reach(self) -> float:
        """About the largest difference between two numbers of edges to a class."""
        n = float(self.sizes.max())
        return 2 * TAIL * math.sqrt(max(n * p * (1 - p) for p in (self.p_in, self.p_out))) + MARGIN


@dataclasses.dataclass(frozen=True)
class Distribution:
    """A distribution on the cells of a grid: mass[i] is the probability of cell first + i."""

    first: int
    mass: Array

    def plus(self, other: Distribution) -> Distribution:
        """The distribution of the sum of two independent variables."""
        length = len(self.mass) + len(other.mass) - 1
        if len(other.mass) == 1:
            return Distribution(self.first + other.first, self.mass * other.mass[0])
        size = 1 << (length - 1).bit_length()
        product = np.fft.irfft(np.fft.rfft(self.mass, size) * np.fft.rfft(other.mass, size), size)[:length]
        return Distribution(self.first + other.first, np.maximum(product, 0))

    def on(self, first: int, cells: int) -> tuple[Array, Array]:
        """The masses of the cells from first on, and the probabilities of that cell or one below."""
        mass = np.zeros(cells)
        begin, end = max(self.first, first), min(self.first + len(self.mass), first + cells)
        below = float(self.mass[: max(0, begin - self.first)].sum())
        if begin < end:
            mass[begin - first : end - first] = self.mass[begin - self.first : end - self.first]
        return mass, np.minimum(below + np.cumsum(mass), 1.0)


def accuracy(shares: Array, labels: Array, evidence: Sequence[Edges], separation: float) -> float:
    """Returns the expected share of vertices that Bayes' rule puts in their class, given the labels of all others.

    The score of class c is the logarithm of its posterior probability: that of its share, of the vertex's edges to the
    class, and of feature c. Given the vertex's class, the scores are independent. Each is computed on a grid, after
    rounding its terms to cells. So the result is the exact accuracy of the rule with rounded scores, which is at most
    that of Bayes' rule.

    Args:
        shares: (num_classes,) the probabilities of the classes.
        labels: (num_classes,) the number of vertices in each class.
        evidence: the relations of the vertices; empty: the features alone.
        separation: the mean of feature c in class c, in standard deviations.
    """
    spread = 2 * TAIL * separation + sum(abs(edges.weight) * edges.reach for edges in evidence)
    cell = max(spread, 1.0) / CELLS
    outside = [_score(shares, c, evidence, separation, cell, inside=False) for c in range(len(shares))]
    total = 0.0
    for c in np.flatnonzero(labels).tolist():
        inside = _score(shares, c, evidence, separation, cell, inside=True)
        found = inside.mass.copy()
        for other, score in enumerate(outside):
            if other != c:
                mass, reached = score.on(inside.first, len(found))
                found *= reached if other > c else reached - mass  # the first of equal scores wins
        total += float(labels[c]) * float(found.sum())
    return min(total / float(labels.sum()), 1.0)


def _score(
    shares: Array, c: int, evidence: Sequence[Edges], separation: float, cell: float, *, inside: bool
) -> Distribution:
    """The distribution of the score of class c for a vertex inside the class, or of another one."""
    shift = math.log(shares[c])
    score = Distribution(0, np.ones(1))
    for edges in evidence:
        others = int(edges.sizes[c]) - (edges.same and inside)
        shift += others * edges.missing
        count, mass = _binomial(others, edges.p_in if inside else edges.p_out)
        place: Array = np.rint(count * (edges.weight / cell)).astype(np.int64)
        first = int(place.min())
        score = score.plus(Distribution(first, np.bincount(place - first, mass)))
    if separation > 0:
        score = score.plus(_normal(separation**2 if inside else 0.0, separation, cell))
    return Distribution(score.first + round(shift / cell), score.mass)


def _binomial(n: int, p: float) -> tuple[Array, Array]:
    """The values of a binomial distribution that are not extremely rare, and their probabilities."""
    if p in (0.0, 1.0):
        return np.array([n * int(p)]), np.ones(1)
    reach = TAIL * math.sqrt(n * p * (1 - p)) + MARGIN
    count = np.arange(max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1)
    logs = [k * math.log(p) + (n - k) * math.log1p(-p) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in count]
    mass = np.exp(np.array(logs) - max(logs))
    return count, mass / mass.sum()


def _normal(mean: float, deviation: float, cell: float) -> Distribution:
    """A normal distribution, rounded to cells."""
    first, last = (round((mean + side * TAIL * deviation) / cell) for side in (-1, 1))
    bounds = (np.arange(first, last + 2) - 0.5) * cell
    reached = np.array([math.erf(z) for z in ((bounds - mean) / (deviation * math.sqrt(2))).tolist()]) / 2
    mass = np.diff(reached)
    return Distribution(first, mass / mass.sum())


def _logit(p: float) -> float:
    p = min(max(p, EXTREME), 1 - EXTREME)
    return math.log(p) - math.log1p(-p)
