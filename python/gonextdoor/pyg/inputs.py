"""Seed nodes of a batch of nodes or links; links with negatives and labels, as LinkLoader expects them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import EdgeSamplerInput, NegativeSampling, NodeSamplerInput

from .._core.arguments import integers
from .._core.dates import whole_times
from ..neighbor.windows import refuse_length
from .exact import ExactNegativeSampling
from .graphs import Source, inside
from .negative import DST, SRC, Negatives

__all__ = ["Links", "Nodes", "refuse_type", "starts_of"]

Array = npt.NDArray[Any]


class Nodes:
    """The seeds of a batch of nodes.

    Args:
        index: as a loader passes them to a sampler.
        start_time: (n,) the begin of each one's time window; None: they have none.

    Attributes:
        seed_nodes: int64 vertices by type (None: there is but one).
        times: the same of their times; None if they have none.
        starts: the same of the begins of their time windows; None if they have none.
        time_windows: the same of the lengths of the windows, as the core takes them; the sampler sets them.
        metadata: as NodeLoader wants it of a sampler's output.
    """

    def __init__(self, index: NodeSamplerInput, start_time: Any = None) -> None:
        self.seed_nodes: dict[Any, Array] = {index.input_type: _numbers("node", index.node)}
        self.times: dict[Any, Array] | None = None
        self.starts: dict[Any, Array] | None = None
        if start_time is not None:
            self.starts = {index.input_type: starts_of(start_time, index.node.numel(), "node")}
        self.time_windows: dict[Any, Array | None] = {}
        if index.time is not None:
            self.times = {index.input_type: _numbers("time", index.time)}
        self.metadata = (index.input_id, index.time)

    def owned(self, node_types: list[Any], trees: list[Any]) -> list[Any]:
        """By type of node, which seed each node belongs to."""
        return trees


class Links:
    """The seeds of a batch of links, and what follows from them.

    Attributes:
        seed_nodes: int64 vertices by type (None: there is but one), the sources' before the destinations'.
        times: the same of their times; None if the links have none.
        starts: the same of the begins of their time windows; None if the links have none.
        time_windows: the same of the lengths of the windows, as the core takes them; the sampler sets them.
        ends: int64 sources and destinations of the links, without negative ones.
        metadata: as LinkLoader wants it of a sampler's output.
    """

    def __init__(
        self,
        index: EdgeSamplerInput,
        negative: Any,
        source: Source,
        negatives: Negatives,
        disjoint: bool,
        batch_seed: int,
        start_time: Any = None,
    ) -> None:
        self._disjoint = disjoint
        self._positives = index.row.numel()
        self.ends = src, dst = _numbers("row", index.row), _numbers("col", index.col)
        time = None if index.time is None else _numbers("time", index.time)
        for name, values in (("col", dst), ("label", index.label), ("time", time)):
            if values is not None and len(values) != self._positives:
                raise ValueError(f"{name} has {len(values)} elements: expected {self._positives}, one per link")
        label, src_time, dst_time = index.label, time, time
        kinds = (None, None) if index.input_type is None else (index.input_type[0], index.input_type[2])
        inside("row", src, source.count(kinds[0]))
        inside("col", dst, source.count(kinds[1]))
        if negative is not None:
            if time is None and source.node_time:
                raise ValueError("negative links with times: the links have no times; set edge_label_time")
            if negative.is_triplet() and label is not None:
                raise ValueError("neg_sampling: triplets do not support edge_label; leave it out")
            if isinstance(negative, ExactNegativeSampling):
                drawn = _exact(negative, source, negatives, index.input_type, src, time, batch_seed)
            else:
                drawn = _negatives(negative, source, negatives, kinds, time, self._positives, batch_seed)
            if negative.is_binary():
                src, dst = np.concatenate([src, drawn[SRC]]), np.concatenate([dst, drawn[DST]])
                label = _labelled(label, self._positives, len(drawn[SRC]))
                if time is not None:
                    src_time = dst_time = np.resize(time, len(src))
            else:
                dst = np.concatenate([dst, drawn[DST]])
                dst_time = None if time is None else np.resize(time, len(dst))
        self._ends(kinds, src, dst, src_time, dst_time)
        self.starts: dict[Any, Array] | None = None
        if start_time is not None:
            starts = starts_of(start_time, self._positives, "link")
            self.starts = self._by_type(kinds, np.resize(starts, len(src)), np.resize(starts, len(dst)))
        self.time_windows: dict[Any, Array | None] = {}
        self._tell(index, negative, label, src_time)

    def owned(self, node_types: list[Any], trees: list[Any]) -> list[Any]:
        """By type of node, which link each node belongs to; negative i belongs to link i modulo their number."""
        owners = [self._owners[kind] for kind in node_types if kind in self._owners]  # as trees are numbered
        of_tree = torch.from_numpy(np.concatenate(owners)).to(trees[0].device)
        return [of_tree[part] for part in trees]

    def _ends(self, kinds: Any, src: Array, dst: Array, src_time: Array | None, dst_time: Array | None) -> None:
        """Sets the seeds, and the place of each end among those of its type."""
        positives = max(self._positives, 1)
        self.times: dict[Any, Array] | None = None
        if src_time is not None and dst_time is not None:
            self.times = self._by_type(kinds, src_time, dst_time)
        ends = self._by_type(kinds, src, dst)
        self._owners = self._by_type(kinds, np.arange(len(src)) % positives, np.arange(len(dst)) % positives)
        places = {}
        self.seed_nodes: dict[Any, Array] = {}
        for kind, values in ends.items():
            if self._disjoint:
                self.seed_nodes[kind], places[kind] = values, np.arange(len(values))
            else:
                self.seed_nodes[kind], places[kind] = _distinct(values)
        shift = len(src) if kinds[0] == kinds[1] else 0
        self._src = torch.from_numpy(places[kinds[0]][: len(src)])
        self._dst = torch.from_numpy(places[kinds[1]][shift : shift + len(dst)])

    def _by_type(self, kinds: Any, src: Array, dst: Array) -> dict[Any, Array]:
        """What sources and destinations have, by their types."""
        return {kinds[0]: np.concatenate([src, dst])} if kinds[0] == kinds[1] else {kinds[0]: src, kinds[1]: dst}

    def _tell(self, index: EdgeSamplerInput, negative: Any, label: Any, src_time: Array | None) -> None:
        if negative is None or negative.is_binary():
            time = index.time if negative is None else None if src_time is None else torch.from_numpy(src_time)
            pairs = torch.stack([self._src, self._dst])
            self.metadata: tuple[Any, ...] = (index.input_id, pairs, label, time)
            return
        positives = self._positives
        others = self._dst[positives:]
        amount = len(others) // max(positives, 1)
        if amount > 1:  # row i: the negatives of link i
            others = others.view(amount, positives).t().contiguous()
        self.metadata = (index.input_id, self._src, self._dst[:positives], others, index.time)


def _negatives(
    negative: NegativeSampling,
    source: Source,
    negatives: Negatives,
    kinds: Any,
    time: Array | None,
    positives: int,
    batch_seed: int,
) -> dict[int, Array]:
    """The negative ends: of destinations, and in binary mode of sources too."""
    drawn = {}
    for end in (SRC, DST) if negative.is_binary() else (DST,):
        kind, count = kinds[end], source.count(kinds[end])
        if type(negative).sample is not NegativeSampling.sample:  # the user's own way
            wanted = math.ceil(positives * negative.amount)
            drawn[end] = negative.sample(wanted, ("src", "dst")[end], count).cpu().numpy().astype(np.int64)
            inside("negative links", drawn[end], count)
            continue
        drawn[end] = negatives.draw(
            negative,
            end,
            positives,
            count,
            batch_seed,
            node_type=kind,
            node_time=source.times_of(kind),
            seed_time=time,
        )
    return drawn


def _exact(
    negative: ExactNegativeSampling,
    source: Source,
    negatives: Negatives,
    edge_type: Any,
    src: Array,
    time: Array | None,
    batch_seed: int,
) -> dict[int, Array]:
    """The ends of negative links that are no edges."""
    if time is not None or source.node_time:
        raise ValueError("neg_sampling: exact negative links have no times; use PyG's NegativeSampling with times")
    graph = source.graphs.get(edge_type)
    if graph is None:
        raise ValueError(f"neg_sampling: the data has no edges of the type {edge_type!r}, so no exact negative links")
    same = edge_type is None or edge_type[0] == edge_type[2]
    ends = negatives.exact.draw(negative, graph, source.direction, source.ends(edge_type), same, src, batch_seed)
    return dict(zip((SRC, DST), ends, strict=True))


def _labelled(label: Any, positives: int, negatives: int) -> Any:
    """Returns the labels followed by zeros for the negatives; without labels the positives have ones."""
    if label is None:
        label = torch.ones(positives)
    return torch.cat([label, label.new_zeros((negatives, *label.shape[1:]))])


def _distinct(values: Array) -> tuple[Array, Array]:
    """np.unique with its inverse, of numbers below 2^32: their places ride along below them, which saves sorting by
    index. torch's own wakes all threads."""
    bits = len(values).bit_length()
    ordered = np.sort(values << bits | np.arange(len(values)))
    order, ordered = ordered & (1 << bits) - 1, ordered >> bits
    fresh = np.empty(len(values), bool)
    fresh[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    places = np.empty(len(values), np.int64)
    places[order] = np.cumsum(fresh) - 1
    return ordered[fresh], places


def starts_of(given: Any, count: int, each: str) -> Array:
    """The argument ``input_start_time``: one time for each seed, as int64.

    Raises:
        TypeError, ValueError: they are no ints, or not as many.
    """
    array = integers("input_start_time", given.detach().cpu().numpy() if torch.is_tensor(given) else given)
    if array.ndim != 1:
        raise ValueError(f"input_start_time: expected shape (n,), got {array.shape}")
    refuse_length("input_start_time", array, count, each)
    return whole_times("input_start_time", array)


def _numbers(name: str, values: Any) -> Array:
    """A copy: a loader's worker moves the memory of tensors that it gets back."""
    if values.is_floating_point() or values.is_complex() or values.dtype == torch.bool:
        raise TypeError(f"{name}: expected a tensor of ints, got {values.dtype}")
    if values.dim() != 1:
        raise ValueError(f"{name}: expected shape (n,), got {tuple(values.shape)}")
    copied: Array = values.numpy().astype(np.int64)
    return copied


def refuse_type(name: str, data: Any, given: Any) -> None:
    """Refuses nodes or links of a type that the data does not have. PyG would add the type to the data."""
    links = name == "edge_label_index"
    kind = given[0] if isinstance(given, (tuple, list)) and len(given) == 2 else given
    if isinstance(data, HeteroData):
        known: list[Any] = data.edge_types if links else data.node_types
        named = isinstance(kind, tuple) and len(kind) == 3 if links else isinstance(kind, str)
        unlinked = links and named and kind is not given and {kind[0], kind[2]} <= {*data.node_types}
        if named and kind not in known and not (unlinked and given[1] is not None):  # such links may be predicted
            shown = f"the types of {'edges' if links else 'nodes'} are {', '.join(map(repr, known)) or 'none'}"
            nodes = f", those of nodes {', '.join(map(repr, data.node_types))}" if links and not known else ""
            raise ValueError(f"{name} = {kind!r}: {shown}{nodes}")
    elif isinstance(data, Data) and isinstance(kind, str):
        raise TypeError(f"{name} = {kind!r}: data has one type of nodes; pass indices{'' if links else ' or a mask'}")
