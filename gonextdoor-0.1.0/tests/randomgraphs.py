"""Random graphs for random programs: their edges as lists, as graphs of the package, and as rows of the reference."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
from neighborreference import Rows, represented, rows_of

import gonextdoor as gnd

INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
EXTREMES = [-(1 << 63), -(1 << 63) + 1, -1, 0, 1, (1 << 63) - 1]


def as_ints(draws: random.Random, values: list[int]) -> Any:
    """The values as an array of a random type that can hold them, contiguous or not; or as a list."""
    low, high = min(values, default=0), max(values, default=0)
    kinds = [kind for kind in INTS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max]
    if draws.random() < 0.1:
        return list(values)
    array = np.array(values, draws.choice(kinds))
    if draws.random() < 0.1:
        array = np.repeat(array, 2)[::2]
    return array


@dataclasses.dataclass
class Edges:
    """A relation as a user has it: edge i leads from src[i] to dst[i]."""

    name: tuple[str, str, str]
    sizes: tuple[int, int]  # the numbers of sources and of destinations
    src: list[int]
    dst: list[int]
    weights: list[float] | None = None
    times: list[int] | None = None

    @property
    def weighted(self) -> bool:
        return self.weights is not None

    def turned(self) -> Edges:
        """The reverse edges with the same ids."""
        return dataclasses.replace(self, sizes=self.sizes[::-1], src=self.dst, dst=self.src, name=self.name[::-1])


@dataclasses.dataclass
class World:
    """A graph: the number of vertices of each type, the relations, and the times of the vertices, if there are any."""

    counts: dict[str, int]
    relations: list[Edges]
    times: dict[str, list[int]]
    typed: bool

    @property
    def types(self) -> list[str]:
        return list(self.counts)

    @property
    def timed(self) -> bool:
        """Whether the edges of a relation have times, or their sources."""
        return any(edges.times is not None or edges.name[0] in self.times for edges in self.relations)

    def rows(self, direction: str = "into") -> list[Rows]:
        """The rows of the reference.

        Args:
            direction: "into": row v has the edges that lead to v; "from": those that leave v; "out" and "in": the same
                of a ``Graph`` whose rows are edges that leave. "in" reverses the weights that the graph keeps.
        """
        return [self._rows(edges, direction) for edges in self.relations]

    def _rows(self, edges: Edges, direction: str) -> Rows:
        heads, ends, weights = edges.dst, edges.src, edges.weights
        kinds = self.types.index(edges.name[2]), self.types.index(edges.name[0])
        if direction in ("from", "out"):
            heads, ends, kinds = ends, heads, kinds[::-1]
        kept: Any = weights
        if direction == "in" and weights is not None:
            kept = represented(edges.src, weights)
        count, other = (self.counts[self.types[kind]] for kind in kinds)
        end_times = self.times.get(self.types[kinds[1]])
        rows = rows_of(max(count, other), heads, ends, kept, edges.times, end_times)
        return Rows(rows, *kinds, edges.weighted)


def random_world(draws: random.Random, typed: bool, timed: bool | None = None) -> World:
    """A random graph: multi-edges, self-loops, hubs, vertices without edges, and no edges at all.

    Args:
        timed: whether vertices or edges have times; None: perhaps.
    """
    names = [f"t{i}" for i in range(draws.randint(1, 3) if typed else 1)]
    counts = {name: draws.choice([1, 2, 7, 20, 40, 90] if draws.random() < 0.95 else [0, 1]) for name in names}
    world = World(counts, [], {}, typed)
    style = draws.choice(["edges", "vertices", "both"]) if timed or (timed is None and draws.random() < 0.3) else ""
    if style in ("vertices", "both"):
        kinds = names if not typed or draws.random() < 0.7 else draws.sample(names, draws.randint(1, len(names)))
        world.times = {kind: random_times(draws, counts[kind]) for kind in names if kind in kinds}
    weighting = draws.random()
    for i in range(draws.randint(1, 4) if typed else 1):
        source, destination = draws.choice(names), draws.choice(names)
        edges = random_edges(draws, (source, f"r{i}", destination), (counts[source], counts[destination]))
        if weighting < 0.5 or (weighting < 0.6 and draws.random() < 0.5):
            edges.weights = random_weights(draws, len(edges.src))
        if style in ("edges", "both") and (style == "edges" or draws.random() < 0.5):
            edges.times = random_times(draws, len(edges.src))
        world.relations.append(edges)
    return world


def random_edges(draws: random.Random, name: tuple[str, str, str], sizes: tuple[int, int]) -> Edges:
    if not all(sizes):
        return Edges(name, sizes, [], [])
    count = draws.choice([0, 1, 5, 30, 150, 400])
    hub, near = draws.random() < 0.4, draws.random() < 0.3
    tops = [max(1, size * 3 // 4) if draws.random() < 0.3 else size for size in sizes]  # the others have no edges
    src = [draws.randrange(tops[0]) for _ in range(count)]
    dst = [draws.randrange(tops[1]) for _ in range(count)]
    for i in range(count):
        if hub and draws.random() < 0.5:
            dst[i] = tops[1] // 2
        if near and draws.random() < 0.3:
            src[i] = min(dst[i], tops[0] - 1)
        if i and near and draws.random() < 0.3:
            src[i], dst[i] = src[i - 1], dst[i - 1]
    return Edges(name, sizes, src, dst)


def random_weights(draws: random.Random, count: int) -> list[float]:
    style = draws.choice(["small", "small", "fractions", "wide", "equal", "zeros"])
    if style == "small":
        return [float(draws.randint(0, 4)) for _ in range(count)]
    if style == "fractions":
        return [draws.random() for _ in range(count)]
    if style == "wide":
        return [draws.choice([0.0, 1.0, 2.0**-40, 1e-30, 1e30, 3e9, 7.0]) for _ in range(count)]
    return [1.0 if style == "equal" else float(draws.random() < 0.2) for _ in range(count)]


def random_times(draws: random.Random, count: int) -> list[int]:
    if draws.random() < 0.1:
        return [draws.choice(EXTREMES) for _ in range(count)]
    low, high = draws.choice([(0, 3), (0, 50), (-1000, 1000)])
    return [draws.randint(low, high) for _ in range(count)]


def weights_as_given(draws: random.Random, weights: list[float] | None) -> Any:
    if weights is None:
        return None
    kinds = [np.float64]
    if all(w == np.float32(w) for w in weights):
        kinds.append(np.float32)
    if all(w.is_integer() and w < 2**31 for w in weights):
        kinds += [np.int64, np.uint8] if max(weights, default=0) < 256 else [np.int64]
    return np.array(weights, draws.choice(kinds))


def as_graph(draws: random.Random, edges: Edges, *, into: bool, vertices: int) -> gnd.Graph:
    """The graph of a relation, whose rows have the edges that lead to a vertex, or those that leave it."""
    heads, ends = (edges.dst, edges.src) if into else (edges.src, edges.dst)
    weights = weights_as_given(draws, edges.weights)
    times = None if edges.times is None else as_ints(draws, edges.times)
    if isinstance(times, np.ndarray) and times.dtype == np.uint64:
        times = times.astype(np.int64)
    given: Any = as_ints(draws, heads), as_ints(draws, ends)
    return gnd.Graph.from_edges(*given, weights=weights, times=times, num_vertices=vertices)


def as_hetero(draws: random.Random, world: World) -> gnd.HeteroGraph:
    relations = {edges.name: as_graph(draws, edges, into=True, vertices=max(edges.sizes)) for edges in world.relations}
    times = {kind: np.array(values, np.int64) for kind, values in world.times.items()}
    return gnd.HeteroGraph(relations, world.counts, times=times or None)
