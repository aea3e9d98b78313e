"""Layered samples by a slow definition, and the same as the core returns them."""

from __future__ import annotations

import dataclasses
from typing import Any

import corpus
import numpy as np
from gonextdoor.samples.host import HostResult
from gonextdoor.samples.layers import Layers

import gonextdoor as gnd

GRAPH = corpus.graph()


@dataclasses.dataclass(frozen=True)
class LayeredApp(gnd.apps.SamplingApp):
    """Stands for an app whose samples are layered."""

    roots: int = 1

    def layered(self, roots: int = 1) -> bool:
        return True


@dataclasses.dataclass
class Slow:
    """One sample as lists: the vertices of each level, the parents of all, links as (source, target, id, value)."""

    levels: list[list[int]]
    parents: list[int]
    links: list[tuple[int, int, int, float]]

    @property
    def vertices(self) -> list[int]:
        return [v for level in self.levels for v in level]


def slow(random: np.random.Generator, roots: int, graph: gnd.Graph) -> Slow:
    """A sample with steps of sizes 0 to 4, of which there are 0 to 3."""
    sizes = [roots, *random.integers(0, 5, random.integers(0, 4)).tolist()]
    levels = [random.integers(0, graph.num_vertices, size).tolist() for size in sizes]
    total, parents = sum(sizes), [-1] * roots
    parents += [int(random.integers(-1, k)) for k in range(roots, total)]
    count = int(random.integers(0, 6)) if total else 0
    ends = random.integers(0, max(1, total), (count, 2)).tolist()
    return Slow(levels, parents, [(a, b, int(random.integers(-1, 9)), float(random.random())) for a, b in ends])


def fast(rows: list[Slow], roots: int, graph: gnd.Graph, *, records: bool = True, dtype: Any = np.int32) -> gnd.Samples:
    """The same as the core would lend it."""

    def offsets(counts: list[int]) -> Any:
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def column(k: int, kind: Any) -> Any:
        return np.array([link[k] for row in rows for link in row.links], kind)

    ends = [np.cumsum([len(level) for level in row.levels]).tolist() for row in rows]
    links = (offsets([len(row.links) for row in rows]), column(0, np.int32), column(1, np.int32), column(2, np.int64))
    layers = Layers(
        np.array([p for row in rows for p in row.parents], np.int32),
        offsets([len(e) for e in ends]),
        np.array([e for part in ends for e in part], np.int32),
        *((*links, column(3, np.float64)) if records else ()),
    )
    values = np.array([v for row in rows for v in row.vertices], dtype)
    edges = np.array([-1 if k < roots else 5 + v for row in rows for k, v in enumerate(row.vertices)], np.int64)
    return gnd.Samples(
        graph, LayeredApp(roots), HostResult(values, offsets([len(row.vertices) for row in rows]), edges, layers, 0.5),
        roots=roots, seed=7, first_id=3, device="cpu", dtype=np.dtype(dtype),
    )  # fmt: skip
