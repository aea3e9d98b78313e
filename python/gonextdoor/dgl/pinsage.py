"""PinSAGE's neighbours: the vertices that short random walks visit most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.checks import check_int, checked_number
from ..apps.parameters import MAX_LENGTH
from ..neighbor.seeds import BatchSeeds
from ..sampling.stoppedwalks import most_visited
from .errors import raises_dgl_errors
from .framework import dgl
from .graphs import Etype, checked
from .walks import like, path_of, random_walk, starts_of, word_of_dgl

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..device.devices import Device

__all__ = ["PinSAGESampler", "RandomWalkNeighborSampler"]


_OfDGL: Any = dgl.sampling.RandomWalkNeighborSampler  # install() replaces it


class RandomWalkNeighborSampler(dgl.sampling.RandomWalkNeighborSampler):  # type: ignore[misc]
    """Neighbours along a metapath by visit counts, with the arguments and results of
    ``dgl.sampling.RandomWalkNeighborSampler``.

    ``num_random_walks`` walks start at each seed and follow the metapath up to ``num_traversals`` times. After each
    traversal but the last, a walk stops with probability ``termination_prob``; at a vertex without an edge it ends. The
    neighbours of the seed are the vertices that the walks visit most at the ends of traversals, the seed itself too if
    walks return to it.

    Args:
        G: a DGL graph.
        num_traversals: traversals of the metapath by a walk, at least 1.
        termination_prob: the probability of stopping after a traversal, from 0 to 1.
        num_random_walks: walks from each seed, at least 1.
        num_neighbors: neighbours of a seed, at most; from 1.
        metapath: the edge types of successive steps, from a vertex type to itself; None (default): one step, for a
            graph with one edge type.
        weight_column: the name of the edge feature with the visits (default "weights").
        seed: as for ``gonextdoor.sample``. Each call has a separate seed, derived from it; in a worker of a DataLoader
            it depends on the epoch and the batch. None (default): a word of DGL's generator, which ``dgl.seed`` sets.
        device: as for ``gonextdoor.sample``: where walks are drawn.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the metapath ends at another type. Each error is also a
            ``dgl.DGLError``.

    Examples:
        >>> import gonextdoor.dgl
        >>> import dgl, torch
        >>> g = dgl.graph(([0, 1, 2, 3], [1, 2, 0, 0]))
        >>> sampler = gnd.dgl.RandomWalkNeighborSampler(g, 2, 0.5, 100, 2, seed=1)
        >>> frontier = sampler(torch.tensor([0]))
        >>> frontier.edges(), frontier.edata["weights"]
        ((tensor([1, 2]), tensor([0, 0])), tensor([100,  52]))
    """

    @raises_dgl_errors
    def __init__(
        self,
        G: Any,
        num_traversals: int,
        termination_prob: float,
        num_random_walks: int,
        num_neighbors: int,
        metapath: Sequence[Any] | None = None,
        weight_column: str = "weights",
        *,
        seed: Seed = None,
        device: Device = "auto",
    ) -> None:
        checked(G)
        path = _cycle(G, metapath)
        traversals = check_int("num_traversals", num_traversals, 1, MAX_LENGTH // len(path))
        chance = checked_number("termination_prob", termination_prob)
        if not 0 <= chance <= 1:
            raise ValueError(f"termination_prob = {chance}: expected a probability from 0 to 1")
        walks = check_int("num_random_walks", num_random_walks, 1, 1 << 31)
        most = check_int("num_neighbors", num_neighbors, 1, 1 << 31)
        if not isinstance(weight_column, str):
            raise TypeError(f"weight_column = {weight_column!r}: expected the name of an edge feature")
        self.device, self._seeds = device, BatchSeeds(word_of_dgl() if seed is None else seed)
        _OfDGL.__init__(self, G, traversals, chance, walks, most, path, weight_column)

    @raises_dgl_errors
    def __call__(self, seed_nodes: Any) -> Any:
        """Samples the neighbours of vertices.

        Args:
            seed_nodes: (n,) vertices of the type at which the metapath begins.

        Returns:
            A DGL graph of all vertices of that type, with edges from the neighbours to each seed: by decreasing visits,
            equal ones by vertex. A seed that repeats has edges for each occurrence.

        Raises:
            TypeError: seed_nodes are not integers.
            ValueError: they are of the wrong shape.
            IndexError: one of them is not in the graph.
        """
        seeds = starts_of(self.G, seed_nodes, self.ntype, "seed_nodes")
        traces, _ = random_walk(
            self.G,
            np.repeat(seeds, self.num_random_walks),
            metapath=self.full_metapath,
            restart_prob=self.restart_prob.cpu(),
            seed=self._seeds.batch_seed(None, seeds),
            device=self.device,
        )
        ends = traces[:, self.metapath_hops :: self.metapath_hops].cpu().long().numpy()
        src, at, visits = most_visited(
            ends.reshape(len(seeds), self.num_random_walks * self.num_traversals), self.num_neighbors
        )
        tensor = like(self.G, seed_nodes)
        edges = {(self.ntype, "_E", self.ntype): (tensor(src), tensor(seeds[at]))}
        graph = dgl.heterograph(edges, {self.ntype: self.G.num_nodes(self.ntype)})
        graph.edata[self.weight_column] = tensor(visits)
        return graph


class PinSAGESampler(RandomWalkNeighborSampler, dgl.sampling.PinSAGESampler):  # type: ignore[misc]
    """PinSAGE's neighbours in a bipartite graph (Ying et al., KDD'18), with the arguments and results of
    ``dgl.sampling.PinSAGESampler``: a ``RandomWalkNeighborSampler`` from ntype to other_type and back.

    Args:
        G: a DGL graph.
        ntype: the type of the seeds and of their neighbours.
        other_type: the type between them. Of several edge types between the two, the first is used, as in DGL.
        num_traversals: ways to other_type and back by a walk, at least 1.
        termination_prob: the probability of stopping after a traversal, from 0 to 1.
        num_random_walks: walks from each seed, at least 1.
        num_neighbors: neighbours of a seed, at most; from 1.
        weight_column: the name of the edge feature with the visits (default "weights").
        seed: as for ``RandomWalkNeighborSampler``.
        device: as for ``gonextdoor.sample``: where walks are drawn.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or no edge type leads to other_type or back. Each error is also a
            ``dgl.DGLError``.

    Examples:
        >>> import gonextdoor.dgl
        >>> import dgl, torch
        >>> buyers, items = torch.tensor([0, 0, 1, 1, 2]), torch.tensor([0, 1, 1, 2, 2])
        >>> edges = {("item", "bought by", "user"): (items, buyers), ("user", "buys", "item"): (buyers, items)}
        >>> g = dgl.heterograph(edges)
        >>> sampler = gnd.dgl.PinSAGESampler(g, "item", "user", 2, 0.5, 100, 2, seed=1)
        >>> frontier = sampler(torch.tensor([0]))
        >>> frontier.edges(), frontier.edata["weights"]
        ((tensor([1, 0]), tensor([0, 0])), tensor([73, 67]))
    """

    @raises_dgl_errors
    def __init__(
        self,
        G: Any,
        ntype: str,
        other_type: str,
        num_traversals: int,
        termination_prob: float,
        num_random_walks: int,
        num_neighbors: int,
        weight_column: str = "weights",
        *,
        seed: Seed = None,
        device: Device = "auto",
    ) -> None:
        checked(G)
        super().__init__(
            G,
            num_traversals,
            termination_prob,
            num_random_walks,
            num_neighbors,
            [_between(G, ntype, other_type), _between(G, other_type, ntype)],
            weight_column,
            seed=seed,
            device=device,
        )


def _cycle(g: Any, metapath: Sequence[Any] | None) -> list[Etype]:
    """The edge types of a metapath that ends at the type at which it begins."""
    if metapath is None:
        if len(g.canonical_etypes) != 1:
            raise ValueError(
                f"metapath = None: the graph has the edge types {g.canonical_etypes}; expected one for each step"
            )
        metapath = g.canonical_etypes
    path = path_of(g, metapath)
    if not path:
        raise ValueError("metapath = []: expected at least one edge type")
    if path[0][0] != path[-1][2]:
        raise ValueError(f"metapath: expected an edge type to {path[0][0]!r} at its end, at which it begins")
    return path


def _between(g: Any, source: str, destination: str) -> Etype:
    for etype in g.canonical_etypes:
        if (etype[0], etype[2]) == (source, destination):
            found: Etype = etype
            return found
    raise ValueError(f"no edge type leads from {source!r} to {destination!r}: the graph has {g.canonical_etypes}")
