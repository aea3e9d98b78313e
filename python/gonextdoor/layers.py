"""The parts of layered samples: steps of different sizes, and recorded edges."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import scipy.sparse

__all__ = ["Adjacency", "Layers", "Subgraph"]

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Layers:
    """What samples know beside their vertices, as the core lends it. Places count from a sample's first vertex.

    ``parents`` lies beside the vertices. Sample i has the step ends ``ends[ends_from[i]:ends_from[i + 1]]``, that of
    its roots first, and the links ``links_from[i]:links_from[i + 1]`` of the arrays behind it; None: there are none.
    """

    parents: Array
    ends_from: Array
    ends: Array
    links_from: Array | None = None
    sources: Array | None = None
    targets: Array | None = None
    link_edges: Array | None = None
    values: Array | None = None

    def count(self) -> int:
        """The steps of the sample that has the most."""
        return int(np.diff(self.ends_from).max(initial=1)) - 1

    def bounds(self, level: int) -> tuple[Array, Array]:
        """Where a level begins and ends in each sample: 0 is the roots', 1 the first step's. Both are the sample's end
        where it has no such level."""
        last = np.diff(self.ends_from) - 1
        stop = self.ends[self.ends_from[:-1] + np.minimum(level, last)]
        start = self.ends[self.ends_from[:-1] + np.minimum(level - 1, last)] if level else np.zeros_like(stop)
        return start.astype(np.int64), stop.astype(np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class Adjacency:
    """The recorded edges from the vertices of one step to those of the next, of all samples.

    Sample i has the entries ``offsets[i]:offsets[i + 1]`` of the arrays. ``rows`` are places in the step before (or
    among the roots), ``columns`` in the step itself, as ``samples.steps`` has them; ``values`` are the app's weights;
    ``edge_ids`` is -1 where the graph has no such edge. ``shapes`` (n, 2) has the size of each sample's matrix.
    """

    offsets: Array
    rows: Array
    columns: Array
    values: Array
    edge_ids: Array
    shapes: Array

    def scipy(self, sample: int = 0) -> scipy.sparse.csr_array:
        """The matrix of one sample, (vertices of the step before, vertices of the step)."""
        import scipy.sparse

        part = slice(int(self.offsets[sample]), int(self.offsets[sample + 1]))
        where = (self.rows[part], self.columns[part])
        shape = tuple(self.shapes[sample].tolist())
        return scipy.sparse.coo_array((self.values[part], where), shape=shape).tocsr()

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclasses.dataclass(frozen=True, eq=False)
class Subgraph:
    """The subgraph that a sample's vertices induce: edge k leads from ``nodes[src[k]]`` to ``nodes[dst[k]]``."""

    nodes: Array
    src: Array
    dst: Array
    edge_ids: Array
    values: Array
