"""What hooks see, in plain Python: the graph, the user's arrays, and the sample as far as it has grown."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle_numbers import (
    F64,
    FAILED,
    I64,
    MASK,
    NO_EDGE,
    NO_VERTEX,
    OUT_OF_ARRAY,
    OVERFLOW,
    USER_WORDS,
    Edge,
    faults,
    number,
    wrapped,
)

import gonextdoor as gnd

if TYPE_CHECKING:
    from oracle import Sampled


class View:
    """An array of the user's."""

    def __init__(self, array: np.ndarray, graph: Rows) -> None:
        self.array, self.graph = array, graph

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, i: Any) -> Any:
        i = int(self.graph.edge_id(i)) if isinstance(i, Edge) else int(i)
        if not 0 <= i < len(self.array):
            faults.append(OUT_OF_ARRAY)
            i = None
        kind = F64 if self.array.dtype.kind == "f" else I64
        return kind(0 if i is None else self.array[i].item())


class TableView(View):
    """A table of the user's."""

    def __init__(self, table: gnd.Table, graph: Rows) -> None:
        super().__init__(table.values, graph)
        self.table = table

    def __call__(self, x: Any) -> F64:
        if x != x:
            faults.append(OVERFLOW)
            return F64(self.table.values[0])
        return F64(self.table(float(x)))


class Rows:
    """The graph: rows, and the attributes of each edge by its position."""

    def __init__(self, graph: gnd.Graph, weights: Any = None, labels: Any = None) -> None:
        self.indptr, self.indices = graph.indptr.tolist(), graph.indices.tolist()
        self.ids = graph.edge_ids.tolist()
        self.weights = None if weights is None else [float(weights[i]) for i in self.ids]
        self.labels = None if labels is None else [int(labels[i]) for i in self.ids]
        self.n = graph.num_vertices

    def row(self, v: int) -> range:
        return range(self.indptr[v], self.indptr[v + 1])

    def is_vertex(self, v: int) -> bool:
        if not 0 <= v < self.n:
            faults.append(NO_VERTEX)
        return 0 <= v < self.n

    def at(self, edge: Edge, table: list[Any] | None, default: Any, zero: Any) -> Any:
        if not 0 <= edge.position < len(self.indices):
            faults.append(NO_EDGE)
            return zero
        return default if table is None else table[edge.position]

    def edge_id(self, edge: Edge) -> int:
        return self.at(edge, self.ids, 0, 0)


@dataclasses.dataclass(frozen=True)
class Spec:
    """An app, as plain data and functions."""

    hooks: dict[str, Any]
    steps: int = 0  # 0: until no transit is left
    sample_size: Any = 1
    replace: bool = False
    unique: Any = False
    scope: str = "individual"
    params: dict[str, Any] = dataclasses.field(default_factory=dict)
    arrays: dict[str, Any] = dataclasses.field(default_factory=dict)
    strict: bool = False
    floats: tuple[str, ...] = ()  # the hooks that return floats, on one path at least

    def app(self, **other: Any) -> gnd.App:
        """The app. Its bound is the hook's, if there is one; it is inferred only with ``bound="auto"``."""
        rest = {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if f.name not in ("hooks", "steps", "floats")
        }
        plain = {"bound": None, "weighted": False}
        return gnd.App(**{**plain, **rest, **self.hooks, **other}, steps=self.steps or gnd.INF)

    def fanout(self, step: int) -> int:
        size = self.sample_size
        if isinstance(size, str):
            return -1
        return size if isinstance(size, int) else size[min(step, len(size) - 1)]

    def single(self) -> bool:
        ones = self.sample_size == 1 or (isinstance(self.sample_size, list) and set(self.sample_size) == {1})
        return self.scope == "individual" and not self.unique and "sample_size" not in self.hooks and ones


@dataclasses.dataclass
class Transit:
    vertex: int
    prev: int
    edge: int = -1  # by which it was reached, or -1


