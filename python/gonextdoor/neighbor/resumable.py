"""Resumable: what all loaders have in common, epochs, ranks and states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .order import BatchOrder
from .sampler import NeighborSampler
from .seeds import name_of

__all__ = ["Resumable", "facts_of"]

Array = npt.NDArray[Any]

COMPARED = 4096  # ids of the input that a state is compared by


class Resumable:
    """The common base of all loaders of batches."""

    _order: BatchOrder

    def _facts(self) -> dict[str, Any]:
        """What a state must have in common with this loader, beside the order of its batches."""
        raise NotImplementedError

    def __len__(self) -> int:
        """The number of batches that this rank takes in a whole epoch."""
        return len(self._order)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch that is iterated over next, as ``torch.utils.data.DistributedSampler`` does. Without this
        call, its number is one more than that of the previous epoch.

        After ``load_state_dict``, a call with the epoch of the state keeps its position.

        Args:
            epoch: the number of the epoch, from 0.
        """
        self._order.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """Returns the position of the loader: its seed, the epoch, and the number of batches that all ranks together
        have handed out.

        Batches that were drawn in advance do not count. All ranks return the same state after the same number of
        batches, so it is enough to save that of one rank. The state also has the arguments of the loader and the size
        of the graph, by which ``load_state_dict`` refuses it elsewhere. It consists of dicts, lists, text and numbers.

        Returns:
            The state, after the last batch of an epoch the beginning of the next one.
        """
        return self._order.state(self._facts())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues with the batch after those of a state, in the next iteration. The number of ranks may differ, and
        the seed of the state replaces that of the loader. All ranks have to load the same state.

        Batches that were handed out before are not drawn again.

        Args:
            state: what ``state_dict`` returned.

        Raises:
            TypeError: it is not a state.
            ValueError: it is of a loader with another graph, sampler, input or batch size; the text names the first
                difference.
        """
        self._order.load(state, self._facts())


def facts_of(sampler: NeighborSampler, ids: Array | Mapping[str, Array]) -> dict[str, Any]:
    """What the states of loaders with this sampler and input have in common.

    The graph is compared by its numbers of vertices and edges, and the input by up to 4,096 of its ids, since a state
    has to be loaded in less than a millisecond.
    """
    made = sampler.__getstate__()
    graph = made["graph"]
    if sampler.types is None:  # a graph, or a partitioned one
        sizes: dict[str, Any] = {"num_vertices": graph.num_vertices, "num_edges": graph.num_edges}
    else:
        sizes = {"num_vertices": dict(graph.num_vertices)}
        sizes["num_edges"] = {":".join(relation): part.num_edges for relation, part in graph.relations.items()}
    some = {kind: _some(part) for kind, part in ids.items()} if isinstance(ids, Mapping) else _some(ids)
    return {**sizes, **made["parameters"], "direction": made["direction"], "ids": name_of(some)}


def _some(ids: Array) -> Array:
    """At most ``COMPARED`` ids, evenly spaced."""
    return ids[:: max(1, -(-len(ids) // COMPARED))] if len(ids) else np.empty(0, np.int64)
