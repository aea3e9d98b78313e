"""Change: a random change of a graph, with the graph of the result built anew."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

import gonextdoor as gnd

Array = npt.NDArray[Any]


@dataclasses.dataclass
class Change:
    """A random change of a graph: the arguments of ``updated``, and the list of the edges of the result."""

    arguments: dict[str, Any]
    edges: dict[str, Array]  # src, dst and the attributes

    @classmethod
    def of(cls, graph: gnd.Graph, draws: np.random.Generator) -> Change:
        """Removes up to a twentieth of the edges, and those before a time, and adds as many, also at new vertices."""
        src = np.repeat(np.arange(graph.num_vertices), graph.degrees())
        edges: dict[str, Array] = {"src": src, "dst": graph.indices.astype(np.int64)}
        kinds = [name for name in ("weights", "labels", "times") if getattr(graph, name) is not None]
        edges |= {name: getattr(graph, name) for name in kinds}
        count, most = graph.num_edges // 20, graph.num_vertices + int(draws.integers(0, 3))
        places = draws.permutation(graph.num_edges)[: int(draws.integers(0, count))]
        size = int(draws.integers(0, count))
        add = {name: draws.integers(0, most, size) for name in ("src", "dst")}
        made = {
            "weights": draws.random(size) * 8,
            "labels": draws.integers(0, 3, size),
            "times": draws.integers(-50, 50, size),
        }
        add |= {name: made[name] for name in kinds}
        arguments: dict[str, Any] = {"add": (add["src"], add["dst"]), **{name: add[name] for name in kinds}}
        kept = np.ones(graph.num_edges, bool)
        if draws.random() < 0.5:
            arguments["remove"] = ids = np.unique(graph.edge_ids[places])
            kept = ~np.isin(graph.edge_ids, ids)
        else:  # the first of parallel edges
            pairs = np.stack([src[places], edges["dst"][places]], 1)
            arguments["remove"] = (pairs[:, 0], pairs[:, 1])
            for u, v in pairs:
                kept[np.flatnonzero(kept & (src == u) & (edges["dst"] == v))[0]] = False
        edges = {name: np.concatenate([values[kept], add[name]]) for name, values in edges.items()}
        if "times" in kinds and draws.random() < 0.3:
            arguments["window"] = since = -45
            edges = {name: values[edges["times"] >= since] for name, values in edges.items()}
        return cls(arguments, edges)

    def built(self, vertices: int) -> gnd.Graph:
        """The graph of the list, built anew."""
        return gnd.Graph.from_edges(**self.edges, num_vertices=vertices)  # type: ignore[arg-type]
