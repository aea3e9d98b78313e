"""Standard errors and simultaneous error bounds of personalised PageRank.

A walk continues or stops regardless of its past, so the visits of a walk to a vertex, once it is there, have a
geometric distribution: after each visit it never returns with the same probability q. Two counts are sufficient for a
vertex: the visits T of all n walks, and the number H of walks with at least one. H is binomial with the probability h
that a walk gets there, and given H, T is negative binomial. The score is stop * h / q, estimated by stop * T / n.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["bounds", "deviations", "standard_errors", "unseen"]

Array = npt.NDArray[Any]

FEW = 10  # walks; below, the lower bound of a score is 0
HALVINGS = 45


def standard_errors(visits: Array, walks: Array, total: Array, unit: Array) -> Array:
    """Estimated standard errors of unit * visits / total, from the variance of the visits of one walk.

    Args:
        visits: T, visits of all walks.
        walks: H, walks with at least one visit, from 1.
        total: n, walks; a single one gives nan.
        unit: what a visit is worth: the stop probability, or 1.
    """
    q = walks / visits
    mean = visits / total
    square = (2 - q) / (q * q) * (walks / total)
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Array = unit * np.sqrt(np.maximum(square - mean * mean, 0) / (total - 1.0))
    return result


def bounds(
    indptr: Array,
    visits: Array,
    walkers: Array,
    ends: Array | None,
    total: Array,
    stop: float,
    failure: Array,
    listed: bool,
) -> Array:
    """The largest deviation of each row.

    Args:
        indptr: (rows + 1,).
        visits, walkers: (entries,), T and H.
        ends: (entries,) bool, at sinks where walks end; None: there are none.
        total, failure: (rows,), walks and the probability that the bound does not hold.
        stop: the stop probability.
        listed: whether only the entries count, and not the vertices without one.
    """
    bound: Array = np.zeros(len(total)) if listed else unseen(total, failure)
    rows = np.repeat(np.arange(len(total)), np.diff(indptr))
    units = [stop, 1.0] if ends is not None else [stop]
    for n, chance in sorted(set(zip(total.tolist(), failure.tolist(), strict=True))):
        of_kind = ((total == n) & (failure == chance))[rows]
        for unit in units:
            chosen = of_kind if ends is None else of_kind & (ends == (unit == 1.0))
            pairs = visits[chosen].astype(np.uint64) << np.uint64(32) | walkers[chosen]
            distinct, where = np.unique(pairs, return_inverse=True)
            t, h = (distinct >> np.uint64(32)).astype(np.float64), (distinct & np.uint64(0xFFFFFFFF)).astype(np.float64)
            errors = deviations(t, h, float(n), unit, stop, chance)
            np.maximum.at(bound, rows[chosen], errors[where])
    return bound


def deviations(visits: Array, walks: Array, total: float, unit: float, stop: float, failure: float) -> Array:
    """The largest errors that entries may have, all at once with probability 1 - failure.

    Every vertex has a share of the probability of failure in proportion to its score, of which the sum over all
    vertices is 1; so the bound does not depend on the number of vertices. A score is compatible with the counts if
    neither H nor T is further out than that share allows (Chernoff's bounds of their distributions). The result is the
    distance of the estimate to the furthest compatible score.
    """
    estimate = unit * visits / total
    q = walks / visits
    h = walks / total
    once = unit == 1.0  # a sink where walks end: visits and walks are the same
    # The highest score s has s <= f(s) for a falling f, and is not below the estimate: f(estimate) is no less.
    level = np.log(4 / (failure * estimate))
    returns = 1.0 if once else np.maximum(_binomial(q, visits, level, -1), stop)
    high = np.minimum(unit * _binomial(h, total, level, 1) / returns, 1.0)
    # The same from below, if the lowest score is at least half of the estimate, which is seen from the result.
    level = np.log(8 / (failure * estimate))
    leaves = 1.0 if once else _binomial(q, visits, level, 1)
    low = unit * _binomial(h, total, level, -1) / leaves
    low = np.where((low < estimate / 2) | (walks < FEW), 0.0, low)
    result: Array = np.maximum(high - estimate, estimate - low)
    return result


def unseen(total: Array, failure: Array | float) -> Array:
    """The largest score that a vertex may have if none of the walks visits it, by the same rules as ``deviations``."""
    n = np.maximum(total, 1)
    bound = low = 1.0 / n
    for _ in range(4):  # s = log(4 / (failure * s)) / n, from below: of two successive values one is not below it
        low, bound = bound, np.log(4 / (failure * bound)) / n
    result: Array = np.where(total > 0, np.minimum(np.maximum(bound, low), 1.0), 1.0)
    return result


def _binomial(observed: Array, trials: Array | float, level: Array, side: int) -> Array:
    """The furthest probability p with trials * kl(observed, p) <= level, above (side 1) or below (-1) the observed."""
    inner, outer = observed.astype(np.float64), np.full(observed.shape, float(side > 0))
    for _ in range(HALVINGS):
        middle = (inner + outer) / 2
        far = trials * _divergence(observed, middle) > level
        outer = np.where(far, middle, outer)
        inner = np.where(far, inner, middle)
    return outer


def _divergence(p: Array, q: Array) -> Array:
    """The Kullback-Leibler divergence of two Bernoulli distributions."""
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(p > 0, p * np.log(p / q), 0.0)
        right = np.where(p < 1, (1 - p) * np.log((1 - p) / (1 - q)), 0.0)
    return left + right
