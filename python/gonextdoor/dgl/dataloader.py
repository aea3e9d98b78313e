"""DataLoader: DGL's loader, with batches that ranks share and that any batch can resume."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import rng
from .._core.seeds import signed
from ..neighbor.order import BatchOrder, HandedOut, Pass, Positions
from ..neighbor.ranks import Even, Ranks
from ..neighbor.resumable import Resumable, facts_of
from .errors import raises_dgl_errors
from .framework import Tensor, dgl, torch
from .sampler import PGSampler

__all__ = ["DataLoader"]

Array = npt.NDArray[Any]


class DataLoader(Resumable, dgl.dataloading.DataLoader):  # type: ignore[misc]
    """``dgl.dataloading.DataLoader`` for a ``PGSampler``: the same arguments, with batches that depend only on the seed
    of the sampler, the epoch and their number.

    Ranks share the batches of an epoch, and ``state_dict`` and ``load_state_dict`` continue it at any batch. Each
    iteration is the next epoch. The ``set_epoch`` of the sampler has no effect here; that of the loader has.

    A negative sampler of DGL draws from the generator of torch or DGL, so the links that it adds are not reproducible.

    Args:
        graph: the graph.
        indices: the vertices or edges to iterate over, (n,) ids, or a dict of them by type.
        graph_sampler: a ``PGSampler``, or a sampler that calls one, such as that of ``as_edge_prediction_sampler``.
        device: as for DGL's DataLoader.
        use_ddp: accepted without effect: ranks share the batches whenever ``torch.distributed`` is initialised.
        ddp_seed: 0; the sampler has the seed.
        batch_size: the number of ids in a batch of a rank (default 1).
        drop_last: whether a last batch of fewer ids is left out (default False).
        shuffle: whether each epoch has the ids in another order, a function of the seed and the epoch (default False).
        use_prefetch_thread: as for DGL's DataLoader.
        use_alternate_streams: as for DGL's DataLoader.
        pin_prefetcher: as for DGL's DataLoader.
        use_uva: as for DGL's DataLoader.
        gpu_cache: as for DGL's DataLoader.
        rank: the rank of this process; rank r of W takes the batches r, r + W, ... of an epoch. None (default): that of
            ``torch.distributed`` if it is initialised when an epoch begins, and otherwise 0.
        world: the number of ranks; None (default): that of ``torch.distributed``. 1: this process takes all batches.
        even: what happens if the ranks cannot have equally many batches: "wrap" (default), "drop" or "error", as for
            ``gonextdoor.loader``.
        share: the number of consecutive batches in which a vertex takes the same edges (default 1), as for
            ``gonextdoor.loader``.
        **kwargs: of ``torch.utils.data.DataLoader``: num_workers, ...

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range or contradicts another. Each error is also a ``dgl.DGLError``.

    Examples:
        >>> import gonextdoor.dgl
        >>> import dgl, torch
        >>> g = dgl.graph(([0, 0, 1, 2, 3], [1, 2, 2, 0, 0]))
        >>> sampler = gnd.dgl.PGSampler([2, 2], seed=1)
        >>> loader = gnd.dgl.DataLoader(g, torch.arange(4), sampler, batch_size=3)
        >>> for input_nodes, output_nodes, blocks in loader:
        ...     print(input_nodes.tolist(), output_nodes.tolist())
        [0, 1, 2, 3] [0, 1, 2]
        [3] [3]
    """

    @raises_dgl_errors
    def __init__(
        self,
        graph: Any,
        indices: Any,
        graph_sampler: Any,
        device: Any = None,
        use_ddp: bool = False,
        ddp_seed: int = 0,
        batch_size: int = 1,
        drop_last: bool = False,
        shuffle: bool = False,
        use_prefetch_thread: bool | None = None,
        use_alternate_streams: bool | None = None,
        pin_prefetcher: bool | None = None,
        use_uva: bool = False,
        gpu_cache: Any = None,
        *,
        rank: int | None = None,
        world: int | None = None,
        even: Even = "wrap",
        share: int = 1,
        **kwargs: Any,
    ) -> None:
        if ddp_seed:
            raise ValueError(f"ddp_seed = {ddp_seed!r}: expected 0; the order follows the seed of the sampler")
        sampler, ids = pg_sampler_of(graph_sampler), Ids(indices)
        positions = Positions(len(ids), batch_size, shuffle, drop_last)
        order = BatchOrder(positions, sampler._seeds.seed, share, Ranks(rank, world, even))
        batches = Batches(ids, order, bool(kwargs.get("persistent_workers", False)))
        super().__init__(
            graph,
            batches,
            Seeded(graph_sampler),
            device=device,
            batch_size=batch_size,
            drop_last=drop_last,
            use_prefetch_thread=use_prefetch_thread,
            use_alternate_streams=use_alternate_streams,
            pin_prefetcher=pin_prefetcher,
            use_uva=use_uva,
            gpu_cache=gpu_cache,
            **kwargs,
        )
        self._order, self._ids = order, ids
        self.indices, self.graph_sampler, self.use_ddp = indices, graph_sampler, use_ddp

    @raises_dgl_errors
    def __iter__(self) -> Iterator[Any]:
        """Begins an epoch, or continues that of a loaded state.

        Raises:
            ValueError: the ranks cannot have equally many batches, or the processes of ``torch.distributed`` disagree.
        """
        begun = self._order.begin()
        self.dataset.begin(begun)
        return HandedOut(super().__iter__(), begun)

    def _facts(self) -> dict[str, Any]:
        core_sampler = pg_sampler_of(self.graph_sampler)._for(self.graph).core_sampler
        return {"sampler": type(self.graph_sampler).__name__, **facts_of(core_sampler, self._ids.arrays())}

    __len__ = raises_dgl_errors(Resumable.__len__)
    set_epoch = raises_dgl_errors(Resumable.set_epoch)
    state_dict = raises_dgl_errors(Resumable.state_dict)
    load_state_dict = raises_dgl_errors(Resumable.load_state_dict)


def pg_sampler_of(graph_sampler: Any) -> PGSampler:
    """The PGSampler that draws the blocks of a sampler.

    Raises:
        TypeError: there is none.
    """
    sampler = graph_sampler
    while sampler is not None and not isinstance(sampler, PGSampler):
        sampler = getattr(sampler, "sampler", None)  # as_edge_prediction_sampler wraps one
    if sampler is None:
        raise TypeError(
            f"graph_sampler: expected a gonextdoor.dgl.PGSampler, or a sampler of links that has one; got "
            f"{type(graph_sampler).__name__}"
        )
    return sampler


class Item:
    """The ids of a batch and its random seed, as DGL passes them to the sampler."""

    __slots__ = ("batch_seed", "ids")

    def __init__(self, ids: Any, batch_seed: int) -> None:
        self.ids, self.batch_seed = ids, batch_seed

    def to(self, device: Any) -> Item:
        """The same with ids on a device."""
        ids = self.ids
        moved = {kind: part.to(device) for kind, part in ids.items()} if isinstance(ids, dict) else ids.to(device)
        return Item(moved, self.batch_seed)


class Seeded:
    """Calls a sampler with the random seed of each batch."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    def sample(self, g: Any, item: Item) -> Any:
        """The sampler's result for a batch."""
        with pg_sampler_of(self.sampler)._seeds.fixed(item.batch_seed):
            return self.sampler.sample(g, item.ids)


