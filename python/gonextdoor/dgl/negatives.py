"""Pairs of vertices without an edge, with the arguments and results of ``dgl.sampling``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.checks import check_int, checked_flag
from .._core.seeds import entropy
from ..apps import NegativePairs
from ..graph.graph import Graph
from ..sampling.distinctpairs import distinct_pairs
from ..sampling.sample import sample
from .errors import raises_dgl_errors
from .framework import Tensor, torch
from .graphs import checked, converted, etype_of, turned, view

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["global_uniform_negative_sampling"]


@raises_dgl_errors
def global_uniform_negative_sampling(
    g: Any,
    num_samples: int,
    exclude_self_loops: bool = True,
    replace: bool = False,
    etype: Any = None,
    redundancy: float | None = None,
    *,
    seed: Seed = None,
) -> tuple[Tensor, Tensor]:
    """Pairs of vertices without an edge, uniformly at random, with the arguments and results of
    ``dgl.sampling.global_uniform_negative_sampling``.

    DGL may return fewer pairs than were requested. This function returns the exact number, or without ``replace`` all
    pairs if there are fewer, in random order. It takes bounded time in dense graphs.

    Args:
        g: a DGL graph.
        num_samples: the number of pairs, from 0.
        exclude_self_loops: whether a vertex and itself are no pair, if both are of one type (default True).
        replace: whether pairs may repeat (default False).
        etype: the edge type that pairs do not have; None (default): the first one of the graph.
        redundancy: accepted without effect: no pairs are drawn in excess.
        seed: as for ``gonextdoor.sample``.

    Returns:
        src and dst, (n,) vertices of the graph's id type, on its device; empty if every pair is an edge.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or there is no such edge type. Each error is also a ``dgl.DGLError``.

    Examples:
        >>> import gonextdoor.dgl
        >>> import dgl
        >>> g = dgl.graph(([0, 1, 2], [1, 2, 0]))
        >>> src, dst = gnd.dgl.global_uniform_negative_sampling(g, 5, seed=1)
        >>> sorted(zip(src.tolist(), dst.tolist()))
        [(0, 2), (1, 0), (2, 1)]
    """
    checked(g)
    wanted = check_int("num_samples", num_samples, 0, 1 << 40)
    loops, replace = not checked_flag("exclude_self_loops", exclude_self_loops), checked_flag("replace", replace)
    kind = g.canonical_etypes[0] if etype is None else etype_of(g, "etype", etype)
    size, wanted_view = (g.num_nodes(kind[0]), g.num_nodes(kind[2])), view("out", None, None)
    loops = loops or kind[0] != kind[2]
    word, graph = entropy(seed), converted(g, wanted_view)
    rows = graph if isinstance(graph, Graph) else graph.relations[turned(kind, wanted_view)]
    if replace and len(_distinct(rows, size, 1, loops, word)[0]):
        app = NegativePairs(loops=loops, sources=size[0], ends=size[1])
        pairs = sample(rows, app, wanted, seed=word, device="cpu", dtype=np.int64, progress=False).numpy().T
    else:
        pairs = _distinct(rows, size, wanted, loops, word)
    src, dst = (torch.from_numpy(np.ascontiguousarray(part)).to(g.device, g.idtype) for part in pairs)
    return src, dst


def _distinct(graph: Graph, size: tuple[int, int], wanted: int, loops: bool, word: int) -> Any:
    def permuted(count: int) -> Any:
        return torch.randperm(count, generator=torch.Generator().manual_seed(word & ((1 << 63) - 1))).numpy()

    return distinct_pairs(graph, size, wanted, loops=loops, seed=lambda: word, permuted=permuted)
