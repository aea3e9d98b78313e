"""SampleArrays: the arrays of samples, in host memory or on GPUs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import memory, native
from ..apps import SamplingApp
from ..graph.graph import Graph
from ..graph.nametable import NameTable
from .device import DeviceResult
from .host import HostResult
from .layers import Adjacency, Layers, Subgraph, place
from .sharded import ShardedResult

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["SampleArrays", "Saved"]

Array = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Saved:
    """The facts that samples from a file have about their graph.

    Attributes:
        vertices: its number of vertices.
        edges: its number of edges.
        selector: the selector of the choices.
        names: its vertices' names; None if they are their numbers.
    """

    vertices: int
    edges: int
    selector: str
    names: NameTable | None


class SampleArrays:
    """The base of ``Samples``: the arrays of the result, and what they were drawn from."""

    __slots__ = (
        "_asked", "_dtype", "_graph", "_lengths", "_matrix", "_result", "_roots", "_saved", "_visits", "app",
        "device", "first_id", "seed",
    )  # fmt: skip

    def __init__(
        self,
        graph: Graph | None,
        app: SamplingApp,
        result: HostResult | DeviceResult | ShardedResult,
        *,
        roots: int,
        seed: int,
        first_id: int,
        device: str,
        dtype: np.dtype[Any],
        saved: Saved | None = None,
        asked: tuple[str, int] | None = None,
    ) -> None:
        self._graph, self._saved, self.app, self.seed, self.first_id, self.device = (
            graph,
            saved,
            app,
            seed,
            first_id,
            device,
        )
        self._result, self._roots, self._dtype = result, roots, dtype
        self._asked = asked  # what the roots of the call were, see Call.asked, and the samples of each; None: unknown
        self._matrix: Array | None = None
        self._lengths: Array | None = None
        self._visits: Array | None = None  # the visit counts, once they were asked for

    @property
    def graph(self) -> Graph:
        """The graph that was sampled.

        Raises:
            ValueError: the samples were loaded from a file without ``graph=``.
        """
        if self._graph is None:
            raise ValueError("these samples were loaded without their graph: call Samples.load(path, graph=graph)")
        return self._graph

    def numpy(self) -> Array:
        """Returns all samples: (n, width), int32 or int64, the roots first, then each step's vertices; -1 if there is
        none.

        No copy is made on the CPU. Samples that differ in length are padded to the longest at the first call; samples
        on a GPU are copied to the host at the first call.
        """
        if self._matrix is None:
            if self._result.ragged:
                width = int(self.lengths.max(initial=self._roots))
                self._matrix = self._padded(self._result.values, 0, width, self._dtype)
            else:
                self._matrix = self._result.values
        return self._matrix

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        whole = self.numpy()
        if dtype is not None and whole.dtype != dtype:
            if copy is False:
                raise ValueError(f"dtype = {np.dtype(dtype)}: the samples are {whole.dtype}, which takes a copy")
            return whole.astype(dtype)
        return whole.copy() if copy else whole

    def _with(self, result: HostResult | DeviceResult, device: str, first_id: int) -> Self:
        """Samples of the same call with another result."""
        return type(self)(
            self._graph, self.app, result, roots=self._roots, seed=self.seed, first_id=first_id, device=device,
            dtype=self._dtype, saved=self._saved, asked=self._asked if first_id == self.first_id else None,
        )  # fmt: skip

    @property
    def lengths(self) -> Array:
        """The number of vertices in each sample, roots included: (n,) int64."""
        if self._lengths is None:
            self._lengths = self._result.lengths()
        return self._lengths

    @property
    def roots(self) -> Array:
        """The roots of each sample: (n, r); r is 0 for apps that choose their own vertices."""
        there = None if isinstance(self._result, HostResult) else self._result.roots()
        if there is not None:
            return there
        values, offsets = self._result.values, self._result.offsets
        return values[:, : self._roots] if offsets is None else values[offsets[:-1, None] + np.arange(self._roots)]

    @property
    def steps(self) -> list[Array]:
        """The vertices of each step, without the roots: a list with one array per step.

        For walks the arrays have shape (n,); for KHop (n, m_1), (n, m_1, m_2) and so on. They are views of ``numpy()``.
        Samples from r > 1 roots have (n, r, m_1) and so on. Layered samples have (n, m), padded with -1, m being the
        most vertices that the step has in a sample.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> trees = gnd.sample(graph, gnd.apps.KHop([2, 3]), [0, 1], seed=1)
            >>> [step.shape for step in trees.steps]
            [(2, 2), (2, 2, 3)]
        """
        layers = self._layers
        if layers is not None:
            levels = range(1, layers.count() + 1)
            return [layers.level(level, self._result.values, self.offsets) for level in levels]
        whole, at, steps = self.numpy(), self._roots, []
        shapes = [()] * (whole.shape[1] - at) if self.ragged else self.app.slots(self._roots)
        for shape in shapes:
            slots = int(np.prod(shape, dtype=np.int64))
            steps.append(whole[:, at : at + slots].reshape(len(whole), *shape))
            at += slots
        return steps

    @property
    def ragged(self) -> bool:
        """Whether samples may differ in length: ``values`` then has no missing vertices."""
        return self._result.ragged

    @property
    def layered(self) -> bool:
        """Whether the samples have steps of different sizes, or recorded edges."""
        return self._result.layered

    @property
    def records(self) -> bool:
        """Whether the app recorded edges between the samples' vertices: ``adjacency`` and ``subgraph`` have them."""
        return self._result.recorded

    def adjacency(self, step: int) -> Adjacency:
        """Returns the recorded edges from the vertices of the previous step (the roots, for step 0) to those of a step,
        of all samples.

        Layer-wise apps record them. ``subgraph`` returns all edges of one sample, between any steps.

        Args:
            step: the step, from 0; a negative one counts from the end.

        Raises:
            TypeError: step is not an int.
            IndexError: there is no such step.
            ValueError: the app records no edges.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> samples = gnd.sample(graph, gnd.apps.FastGCN(sizes=[3, 4]), [[0, 1]], seed=1)
            >>> samples.adjacency(0).scipy(0).shape
            (2, 3)
        """
        layers = self._recorded()
        return layers.adjacency(place("step", step, layers.count()))

    def subgraph(self, sample: int = 0) -> Subgraph:
        """Returns all recorded edges of one sample, by positions among its vertices.

        For apps that record them (ClusterGCN, GraphSAINT and others) this is the subgraph that the sample's vertices
        induce.

        Args:
            sample: the row (default 0); a negative one counts from the end.

        Raises:
            TypeError: sample is not an int.
            IndexError: there is no such sample.
            ValueError: the app records no edges.

        Examples:
            >>> samples = gnd.sample(gnd.rmat(8, seed=1), gnd.apps.RandomNode(n=20), 1, seed=1)
            >>> samples.subgraph(0)
            Subgraph(20 vertices, 8 edges)
        """
        links_from, sources, targets, ids, values = self._recorded().links()
        sample = place("sample", sample, len(self))
        part = slice(int(links_from[sample]), int(links_from[sample + 1]))
        nodes = self._result.values[self.offsets[sample] : self.offsets[sample + 1]]
        return Subgraph(nodes, sources[part], targets[part], ids[part], values[part])

    @property
    def _layers(self) -> Layers | None:
        return self._result.layers

    def _recorded(self) -> Layers:
        layers = self._layers
        if layers is None or not layers.recorded:
            raise ValueError(f"{self.app!r} records no edges between its vertices")
        return layers

    @property
    def parents(self) -> Array:
        """The position in its sample of the vertex that each of ``values`` was reached from, or -1: (offsets[-1],)
        int32; only for layered samples.

        Raises:
            ValueError: the samples are not layered.
        """
        if self._layers is None:
            raise ValueError(f"{self.app!r}: its samples are not layered")
        return self._layers.parents

    @property
    def edges(self) -> Array:
        """The id of the edge that led to each vertex after the roots: (n, width - roots) int64, -1 if there is none.

        Raises:
            ValueError: they were not recorded; ``sample(..., edges=True)`` records them.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> gnd.sample(graph, gnd.apps.DeepWalk(3), [0], seed=1, edges=True).edges
            array([[  41, 3809, 2822]])
        """
        taken = self._taken()
        if not self.ragged:
            return taken
        width = int(self.lengths.max(initial=self._roots)) - self._roots
        return self._padded(taken, self._roots, width, np.dtype(np.int64))

    @property
    def edge_values(self) -> Array:
        """The ids of ``edges``, parallel to ``values``, -1 at roots: (offsets[-1],) int64."""
        taken = self._taken()
        if self.ragged:
            return taken
        whole = np.full((len(self), self._roots + taken.shape[1]), -1, np.int64)
        whole[:, self._roots :] = taken
        return whole.reshape(-1)

    def _taken(self) -> Array:
        edges = self._result.edges if self.has_edges else None
        if edges is None:
            raise ValueError("edges were not recorded: call gonextdoor.sample(..., edges=True)")
        return edges

    @property
    def has_edges(self) -> bool:
        """Whether ``edges`` were recorded."""
        return self._result.has_edges

    @property
    def offsets(self) -> Array:
        """The start of each sample in ``values``, and the end: (n + 1,) int64. Sample i is
        ``values[offsets[i]:offsets[i + 1]]``."""
        offsets = self._result.offsets
        if offsets is None:
            rows, width = self._result.rows, self._result.width
            return np.arange(0, rows * width + 1, width, dtype=np.int64) if width else np.zeros(rows + 1, np.int64)
        return offsets

    @property
    def values(self) -> Array:
        """All samples concatenated, (offsets[-1],); those of one width include their -1."""
        return self._result.values.reshape(-1)

    @property
    def selector(self) -> str:
        """The selector of the choices, which depends on the app and the graph only."""
        if self._saved is not None:
            return self._saved.selector
        app, graph = self.app._on(self.graph), self.graph
        same = app._same if self._roots == 1 else None
        if same is not None:
            app, graph = same.app, same.view or graph
        name: str = native.call("AppSelector", app._planned().number, graph._held.number)
        return name

    @property
    def vertex_names(self) -> Array | None:
        """The original names of the graph's vertices, (V,) int64 or str; None if they are their numbers."""
        if self._saved is not None:
            return None if self._saved.names is None else self._saved.names.array()
        return self.graph.vertex_names

    def _name_table(self) -> NameTable | None:
        return self.graph._name_table() if self._saved is None else self._saved.names

    def _vertices(self) -> int:
        return self.graph.num_vertices if self._saved is None else self._saved.vertices

    @property
    def stats(self) -> dict[str, float]:
        """Figures of the run, by name.

        ``steps`` is the number of steps of the longest sample, ``edges`` the number of vertices after the roots in all
        samples, and ``seconds`` the time that sampling took; ``edges_per_second`` is their ratio. ``links`` is the
        number of recorded edges of all samples, if the app records them.
        """
        taken = self._result.filled() - len(self) * self._roots
        layers = self._layers
        if layers is not None:
            steps = layers.count()
        elif not self.ragged:
            steps = len(self.app.slots(self._roots))
        else:
            steps = int(self.lengths.max(initial=self._roots)) - self._roots
        links = {"links": len(layers.links()[1])} if layers is not None and layers.recorded else {}
        seconds = self._result.seconds
        rate = taken / seconds if seconds else 0.0
        return {"steps": steps, "edges": taken, **links, "seconds": seconds, "edges_per_second": rate}

    def visit_counts(self) -> Array:
        """Counts how often each vertex occurs in the samples, roots included: (num_vertices,) int64.

        The counts are kept. If ``updated`` keeps samples, those of its result are made from them and from the samples
        that it makes again, without a scan of the others.

        Examples:
            >>> path = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
            >>> gnd.sample(path, gnd.apps.DeepWalk(length=5), repeat=100, seed=1).visit_counts()
            array([439, 807, 761, 393])
        """
        if self._visits is None:
            self._visits = self._result.visits(self._vertices())
        counts: Array = self._visits.copy()
        return counts

    @property
    def drawn_on(self) -> str:
        """The device that made the choices: ``device``, or "cpu" if the graph exceeds the memory of a GPU that could
        not run the app on a part of it.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> gnd.sample(graph, gnd.apps.DeepWalk(length=4), seed=1, device="cpu").drawn_on
            'cpu'
        """
        return "cpu" if self._result.from_host else self.device

    def __len__(self) -> int:
        return self._result.rows

    def _shape(self) -> str:
        if not self.ragged:
            return f"shape {self._result.rows, self._result.width}, {self._dtype}"
        vertices = f"{self._result.size} vertices, {self._dtype}"
        layers = self._layers
        if layers is None:
            return vertices
        edges = f"{len(layers.links()[1])} recorded edges, " if layers.recorded else ""
        return f"{layers.count()} steps, {edges}{vertices}"

    def _padded(self, values: Array, skip: int, width: int, dtype: np.dtype[Any]) -> Array:
        rows = len(self)
        memory.check(rows * width * dtype.itemsize)
        out = memory.empty((rows, width), dtype)
        at, where, to = memory.address(self.offsets), memory.address(values), memory.address(out)
        native.call("Pad", at, rows, where, values.itemsize, skip, to, dtype.itemsize, width, 0)
        return out