class Ids:
    """The ids that a loader iterates over: a tensor, or several by type, one after the other.

    Raises:
        TypeError, ValueError: they are not ints, or not of one dimension.
    """

    def __init__(self, indices: Any) -> None:
        self._types = list(indices) if isinstance(indices, Mapping) else None
        parts = indices.values() if isinstance(indices, Mapping) else [indices]
        self._parts = [_tensor(part) for part in parts]
        if not self._parts:
            raise ValueError("indices = {}: expected ids of at least one type")
        self._ends = np.cumsum([len(part) for part in self._parts])
        self.device = self._parts[0].device

    def __len__(self) -> int:
        return int(self._ends[-1])

    def of(self, positions: Array) -> Any:
        """The ids at some positions: a tensor, or a dict of those types that occur."""
        if self._types is None:
            return self._parts[0][torch.from_numpy(positions).to(self.device)]
        kinds, found = np.searchsorted(self._ends, positions, side="right"), {}
        for kind in np.unique(kinds).tolist():
            part = self._parts[kind]
            places = positions[kinds == kind] - (self._ends[kind] - len(part))
            found[self._types[kind]] = part[torch.from_numpy(places).to(self.device)]
        return found

    def arrays(self) -> Any:
        """All ids as arrays."""
        arrays = [part.cpu().numpy() for part in self._parts]
        return arrays[0] if self._types is None else dict(zip(self._types, arrays, strict=True))


def _tensor(values: Any) -> Tensor:
    tensor = values if torch.is_tensor(values) else torch.as_tensor(values)
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
        raise TypeError(f"indices: expected ids as ints, got {tensor.dtype}")
    if tensor.dim() != 1:
        raise ValueError(f"indices: expected shape (n,), got {tuple(tensor.shape)}")
    return tensor


class Batches(torch.utils.data.IterableDataset):  # type: ignore[misc]
    """The batches of the epoch that began last. Worker w of n takes the batches w, w + n, ... of the rank, which torch
    returns in order.

    Args:
        ids: the ids.
        order: the order of the batches.
        persistent: whether workers live for several epochs. They find the next one in shared memory.
    """

    def __init__(self, ids: Ids, order: BatchOrder, persistent: bool) -> None:
        self._ids, self._order = ids, order
        self._begun = torch.zeros(7, dtype=torch.int64).share_memory_() if persistent else None
        self._pass: Pass | None = None

    @property
    def device(self) -> Any:
        """The device of the ids."""
        return self._ids.device

    def begin(self, begun: Pass) -> None:
        """Sets the epoch of the next iterations."""
        self._pass = begun
        if self._begun is not None:
            numbers = (begun.epoch, begun.first, begun.rank, begun.world, begun.rounds, begun.total)
            self._begun[:] = torch.tensor([signed(begun.seed), *numbers])

    def __iter__(self) -> Iterator[Item]:
        info, begun = torch.utils.data.get_worker_info(), self._pass
        if info is not None and self._begun is not None:
            seed, *numbers = self._begun.tolist()
            begun = Pass(seed & rng.MASK, *numbers)
        assert begun is not None
        named = self._order.named(begun)
        some = named if info is None else itertools.islice(named, info.id, None, info.num_workers)
        return (Item(self._ids.of(batch.ids), batch.batch_seed) for batch in some)
