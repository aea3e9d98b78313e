"""Random walks with the signatures, shapes and padding of ``dgl.sampling``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.arguments import integers
from .._core.checks import check_int, checked_flag
from .._core.seeds import entropy
from ..apps import Node2Vec
from ..apps.parameters import MAX_LENGTH
from ..graph.graph import Graph
from ..sampling.sample import sample
from ..sampling.stoppedwalks import stop_units, walks_along, walks_of
from .errors import raises_dgl_errors
from .framework import Tensor, dgl, torch
from .graphs import Etype, checked, converted, etype_of, turned, view

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..device.devices import Device

__all__ = ["like", "node2vec_random_walk", "path_of", "random_walk", "starts_of", "word_of_dgl"]

Array = npt.NDArray[Any]


@raises_dgl_errors
def random_walk(
    g: Any,
    nodes: Any,
    *,
    metapath: Sequence[Any] | None = None,
    length: int | None = None,
    prob: str | None = None,
    restart_prob: float | Tensor | None = None,
    return_eids: bool = False,
    seed: Seed = None,
    device: Device = "auto",
) -> tuple[Tensor, ...]:
    """Walks along out-edges, one from each of the nodes, with the arguments and results of
    ``dgl.sampling.random_walk``.

    Args:
        g: a DGL graph.
        nodes: (n,) vertices to start from, of the first edge type's source; they may be repeated.
        metapath: the edge types of successive steps; None (default): all edges, for a graph with one edge type.
        length: steps of a walk, if there is no metapath.
        prob: the name of an edge feature, (E,): edges are taken in proportion to it; edge types without it are uniform.
            None (default): uniform.
        restart_prob: the probability that a walk ends before a step, or a tensor with one for each step; None
            (default): 0.
        return_eids: whether to return the edges taken too (default False).
        seed: as for ``gonextdoor.sample``.
        device: as for ``gonextdoor.sample``.

    Returns:
        traces and types; with ``return_eids``, traces, eids and types. traces are vertices, (n, steps + 1), and eids
        edges, (n, steps), of the graph's id type, -1 after the end of a walk; types are the numbers of the vertices'
        types, (steps + 1,).

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or of the wrong shape.
        IndexError: a node is not in the graph.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.dgl
        >>> import dgl
        >>> g = dgl.graph(([0, 0, 1, 2], [1, 2, 2, 0]))
        >>> traces, types = gnd.dgl.random_walk(g, [0, 1], length=4, seed=1)
        >>> traces
        tensor([[0, 2, 0, 2, 0],
                [1, 2, 0, 2, 0]])
    """
    checked(g)
    return_eids, seed_word = checked_flag("return_eids", return_eids), entropy(seed)
    path = _path(g, metapath, length)
    stops = _stops(restart_prob, len(path))
    starts = starts_of(g, nodes, g.srctypes[0] if not path else path[0][0])
    wanted = view("out", prob, None)
    graph = converted(g, wanted)
    if isinstance(graph, Graph):
        by, length = prob is not None, len(path)
        traces, taken = walks_of(
            graph, starts, length, stops, weighted=by, edges=return_eids, seed=seed_word, device=device
        )
    else:
        steps = [graph.relations[turned(etype, wanted)] for etype in path]
        traces, taken = walks_along(steps, starts, stops, edges=return_eids, seed=seed_word, device=device)
    ids = [g.get_ntype_id(ntype) for ntype in ([path[0][0], *(dst for _, _, dst in path)] if path else g.ntypes[:1])]
    types = torch.tensor(ids, dtype=g.idtype)
    out = like(g, nodes)
    return (out(traces), out(taken), types) if return_eids else (out(traces), types)


@raises_dgl_errors
def node2vec_random_walk(
    g: Any,
    nodes: Any,
    p: float,
    q: float,
    walk_length: int,
    prob: str | None = None,
    return_eids: bool = False,
    *,
    seed: Seed = None,
    device: Device = "auto",
) -> Tensor | tuple[Tensor, Tensor]:
    """Second-order walks (node2vec: Grover & Leskovec, KDD'16), with the arguments and results of
    ``dgl.sampling.node2vec_random_walk``.

    A neighbour of the previous vertex is the end of an edge from it. DGL uses vertices with an edge to it, which
    differs in directed graphs.

    Args:
        g: a DGL graph with one type of vertices and of edges.
        nodes: (n,) vertices to start from; they may be repeated.
        p: return parameter, positive.
        q: in-out parameter, positive.
        walk_length: steps of a walk.
        prob: the name of an edge feature, (E,), by which the second-order biases are multiplied; None (default):
            unweighted.
        return_eids: whether to return the edges taken too (default False).
        seed: as for ``gonextdoor.sample``.
        device: as for ``gonextdoor.sample``.

    Returns:
        traces; with ``return_eids``, traces and eids. traces are vertices, (n, walk_length + 1), and eids edges, (n,
        walk_length), of the graph's id type, -1 after the end of a walk.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or of the wrong shape.
        IndexError: a node is not in the graph.
        DeviceError: the GPU cannot be used.

    Examples:
        >>> import gonextdoor.dgl
        >>> import dgl
        >>> g = dgl.graph(([0, 0, 1, 2], [1, 2, 2, 0]))
        >>> gnd.dgl.node2vec_random_walk(g, [0, 1], p=0.5, q=2.0, walk_length=4, seed=1)
        tensor([[0, 2, 0, 2, 0],
                [1, 2, 0, 2, 0]])
    """
    checked(g)
    return_eids = checked_flag("return_eids", return_eids)
    if len(g.ntypes) > 1 or len(g.canonical_etypes) > 1:
        raise ValueError(
            f"g has the edge types {g.canonical_etypes}: expected one type, since node2vec walks support only one"
        )
    app = Node2Vec(p, q, check_int("walk_length", walk_length, 0, MAX_LENGTH), weighted=prob is not None)
    graph = converted(g, view("out", prob, None))
    assert isinstance(graph, Graph)
    starts = starts_of(g, nodes, g.ntypes[0])
    walks = sample(graph, app, starts, seed=seed, device=device, dtype=np.int64, edges=return_eids, progress=False)
    out = like(g, nodes)
    return (out(walks.numpy()), out(walks.edges)) if return_eids else out(walks.numpy())


def word_of_dgl() -> int:
    """A 64-bit word of DGL's generator, which ``dgl.seed`` sets; in a worker of a torch DataLoader, whose generator is
    a copy of its parent's, also of torch's."""
    high, low = dgl.random.choice(1 << 32, 2).tolist()
    worker = torch.utils.data.get_worker_info()
    word: int = high << 32 | low
    return word if worker is None else word ^ int(torch.empty((), dtype=torch.int64).random_())


def _path(g: Any, metapath: Sequence[Any] | None, length: int | None) -> list[Etype]:
    """The edge types of successive steps."""
    if metapath is None:
        if len(g.canonical_etypes) != 1 or len(g.ntypes) != 1:
            raise ValueError(
                f"metapath = None: the graph has the edge types {g.canonical_etypes}; expected one for each step"
            )
        if length is None:
            raise ValueError("length = None, metapath = None: pass one of them")
        return [g.canonical_etypes[0]] * check_int("length", length, 0, MAX_LENGTH)
    if length is not None:
        raise ValueError(f"length = {length!r}: the metapath gives the number of steps; pass only one of them")
    return path_of(g, metapath)


def path_of(g: Any, metapath: Sequence[Any]) -> list[Etype]:
    """The edge types of a metapath, each of which begins at the type at which the one before ends."""
    if isinstance(metapath, str) or not isinstance(metapath, Sequence):
        raise TypeError(f"metapath = {metapath!r}: expected a list of edge types")
    path = [etype_of(g, f"metapath[{i}]", etype) for i, etype in enumerate(metapath)]
    for i in range(1, len(path)):
        if path[i][0] != path[i - 1][2]:
            raise ValueError(f"metapath[{i}] = {path[i]}: expected an edge type from {path[i - 1][2]!r}")
    return path


def _stops(restart_prob: Any, steps: int) -> list[int]:
    """The probability of stopping before each step, in units of 2^-32; [] if walks never stop early."""
    if restart_prob is None:
        return []
    if torch.is_tensor(restart_prob) and restart_prob.dim() == 1:
        chances = [float(chance) for chance in restart_prob.tolist()]
        if len(chances) != steps:
            raise ValueError(f"restart_prob has {len(chances)} elements: expected {steps}, one for each step")
    else:
        try:
            chances = [float(restart_prob)] * steps
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(
                f"restart_prob = {restart_prob!r}: expected a float, or a tensor with one for each step"
            ) from None
    for i, chance in enumerate(chances):
        if not 0 <= chance <= 1:
            where = f"[{i}]" if torch.is_tensor(restart_prob) and restart_prob.dim() else ""
            raise ValueError(f"restart_prob{where} = {chance}: expected a probability from 0 to 1")
    return [stop_units(chance) for chance in chances]


def starts_of(g: Any, nodes: Any, ntype: str, name: str = "nodes") -> Array:
    """Vertices of a type as an array of ints; name is that of the argument."""
    array = integers(name, nodes.detach().cpu().numpy() if torch.is_tensor(nodes) else nodes)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected shape (n,), got {array.shape}")
    count = g.num_nodes(ntype)
    wrong = np.flatnonzero((array < 0) | (array >= count))
    if wrong.size:
        raise IndexError(f"{name}[{wrong[0]}] = {array[wrong[0]]}: there are {count} vertices of type {ntype!r}")
    return array


def like(g: Any, nodes: Any) -> Any:
    """Makes tensors of the graph's id type, where the nodes are."""
    device = nodes.device if torch.is_tensor(nodes) else g.device

    def tensor(array: Array) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(device=device, dtype=g.idtype)

    return tensor
