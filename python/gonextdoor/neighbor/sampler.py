"""NeighborSampler: samples the multi-hop neighbourhoods of batches, on homogeneous and heterogeneous graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core.binding import advised
from .._core.checks import check_int, checked_flag
from .._core.dates import duration, from_dates, moment, whole_times
from .._core.log import logger
from ..apps.parameters import Weighted, checked_weighted
from ..device.devices import Device, among, listed, named
from ..device.interop import fetched, lying
from ..graph.direction import Direction, checked_direction, facing
from ..graph.graph import Graph
from ..graph.hetero import HeldHetero, HeteroGraph, RelationType, held
from ..graph.names import no_vertex, told_apart
from .batch import NeighborBatch
from .fanouts import Fanouts, by_relation
from .flat import edge_ids, flat_parts, is_flat
from .method import Method, checked_method
from .sampling import NeighborSampling

__all__ = ["NeighborSampler"]

Array = npt.NDArray[Any]
SeedNodes = npt.ArrayLike | Mapping[str, npt.ArrayLike]


@advised
class NeighborSampler:
    """Samples the multi-hop neighbourhoods of batches of vertices.

    A batch depends on its random seed and its seed nodes alone. The edges that a vertex takes depend on the random
    seed, the relation, the hop, the vertex, and its tree if trees are disjoint; by LABOR on the random seed, the hop
    and the vertices at the other ends. The documentation of reproducibility has the formulas.

    Args:
        graph: neighbours are found along the out-edges of a ``Graph`` (see ``direction``), and along the rows of a
            ``HeteroGraph``'s relations.
        fanouts: edges that each vertex takes, hop by hop from the batch outwards: one number for all relations, or a
            dict of one for each. -1: all edges; 0: none.
        replace: whether a vertex may take one edge several times in a hop (default False).
        weighted: ``False`` (default) chooses edges uniformly at random; ``True`` in proportion to their weights;
            ``"auto"`` by weights in those relations that have them.
        expand: "new" (default): a hop expands the nodes that the previous hop discovered (PyG); "all": all nodes
            discovered so far (DGL).
        disjoint: whether each vertex of the batch is the root of a separate tree, which shares no node with others
            (default False). Otherwise the vertices of a batch must be different.
        temporal: "uniform" or "last": take only edges whose time, or else that of their source, is not after that of
            the tree's root; "uniform" takes any of them, or in proportion to their weights, "last" the latest. None
            (default): edges of any time. Relations without times take any edges.
        layout: "coo" (default): edges as pairs, relation by relation; "csc": by hop and destination. See
            ``NeighborBatch.split``.
        device: "cpu" (default), or the GPU on which the batches are drawn and stay: "cuda", "cuda:1"; a list of GPUs,
            which draw batches in turn; "auto": the device of the seed nodes.
        times: (num_vertices,) ints: times of the vertices of a ``Graph``.
        direction: of a ``Graph``, "out" (default): vertices take their out-edges; "in": their in-edges, as PyG and DGL
            do. "in" builds the reversed graph once, which is kept with the graph and needs as much memory. For a
            ``HeteroGraph``, ``edge_dir`` decides this when it is made.
        method: how vertices choose among their edges. "neighbor" (default): independently of one another. "labor": by
            random numbers of the end points that all vertices of a hop share, so that a batch has fewer vertices
            (LABOR-0 by sequential Poisson sampling). "labor-poisson": LABOR-0 by Poisson sampling, in which a fan-out
            is the expected number of edges. LABOR does not support ``replace``, ``disjoint`` and ``temporal``, and
            Poisson sampling no weights.
        layer_dependency: with LABOR, whether all hops share the random numbers too, for even fewer vertices (default
            False).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or contradicts another, or the graph lacks the weights or times that it
            needs.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> sampler = gnd.NeighborSampler(graph, [3, 2], direction="in")
        >>> batch = sampler.sample([3, 7], batch_seed=1)
        >>> batch.num_nodes, batch.num_edges  # of the seed nodes and of each hop
        ([[2, 6, 11]], [[6, 12]])
    """

    def __init__(
        self,
        graph: Graph | HeteroGraph,
        fanouts: Fanouts,
        *,
        replace: bool = False,
        weighted: Weighted = False,
        expand: Literal["new", "all"] = "new",
        disjoint: bool = False,
        temporal: Literal["uniform", "last"] | None = None,
        layout: Literal["coo", "csc"] = "coo",
        device: Device = "cpu",
        times: npt.ArrayLike | None = None,
        direction: Direction = "out",
        method: Method = "neighbor",
        layer_dependency: bool = False,
    ) -> None:
        self.graph = graph
        self.direction = checked_direction(direction)
        self._held = self._facing(times)
        self._on = among(device)
        self.device = named(self._on)
        self._name()
        choice("expand", expand, "new", "all")
        choice("layout", layout, "coo", "csc")
        if temporal is not None:
            choice("temporal", temporal, "uniform", "last")
        self._handle = self._sampling(
            by_relation(fanouts, self.relations),
            replace=checked_flag("replace", replace),
            weighted=checked_weighted(weighted),
            expand=expand,
            disjoint=checked_flag("disjoint", disjoint),
            temporal=temporal or "",
            layout=layout,
            **checked_method(method, layer_dependency),
        )
        self._given = {"times": times} if times is not None else {}
        self._unit = self._unit_of(times)
        self._refuse_missing()
        logger.debug("NeighborSampler on %s: %s-edges, %s", self.device, self.direction, self._handle.parameters)

    def _sampling(self, fanouts: list[list[int]], **parameters: Any) -> NeighborSampling:
        """The parameters in the core."""
        return NeighborSampling(fanouts, **parameters)

    def _facing(self, times: npt.ArrayLike | None) -> HeldHetero:
        """The graph in the core whose rows list the edges to sample."""
        graph = self.graph
        if self.direction == "in" and isinstance(graph, HeteroGraph):
            raise ValueError(
                'direction = "in": the rows of a HeteroGraph list the edges to sample; reverse its relations, or make '
                'it by Graph.from_pyg or from_dgl with edge_dir="in"'
            )
        return held(facing(graph, self.direction) if isinstance(graph, Graph) else graph, times)

    def _name(self) -> None:
        """Sets the names of types and relations; None if there is only one."""
        graph = self.graph
        self.types: list[str] | None = list(graph.num_vertices) if isinstance(graph, HeteroGraph) else None
        self.relations: list[RelationType] | None = list(graph.relations) if isinstance(graph, HeteroGraph) else None

    def _refuse_missing(self) -> None:
        """Refuses choices by weights or times that the graph has not."""
        graph, chosen = self.graph, self._handle.parameters
        parts = {"the graph": graph} if isinstance(graph, Graph) else {repr(r): g for r, g in graph.relations.items()}
        for name, part in parts.items():
            if chosen["weighted"] is True and not part.weighted:
                raise ValueError(f"weighted = True: {name} has no weights")
        of_vertices = graph.times if isinstance(graph, HeteroGraph) else self._given.get("times")
        if chosen["temporal"] and of_vertices is None and all(part.times is None for part in parts.values()):
            raise ValueError(
                f"temporal = {chosen['temporal']!r}: the graph has no times, neither of edges nor of vertices"
            )

    @property
    def gpus(self) -> tuple[int, ...]:
        """The numbers of the GPUs that draw; empty: the CPU draws, or the device of the seed nodes."""
        return self._on or ()

    @property
    def disjoint(self) -> bool:
        """Whether each vertex of a batch is the root of a separate tree."""
        return bool(self._handle.parameters["disjoint"])

    def sample(
        self,
        seed_nodes: SeedNodes,
        batch_seed: SupportsIndex,
        *,
        times: npt.ArrayLike | Mapping[str, npt.ArrayLike] | None = None,
        time_window: npt.ArrayLike | Mapping[str, npt.ArrayLike] | None = None,
        exclude: npt.ArrayLike | Mapping[RelationType, npt.ArrayLike] | None = None,
        threads: int = 1,
    ) -> NeighborBatch:
        """Samples the neighbourhood of a batch.

        Args:
            seed_nodes: (n,) vertices, numbers or names as text; of a ``HeteroGraph``, a dict of numbers by type.
            batch_seed: the random seed of this batch, from 0 to 2^64 - 1.
            times: (n,) ints or dates, if choices are temporal: the time of each seed node, or a dict of them by type.
                None (default): the times of the vertices.
            time_window: how long before the time of its root an edge of a tree may be, at least 0: an int, (n,) ints of
                the seed nodes, or a dict of either by type; a ``timedelta`` if the graph has a ``time_unit``. An edge
                at the begin of the window is taken. None (default): any time before. For edges strictly before a time,
                pass times and windows that are less by 1.
            exclude: (m,) ids of edges to leave out; of a ``HeteroGraph``, a dict of them by relation. None (default):
                none.
            threads: the number of CPU threads (default 1); the result does not depend on it.

        Returns:
            The batch.

        Raises:
            IndexError: a vertex or an edge is not in the graph.
            TypeError: an argument is of the wrong type.
            ValueError: an argument is out of range, or a vertex is repeated in a batch whose trees are not disjoint.
        """
        if times is None and time_window is None and exclude is None:
            return self.sample_many([seed_nodes], [batch_seed], threads=threads)[0]
        return self.sample_many(
            [seed_nodes], [batch_seed], times=[times], time_window=[time_window], exclude=[exclude], threads=threads
        )[0]

    def sample_many(
        self,
        seed_nodes: Sequence[SeedNodes],
        batch_seeds: Sequence[SupportsIndex],
        *,
        times: Sequence[Any] | None = None,
        time_window: Sequence[Any] | None = None,
        exclude: Sequence[Any] | None = None,
        threads: int = 0,
    ) -> list[NeighborBatch]:
        """Samples the neighbourhoods of several batches at once, each as ``sample`` returns it.

        On GPUs, several batches are returned when their work has been submitted. The next call, or the first use of a
        batch, waits until their sizes are known. An error of the GPU is raised by that use.

        Args:
            seed_nodes: the batches.
            batch_seeds: the random seed of each batch.
            times: for each batch, the times of its seed nodes; None (default): the times of the vertices.
            time_window: for each batch, its windows, as for ``sample``; None (default): any time before.
            exclude: for each batch, the ids of edges to leave out, or None; None (default): none.
            threads: the number of CPU threads; 0 (default): all cores. The result does not depend on it.

        Returns:
            One batch per seed.

        Raises:
            IndexError: a vertex or an edge is not in the graph; the text names the batch.
            TypeError: an argument is of the wrong type.
            ValueError: an argument is out of range or of the wrong length.

        Examples:
            >>> sampler = gnd.NeighborSampler(gnd.rmat(8, seed=1), [3, 2])
            >>> sampler.sample_many([[3, 7], [0, 1]], batch_seeds=[1, 2])
            [NeighborBatch(19 nodes, 18 edges), NeighborBatch(19 nodes, 18 edges)]
        """
        if len(batch_seeds) != len(seed_nodes):
            raise ValueError(f"batch_seeds has {len(batch_seeds)} elements: expected {len(seed_nodes)}, one per batch")
        graph = self.graph if isinstance(self.graph, Graph) else None
        if graph is not None and not graph._numbers_meant:
            for given in seed_nodes:
                told_apart(graph, "seed_nodes", given)
        plain = times is None and time_window is None and exclude is None
        if len(seed_nodes) == 1 and self._on is not None and self.types is None and plain:
            nodes, batch_seed = seed_nodes[0], batch_seeds[0]
            if is_flat(nodes) and type(batch_seed) is int and 0 <= batch_seed < 1 << 64:
                if type(threads) is not int or not 0 <= threads <= 1 << 16:
                    threads = check_int("threads", threads, 0, 1 << 16)
                try:
                    return [self._handle.sample_one(self._held, nodes, batch_seed, threads, self._on)]
                except IndexError as error:
                    raise error if graph is None else no_vertex(graph, error) from None
        for name, parts in (("times", times), ("time_window", time_window), ("exclude", exclude)):
            if parts is not None and len(parts) != len(seed_nodes):
                raise ValueError(f"{name} has {len(parts)} elements: expected {len(seed_nodes)}, one per batch")
        on = self._on
        if on is None:
            on = lying(
                part for given in seed_nodes for part in (given.values() if isinstance(given, Mapping) else [given])
            )
        batches = [
            [("seed_nodes", given)]
            if self.types is None and is_flat(given)
            else flat_parts("seed_nodes", self._here(given, on), self.types, graph)
            for given in seed_nodes
        ]
        moments = windows = excluded = None
        if times is not None and any(given is not None for given in times):
            moments = [self._times("times", i, given) for i, given in enumerate(times)]
        if time_window is not None and any(given is not None for given in time_window):
            sizes = [[array.size for _, array in batch] for batch in batches]
            windows = [self._windows(i, given, sizes[i]) for i, given in enumerate(time_window)]
        if exclude is not None and any(given is not None for given in exclude):
            excluded = [[edge_ids(*part) for part in flat_parts("exclude", given, self.relations)] for given in exclude]
        try:
            return self._handle.sample(
                self._held,
                [[array for _, array in batch] for batch in batches],
                [check_int("batch_seed", seed, 0, (1 << 64) - 1) for seed in batch_seeds],
                moments,
                excluded,
                check_int("threads", threads, 0, 1 << 16),
                on,
                windows,
            )
        except IndexError as error:
            raise error if graph is None else no_vertex(graph, error) from None

    draw, draw_many = sample, sample_many  # other names

    def _here(self, given: Any, on: tuple[int, ...]) -> Any:
        """Seed nodes as arrays in this machine's memory; those on a GPU are checked there."""
        graph = self._held.widest.number
        if isinstance(given, Mapping):
            return {key: fetched(f"seed_nodes[{key!r}]", values, graph, on) for key, values in given.items()}
        return fetched("seed_nodes", given, graph, on)

    def _times(self, name: str, batch: int, given: Any) -> list[Array]:
        if given is None:
            raise ValueError(f"{name}[{batch}] is None: expected one for every batch, or for none")
        given = self._in_units(moment, name, given)
        return [whole_times(*part) for part in flat_parts(name, given, self.types)]

    def _unit_of(self, times: npt.ArrayLike | None) -> str | None:
        """The unit of times, from those of the vertices of a graph whose edges have none."""
        dates = None if times is None or self.graph.times is not None else from_dates("times", times)
        return self.graph.time_unit if dates is None else dates[1]

    def _in_units(self, convert: Callable[[str, Any, str | None], Any], name: str, given: Any) -> Any:
        """Dates or lengths of time, also by type, as integers of the graph's unit of times."""
        if isinstance(given, Mapping):
            return {kind: convert(f"{name}[{kind!r}]", values, self._unit) for kind, values in given.items()}
        return convert(name, given, self._unit)

    def _windows(self, batch: int, given: Any, sizes: list[int]) -> list[Array]:
        """The windows of the seed nodes of a batch, by type."""
        given = self._in_units(duration, "time_window", given)
        if isinstance(given, SupportsIndex) and not isinstance(given, np.ndarray):
            window = check_int("time_window", given, 0, (1 << 63) - 1)
            return [np.full(size, window, np.int64) for size in sizes]
        if isinstance(given, Mapping) and self.types is not None:
            given = {**given}
            for kind, size in zip(self.types, sizes, strict=True):
                value = given.get(kind)
                if isinstance(value, SupportsIndex) and not isinstance(value, np.ndarray):
                    given[kind] = np.full(size, check_int(f"time_window[{kind!r}]", value, 0, (1 << 63) - 1), np.int64)
        return self._times("time_window", batch, given)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "graph": self.graph,
            "parameters": self._handle.parameters,
            "given": self._given,
            "device": self.device,
            "direction": self.direction,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        parameters = dict(state["parameters"])
        fanouts = parameters.pop("fanouts")
        self.graph, self.device, self._given = state["graph"], state["device"], state["given"]
        self.direction = state["direction"]
        self._on = among(listed(self.device))
        self._unit = self._unit_of(self._given.get("times"))
        self._name()
        self._held, self._handle = self._facing(self._given.get("times")), self._sampling(fanouts, **parameters)

    def __repr__(self) -> str:
        shown = {**self._handle.parameters, "direction": self.direction}
        options = ", ".join(f"{name}={value!r}" for name, value in shown.items())
        return f"NeighborSampler({options})"


def choice(name: str, value: Any, *expected: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} = {value!r}: expected {' or '.join(map(repr, expected))}")
    if value not in expected:
        raise ValueError(f"{name} = {value!r}: expected {' or '.join(map(repr, expected))}")