class Ctx:
    """What hooks see."""

    def __init__(self, sampled: Sampled, step: int, transit: Transit, key: int, words: int) -> None:
        self._s, self._key, self._words = sampled, key, words
        self.step, self.sample = I64(step), wrapped(sampled.id)
        self.transit, self.prev, self.slot = I64(transit.vertex), I64(transit.prev), I64(0)
        self.prev_edge = Edge(transit.edge)
        self.num_vertices, self.num_edges = I64(sampled.g.n), I64(len(sampled.g.indices))
        for name, value in sampled.spec.params.items():
            setattr(self, name, number(value))
        for name, array in sampled.spec.arrays.items():
            setattr(self, name, (TableView if isinstance(array, gnd.Table) else View)(array, sampled.g))

    def of(self, transit: Transit) -> Ctx:
        found = Ctx(self._s, int(self.step), transit, self._key, self._words)
        found.slot = self.slot
        return found

    def picking(self, j: int) -> Ctx:
        found = self.of(Transit(int(self.transit), int(self.prev), self.prev_edge.position))
        found.slot, found._words = I64(j), self._words + j * USER_WORDS
        return found

    @property
    def size(self) -> I64:
        return I64(self._s.ends[int(self.step)] - self._s.roots)

    def _level(self, i: int) -> list[int]:
        level = int(self.step) + 1 - int(i)
        if i < 1 or level < 0:
            return []
        first = self._s.ends[level - 1] if level else 0
        return self._s.vertices[first : self._s.ends[level]]

    def count(self, i: int) -> I64:
        return I64(len(self._level(i)))

    def _of(self, vertices: Sequence[int], i: int) -> I64:
        if 0 <= i < len(vertices):
            return I64(vertices[int(i)])
        faults.append(OUT_OF_ARRAY)
        return I64(0)

    def previous(self, i: int, place: int) -> I64:
        return self._of(self._level(i), place)

    def root(self, i: int) -> I64:
        return self._of(self._s.vertices[: self._s.roots], i)

    def word(self, i: int) -> I64:
        return wrapped(gnd.rng.word(self._key, self._words + (int(i) & (USER_WORDS - 1))))

    def chance(self, i: int) -> I64:
        return I64((int(self.word(i)) & MASK) >> 32)

    def below(self, i: int, n: int) -> I64:
        return wrapped((int(self.word(i)) & MASK) * (int(n) & MASK) >> 64)

    def fail(self) -> None:
        faults.append(FAILED)

    def degree(self, v: int) -> I64:
        return I64(len(self._s.g.row(int(v))) if self._s.g.is_vertex(v) else 0)

    def edge(self, v: int, i: int) -> Edge:
        if not self._s.g.is_vertex(v):
            return Edge(-1)
        row = self._s.g.row(int(v))
        if not 0 <= i < len(row):
            faults.append(NO_EDGE)
            return Edge(-1)
        return Edge(row[int(i)])

    def neighbor(self, v: int, i: int) -> I64:
        edge = self.edge(v, i)
        return I64(0 if edge.position < 0 else self._s.g.indices[edge.position])

    def edge_id(self, edge: Edge) -> I64:
        return I64(self._s.g.edge_id(edge))

    def weight(self, edge: Edge) -> F64:
        return F64(self._s.g.at(edge, self._s.g.weights, 1.0, 0.0))

    def label(self, edge: Edge) -> I64:
        return I64(self._s.g.at(edge, self._s.g.labels, 0, 0))

    def _weights(self, v: int) -> list[float]:
        return [float(self.weight(Edge(e))) for e in self._s.g.row(int(v))]

    def max_weight(self, v: int) -> F64:
        if not self._s.g.is_vertex(v):
            return F64(0.0)
        return F64(max(self._weights(v), default=0.0) if self._s.g.weights is not None else 1.0)

    def prefix_weight(self, v: int, i: int) -> F64:
        if not self._s.g.is_vertex(v):
            return F64(0.0)
        weights, total = self._weights(v), 0.0
        if not 0 <= i <= len(weights):
            faults.append(NO_EDGE)
            return F64(0.0)
        for w in weights[: int(i)]:
            total += w
        return F64(total)

    def has_edge(self, u: int, v: int) -> bool:
        g = self._s.g
        if not (0 <= u < g.n and 0 <= v < g.n):
            faults.append(NO_VERTEX)
            return False
        return int(v) in [g.indices[e] for e in g.row(int(u))]
