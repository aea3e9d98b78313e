"""negatives: pairs of vertices without an edge."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import advice
from .._core.arguments import integers
from .._core.binding import advised
from .._core.checks import check_int, checked_flag
from .._core.weak import WeakTable
from ..apps import NegativePairs, Negatives
from ..graph.direction import facing
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from .sample import sample

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..device.devices import Device
    from ..samples.samples import Samples

__all__ = ["negatives"]

# The apps of earlier calls without arrays, by their parameters: they keep their tables and samplers.
_apps: WeakTable[Graph, dict[Hashable, Any]] = WeakTable()


@advised
def negatives(
    graph: Graph | HeteroGraph,
    n: int | None = None,
    *,
    sources: npt.ArrayLike | None = None,
    targets: npt.ArrayLike | None = None,
    relation: tuple[str, str, str] | None = None,
    weights: str | npt.ArrayLike = "uniform",
    source_weights: str | npt.ArrayLike = "uniform",
    clusters: npt.ArrayLike | None = None,
    candidates: npt.ArrayLike | None = None,
    hops: int | None = None,
    loops: bool | None = None,
    repeat: int = 1,
    seed: Seed = None,
    first_id: int = 0,
    device: Device = "auto",
    threads: int | None = None,
    dtype: npt.DTypeLike | None = None,
) -> Samples:
    """Draws exact negatives: pairs of vertices without an edge, each independent of the others.

    ``negatives(graph, n)`` draws n pairs of a source and a target, uniformly at random among all pairs without an edge.
    With ``sources``, it draws a target for each source (structured negatives); with ``targets``, a source for each
    target. Up to 128 proposals are checked against the edges, then the choice is made among all pairs without an edge,
    in the same distribution: no edge is returned, and dense graphs take bounded time.

    Negative i depends on the seed, its id, the graph and the parameters alone: it is the same on any number of threads
    and on a GPU. Negatives may repeat. Parallel edges count once; weights of edges are ignored.

    Args:
        graph: the graph. An edge leads from the source to the target.
        n: the number of pairs, without ``sources`` and ``targets``.
        sources: (k,) vertices, each of which gets ``repeat`` targets.
        targets: (k,) vertices, each of which gets ``repeat`` sources. The reverse of the graph is built at the first
            such call, and kept.
        relation: of a ``HeteroGraph``: the relation (source type, name, target type) that has no such edge. Its reverse
            is built at the first call without ``targets``, and kept. None (default): the graph is a ``Graph``.
        weights: the weights of the vertices that are drawn, of targets if both are drawn: ``"uniform"`` (default);
            ``"degree"``, in proportion to the number of their edges on the other side (in-degrees for targets,
            out-degrees for sources); or an array of non-negative numbers, one per vertex.
        source_weights: the weights of sources if both are drawn, likewise. A pair is drawn in proportion to the product
            of both weights.
        clusters: (num_vertices,) ints: only vertices of the same cluster are drawn (hard negatives of a community).
        candidates: (m,) vertices: only they are drawn, each as often as it is listed: the targets of a batch, for
            example.
        hops: at least 2: vertices at this distance are drawn (hard negatives), uniformly at random, along the edges
            from a source, or against them from a target. It takes a breadth-first search per vertex.
        loops: whether a vertex without a self-loop and itself are a negative pair. None (default): False, unless source
            and target are of different types, when equal numbers mean nothing.
        repeat: negatives of each source or target, at least 1 (default 1), in successive rows.
        seed: as for ``gonextdoor.sample``.
        first_id: the id of the first negative (default 0).
        device: as for ``gonextdoor.sample``.
        threads: CPU threads to use; None (default): one per core.
        dtype: of vertices, int32 or int64; None (default): as for ``gonextdoor.sample``.

    Returns:
        The samples, of shape (n, 2): (source, target) in each row; with ``targets``, (target, source).
        ``samples.numpy().T`` is an edge index. On a GPU they stay there.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, arguments exclude one another, or there is no negative: for a vertex,
            which the text names, or in the whole graph, as in a complete one.
        IndexError: a vertex is not in the graph.
        MemoryError: the result does not fit in memory.
        DeviceError: as for ``gonextdoor.sample``.

    Examples:
        >>> graph = gnd.Graph.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)
        >>> gnd.negatives(graph, 4, seed=1).numpy().T
        array([[2, 3, 0, 0],
               [0, 1, 3, 3]], dtype=int32)
        >>> gnd.negatives(graph, sources=[0, 3], repeat=2, seed=1).numpy()
        array([[0, 3],
               [0, 3],
               [3, 1],
               [3, 0]], dtype=int32)
    """
    if sources is not None and targets is not None:
        raise ValueError("sources and targets: pass only one of them, or n for pairs")
    if (n is None) == (sources is None and targets is None):
        raise ValueError(f"n = {n}: pass either the number of pairs, or sources or targets")
    rows = _rows(graph, relation, targets is not None)
    loops = rows.typed if loops is None else checked_flag("loops", loops)
    rules = {"clusters": clusters, "candidates": candidates, "hops": hops}
    common = {"seed": seed, "first_id": first_id, "device": device, "threads": threads, "dtype": dtype}
    if n is not None:
        if given := [name for name, value in rules.items() if value is not None]:
            raise ValueError(f"{given[0]}: expected sources or targets with it, not n = {n}")
        if repeat != 1:
            raise ValueError(f"repeat = {repeat}: expected 1 for n = {n} pairs; pass a larger n")
        both = {"sources": rows.first, "ends": rows.second, "loops": loops}
        pairs = _app(rows, NegativePairs, {"weights": weights, "source_weights": source_weights}, both)
        return sample(rows.graph, pairs, check_int("n", n, 0, 1 << 62), **common)  # type: ignore[arg-type]
    if not (isinstance(source_weights, str) and source_weights == "uniform"):
        raise ValueError("source_weights: sources are not drawn; pass weights for the vertices that are")
    name, roots = ("targets", targets) if sources is None else ("sources", sources)
    set_rules = {key: value for key, value in rules.items() if value is not None}
    if rows.typed and clusters is not None:
        raise ValueError("clusters: the types of the relation differ, so that no cluster has vertices of both")
    app = _app(rows, Negatives, {"weights": weights}, {"ends": rows.second, "loops": loops, **set_rules})
    if relation is not None:
        given_roots = integers(name, roots)  # type: ignore[arg-type]
        wrong = np.flatnonzero((given_roots < 0) | (given_roots >= rows.first))
        if wrong.size:
            at = int(wrong[0])
            raise IndexError(
                f"{name}[{at}] = {given_roots.flat[at]} is out of range: vertex ids must be 0 <= id < {rows.first}"
            )
    result = sample(rows.graph, app, roots, repeat=repeat, **common)  # type: ignore[arg-type]
    if result.device == "cpu" or set_rules or app.weights is not None or rows.fullest + (not loops) >= rows.second:
        _check(result, name, repeat)
    return result


class _Rows(NamedTuple):
    """A graph whose rows are of the vertices from which negatives are drawn.

    Attributes:
        graph: the graph, whose edges lead from the first vertex of a pair to the second.
        first, second: the numbers of vertices.
        typed: whether they are of different types.
    """

    graph: Graph
    first: int
    second: int
    typed: bool

    @property
    def fullest(self) -> int:
        """The largest number of edges of a vertex."""
        kept = _kept(self.graph)
        if "fullest" not in kept:
            kept["fullest"] = int(self.graph.degrees().max(initial=0))
        return kept["fullest"]  # type: ignore[no-any-return]


def _rows(graph: Any, relation: Any, targets: bool) -> _Rows:
    """The graph to sample; targets: whether the first vertex of a pair is the target of an edge."""
    if isinstance(graph, HeteroGraph):
        if relation not in graph.relations:
            known = list(graph.relations)
            raise ValueError(f"relation = {relation!r}: expected one of {known}")
        source, _, target = relation
        # The rows of a relation are targets.
        of, first, second = graph.relations[relation], graph.num_vertices[target], graph.num_vertices[source]
        if not targets:
            of, first, second = facing(of, "in"), second, first
        return _Rows(of, first, second, source != target)
    if not isinstance(graph, Graph):
        raise advice.graph_error("a gonextdoor.Graph", graph, "out")
    if relation is not None:
        raise ValueError(f"relation = {relation!r}: a Graph has no relations; leave it out, or pass a HeteroGraph")
    of = facing(graph, "in" if targets else "out")
    return _Rows(of, of.num_vertices, of.num_vertices, False)


def _kept(graph: Graph) -> dict[Hashable, Any]:
    """The apps and facts that are kept for a graph."""
    return _apps.of(graph) or _apps.put_first(graph, {})


def _app(rows: _Rows, kind: type[Any], weights: Mapping[str, Any], given: dict[str, Any]) -> Any:
    """The app with some weights; one without arrays is kept for later calls."""
    key = kind, (*weights.values(), *given.values())
    kept = _kept(rows.graph) if all(isinstance(value, (str, int)) for value in key[1]) else None
    if kept is not None and key in kept:
        return kept[key]
    app = kind(**given, **{name: _weights(rows, name, value) for name, value in weights.items()})
    return app if kept is None else kept.setdefault(key, app)


def _weights(rows: _Rows, name: str, given: Any) -> Any:
    """Weights as an array; None: uniform."""
    if not isinstance(given, str):
        return given
    if given == "uniform":
        return None
    if given != "degree":
        raise ValueError(f'{name} = {given!r}: expected "uniform", "degree" or an array of numbers')
    if name == "source_weights":
        return rows.graph.degrees()[: rows.first]
    return np.bincount(rows.graph.indices, minlength=rows.graph.num_vertices)[: rows.second]


def _check(result: Samples, name: str, repeat: int) -> None:
    """Raises an error that names the first vertex without a negative. Samples on a GPU are counted there."""
    if result._result.filled() == 2 * len(result):
        return
    missing = np.flatnonzero(result.numpy()[:, 1] < 0)
    if missing.size:
        at = int(missing[0])
        raise ValueError(
            f"{name}[{at // repeat}] = {result.numpy()[at, 0]} has no negative among the vertices that may be "
            "drawn for it; leave it out, or allow more vertices"
        )
