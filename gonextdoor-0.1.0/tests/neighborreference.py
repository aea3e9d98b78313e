"""Mini-batches by the reproducibility contract, in plain Python: a slow reference for every loader and sampler.

It follows docs/reproducibility.md, and takes from the package the random words only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import frexp
from typing import NamedTuple

from gonextdoor import rng

LOW = -(1 << 63)


class Candidate(NamedTuple):
    """One entry of a row: the vertex at the other end, the edge's id, its bias, and the time that counts for it."""

    end: int
    id: int
    bias: int = 1
    time: int | None = None


Row = list[Candidate]


class Rows(NamedTuple):
    """A relation: the rows of its destinations, and the numbers of its destination and source type.

    Attributes:
        weighted: whether it has weights, which a weighted choice uses.
    """

    of: list[Row]
    destination: int = 0
    source: int = 0
    weighted: bool = False


@dataclasses.dataclass(frozen=True)
class SamplingRule:
    """The options of a sampler that decide its batches."""

    replace: bool = False
    weighted: bool | str = False
    expand: str = "new"
    disjoint: bool = False
    temporal: str | None = None
    method: str = "neighbor"
    layer_dependency: bool = False


@dataclasses.dataclass
class Neighborhood:
    """A batch.

    Attributes:
        nodes: by type: (tree, vertex) of each local id. Without disjoint trees, the tree is 0.
        num_nodes: by type: the number of seed nodes, then the number of nodes that each hop discovered.
        hops: by hop and relation: (source, destination, edge id) of each edge, the ends as local ids.
        destinations: by hop and relation: the first destination and the number of destinations.
    """

    nodes: list[list[tuple[int, int]]]
    num_nodes: list[list[int]]
    hops: list[list[list[tuple[int, int, int]]]]
    destinations: list[list[tuple[int, int]]]

    def vertices(self, kind: int) -> list[int]:
        return [v for _, v in self.nodes[kind]]

    def trees(self, kind: int) -> list[int]:
        return [tree for tree, _ in self.nodes[kind]]

    def edges(self, relation: int) -> list[tuple[int, int, int]]:
        return [edge for hop in self.hops for edge in hop[relation]]

    def num_edges(self, relation: int) -> list[int]:
        return [len(hop[relation]) for hop in self.hops]


# ---- rows


def units(heads: Sequence[int], weights: Sequence[float | Fraction]) -> dict[int, Fraction]:
    """The unit of the biases of each row."""
    largest: dict[int, float | Fraction] = {}
    for head, weight in zip(heads, weights, strict=True):
        largest[head] = max(weight, largest.get(head, 0))
    return {head: Fraction(2) ** (exponent(weight) - 32) for head, weight in largest.items()}


def exponent(weight: float | Fraction) -> int:
    """The least e with weight < 2^e; 0 for 0."""
    if not isinstance(weight, Fraction):
        return frexp(weight)[1]
    e = weight.numerator.bit_length() - weight.denominator.bit_length()
    return e + (weight >= Fraction(2) ** e) if weight else 0


def biases(heads: Sequence[int], weights: Sequence[float | Fraction]) -> list[int]:
    """The integers into which the weights of edges are converted, in the order of the edges."""
    unit = units(heads, weights)
    nearest = [round(Fraction(w) / unit[head]) for head, w in zip(heads, weights, strict=True)]
    return [min(max(b, int(w > 0)), 2**32 - 1) for b, w in zip(nearest, weights, strict=True)]


def represented(heads: Sequence[int], weights: Sequence[float | Fraction]) -> list[Fraction]:
    """The weights that a graph keeps."""
    unit = units(heads, weights)
    return [b * unit[head] for head, b in zip(heads, biases(heads, weights), strict=True)]


