"""LastNeighborLoader: the most recent neighbours of each node of a growing graph."""

from __future__ import annotations

from typing import Any

import torch

from .._core.checks import check_int

__all__ = ["LastNeighborLoader"]


class LastNeighborLoader:
    """Keeps the most recent neighbours of each node while events arrive, as
    ``torch_geometric.nn.models.tgn.LastNeighborLoader`` does for TGN.

    An event joins two nodes, and each becomes a neighbour of the other. Each node has a ring, in which an event takes
    the place of the oldest one, so its cost depends neither on ``size`` nor on earlier events. The events of one call
    are in order: if a node has more than ``size`` of them, the last ones are kept, which PyG does not guarantee. A call
    sorts its events by node. The buffer needs ``16 * num_nodes * size`` bytes on its device.

    Args:
        num_nodes: the number of nodes.
        size: the number of neighbours that are kept per node, from 1.
        device: the device of the buffer and of all tensors; None (default): torch's default device.

    Attributes:
        size: the number of neighbours that are kept per node.
        cur_e_id: the number of events since the last ``reset_state``, the id of the next one.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import gonextdoor.pyg
        >>> import torch
        >>> recent = gnd.pyg.LastNeighborLoader(num_nodes=5, size=2)
        >>> recent.insert(torch.tensor([0, 0, 0]), torch.tensor([1, 2, 3]))
        >>> recent(torch.tensor([0]))  # nodes, edges between their places, ids of events
        (tensor([0, 2, 3]), tensor([[2, 1],
                [0, 0]]), tensor([2, 1]))
    """

    def __init__(self, num_nodes: int, size: int, device: Any = None) -> None:
        count = check_int("num_nodes", num_nodes, 0, (1 << 63) - 1)
        self.size = check_int("size", size, 1, (1 << 31) - 1)
        self._neighbors = torch.empty((count, self.size), dtype=torch.int64, device=device)
        self._e_id = torch.empty_like(self._neighbors)
        self._events = torch.empty(count, dtype=torch.int64, device=device)  # of each node so far
        self._places = torch.empty_like(self._events)
        self.reset_state()

    def __call__(self, n_id: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Returns the most recent neighbours of nodes.

        Args:
            n_id: (n,) nodes.

        Returns:
            n_id: the nodes and their neighbours, each once, in ascending order.
            edge_index: (2, e) places in ``n_id``, from neighbours to nodes, node by node, the most recent first.
            e_id: (e,) the event of each edge.

        Raises:
            IndexError: a node is not below ``num_nodes``.
            TypeError: n_id is not a tensor of ints.
            ValueError: it has another shape.
        """
        n_id = self._nodes("n_id", n_id)
        events, age = self._events[n_id].view(-1, 1), torch.arange(1, self.size + 1, device=n_id.device)
        there = age <= events
        row, slot = n_id.view(-1, 1).expand(-1, self.size)[there], ((events - age) % self.size)[there]
        neighbors, e_id = self._neighbors[row, slot], self._e_id[row, slot]
        n_id = torch.cat([n_id, neighbors]).unique()
        self._places[n_id] = torch.arange(n_id.numel(), device=n_id.device)
        return n_id, torch.stack([self._places[neighbors], self._places[row]]), e_id

    def insert(self, src: torch.Tensor, dst: torch.Tensor) -> None:
        """Adds events, in order.

        Args:
            src: (n,) the first node of each event.
            dst: (n,) the second node of each event.

        Raises:
            IndexError: a node is not below ``num_nodes``.
            TypeError: they are not tensors of ints.
            ValueError: they have another shape, or not the same length. After an error, nothing was added.
        """
        src, dst = self._nodes("src", src), self._nodes("dst", dst)
        if src.numel() != dst.numel():
            raise ValueError(f"dst has {dst.numel()} elements: expected {src.numel()}, one per element of src")
        # 1. Both neighbours of each event, event after event, then by node.
        nodes, order = torch.stack([dst, src], 1).view(-1).sort(stable=True)
        neighbors, e_id = torch.stack([src, dst], 1).view(-1)[order], self.cur_e_id + order // 2
        # 2. The number of each among those of its node.
        once, counts = nodes.unique_consecutive(return_counts=True)
        before = torch.repeat_interleave(counts.cumsum(0) - counts, counts)
        number = torch.arange(nodes.numel(), device=nodes.device) - before
        # 3. The last ones of each node have different slots.
        kept = number >= torch.repeat_interleave(counts, counts) - self.size
        slot = (self._events[nodes] + number) % self.size
        self._neighbors[nodes[kept], slot[kept]], self._e_id[nodes[kept], slot[kept]] = neighbors[kept], e_id[kept]
        self._events[once] += counts
        self.cur_e_id += src.numel()

    def reset_state(self) -> None:
        """Forgets all events."""
        self.cur_e_id = 0
        self._events.zero_()

    def _nodes(self, name: str, values: Any) -> torch.Tensor:
        if (
            not torch.is_tensor(values)
            or values.is_floating_point()
            or values.is_complex()
            or values.dtype == torch.bool
        ):
            raise TypeError(f"{name}: expected a tensor of ints, got {getattr(values, 'dtype', type(values).__name__)}")
        if values.dim() != 1:
            raise ValueError(f"{name}: expected shape (n,), got {tuple(values.shape)}")
        outside = (values < 0) | (values >= len(self._events))
        if bool(outside.any()):
            at = int(outside.nonzero()[0])
            raise IndexError(f"{name}[{at}] = {int(values[at])}: there are {len(self._events)} nodes")
        return values.to(torch.int64)