def rows_of(
    count: int,
    heads: Sequence[int],
    ends: Sequence[int],
    weights: Sequence[float | Fraction] | None = None,
    times: Sequence[int] | None = None,
    end_times: Sequence[int] | None = None,
) -> list[Row]:
    """The rows of vertices 0 to count - 1: edge i is in row heads[i]."""
    own = [1] * len(heads) if weights is None else biases(heads, weights)
    rows: list[Row] = [[] for _ in range(count)]
    for i in sorted(range(len(heads)), key=lambda i: (ends[i], i)):
        time = times[i] if times is not None else end_times[ends[i]] if end_times is not None else None
        rows[heads[i]].append(Candidate(ends[i], i, own[i], time))
    return rows


# ---- selectors


def below(word: int, n: int) -> int:
    return word * n >> 64


def alias_table(biases: Sequence[int]) -> list[tuple[int, int]]:
    """For each slot its threshold and its alias."""
    n, full = len(biases), sum(biases)
    shares, table = [n * b for b in biases], [(2**32 - 1, i) for i in range(n)]
    receivers, givers = [i for i in range(n) if shares[i] < full], [i for i in range(n) if shares[i] >= full]
    while receivers and givers:
        i, giver = receivers.pop(0), givers[0]
        table[i] = ((shares[i] << 32) // full, giver)
        shares[giver] -= full - shares[i]
        if shares[giver] < full:
            receivers.append(givers.pop(0))
    return table


def alias(biases: Sequence[int]) -> Callable[[int], int]:
    """The candidate that Alias chooses by a word."""
    table = alias_table(biases)

    def pick(word: int) -> int:
        i, fraction = rng.below(word, len(table))
        threshold, other = table[i]
        return i if fraction < threshold else other

    return pick


def scan(biases: Sequence[int], word: int) -> int:
    left = word * sum(biases) >> 64
    for i, bias in enumerate(biases):
        if left < bias:
            return i
        left -= bias
    raise AssertionError("there is no bias")


def permute(count: int, n: int, word: Callable[[int], int]) -> list[int]:
    """count of n, by Floyd's algorithm P."""
    if n <= count:
        return list(range(n))
    picks: list[int] = []
    for i in range(count):
        top = n - count + i
        r = below(word(i), top + 1)
        if r in picks:
            picks.insert(picks.index(r), top)
        else:
            picks.append(r)
    return picks


def redrawn(
    count: int,
    biases: Sequence[int],
    pick: Callable[[int], int],
    word: Callable[[int], int],
    ineligible: set[int],
    replace: bool,
) -> list[int]:
    """count candidates: those that are ineligible or were picked before are redrawn; after 16 draws per pick, Scan over
    the biases that remain."""
    picks: list[int] = []
    left = [0 if i in ineligible else bias for i, bias in enumerate(biases)]
    draws = 0
    while len(picks) < count and sum(left):
        i = pick(word(draws)) if draws < 16 * count else scan(left, word(draws))
        draws += 1
        if left[i]:
            picks.append(i)
            left[i] = left[i] if replace else 0
    return picks


def by_labor(row: Row, fanout: int, rule: SamplingRule, weighted: bool, number: Callable[[int], int]) -> Row:
    """The edges that a vertex takes, in row order: the smallest ratios, or each below its share."""
    if rule.method == "labor-poisson":
        return [one for one in row if below(number(one.end), len(row)) < fanout]
    some = [i for i, one in enumerate(row) if one.bias or not weighted]
    order = sorted(some, key=lambda i: (Fraction(number(row[i].end), row[i].bias if weighted else 1), i))
    return [row[i] for i in sorted(order[:fanout])]


def chosen(
    row: Row,
    fanout: int,
    rule: SamplingRule,
    weighted: bool,
    excluded: set[int] | None,
    span: tuple[int, int] | None,
    word: Callable[[int], int],
    number: Callable[[int], int],
) -> Row:
    """The edges that a vertex takes in a relation, in their order.

    Args:
        weighted: whether choices are by weight.
        excluded: ids of edges to leave out; None: the call has none.
        span: the earliest and the latest time of edges, if times count.
    """
    out = excluded or set()
    timed = span is not None and bool(row) and row[0].time is not None
    whole_rows = weighted and not timed and rule.method == "neighbor" and fanout >= 0
    if not whole_rows:
        row = [one for one in row if one.id not in out]
    if timed:
        assert span is not None
        row = [one for one in row if one.time is not None and span[0] <= one.time <= span[1]]
        row.sort(key=lambda one: one.time or 0)
    some = [one for one in row if one.bias] if weighted else row
    if fanout < 0:
        return some
    if rule.method != "neighbor":
        return by_labor(row, fanout, rule, weighted, number)
    if timed and rule.temporal == "last":
        return some[max(len(some) - fanout, 0) :]
    if not weighted:
        if rule.replace:
            return [row[below(word(i), len(row))] for i in range(fanout)] if row else []
        return [row[i] for i in permute(fanout, len(row), word)]
    own = [one.bias for one in row]
    if not fanout or not any(own):
        return []
    pick = (lambda w: scan(own, w)) if timed else alias(own)
    ineligible = {i for i, one in enumerate(row) if one.id in out}
    if not rule.replace and len(row) - len(ineligible) <= fanout:
        return [one for i, one in enumerate(row) if one.bias and i not in ineligible]
    return [row[i] for i in redrawn(fanout, own, pick, word, ineligible, rule.replace)]


# ---- a batch


def neighborhood(
    relations: Sequence[Rows],
    fanouts: Sequence[Sequence[int]],
    seeds: Sequence[Sequence[int]],
    batch_seed: int,
    rule: SamplingRule,
    *,
    times: Sequence[Sequence[int]] | None = None,
    windows: Sequence[Sequence[int]] | None = None,
    excluded: Sequence[set[int]] | None = None,
) -> Neighborhood:
    """The neighbourhood of a batch.

    Args:
        fanouts: by hop, from the batch outwards, and relation.
        seeds: by type. A vertex that repeats has a local id each time; edges lead from its first one.
        times, windows: by type, of each seed node, if choices are temporal.
        excluded: by relation: ids of edges to leave out; None: nothing is.
    """
    nodes: list[list[tuple[int, int]]] = [[] for _ in seeds]
    place: list[dict[tuple[int, int], int]] = [{} for _ in seeds]
    spans: list[tuple[int, int]] = []
    tree = 0
    for kind, vertices in enumerate(seeds):
        for i, v in enumerate(vertices):
            place[kind].setdefault((tree, v), len(nodes[kind]))
            nodes[kind].append((tree, v))
            tree += rule.disjoint
            if times is not None:
                latest = times[kind][i]
                earliest = LOW if windows is None else max(latest - windows[kind][i], LOW)
                spans.append((earliest, latest))
    result = Neighborhood(nodes, [[len(of)] for of in nodes], [], [])
    begin = [0] * len(seeds)
    stream = rng.stream(batch_seed, rng.BATCHES)
    for h, numbers in enumerate(fanouts):
        known, hop, places = [len(of) for of in nodes], [], []
        for r, (rows, relation) in enumerate(zip((one.of for one in relations), relations, strict=True)):
            d, s, edges = relation.destination, relation.source, []
            shared = rng.word(rng.key(stream, s), 0 if rule.layer_dependency else h)
            for at in range(begin[d], known[d]):
                tree, v = nodes[d][at]
                key = rng.key(rng.word(rng.key(stream, r), h), tree if rule.disjoint else v)
                if rule.disjoint:
                    key = rng.key(rng.word(key, 0), v)
                taken = chosen(
                    rows[v],
                    numbers[r],
                    rule,
                    bool(rule.weighted) and relation.weighted,
                    None if excluded is None else excluded[r],
                    spans[tree] if times is not None else None,
                    lambda i, key=key: rng.word(key, i),
                    lambda end, shared=shared: rng.number(shared, end),
                )
                for one in taken:
                    node = tree, one.end
                    if node not in place[s]:
                        place[s][node] = len(nodes[s])
                        nodes[s].append(node)
                    edges.append((place[s][node], at, one.id))
            hop.append(edges)
            places.append((begin[d], known[d] - begin[d]))
        result.hops.append(hop)
        result.destinations.append(places)
        for kind, of in enumerate(nodes):
            result.num_nodes[kind].append(len(of) - known[kind])
        if rule.expand == "new":
            begin = known
    return result
