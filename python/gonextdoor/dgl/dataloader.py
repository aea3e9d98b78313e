"""DataLoader: DGL's loader, with a pipeline, batches that ranks divide, and states."""

from __future__ import annotations

import inspect
import itertools
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import rng
from .._core.arguments import cores
from .._core.binding import refuse_unknown
from .._core.checks import checked_flag
from .._core.seeds import signed
from ..graph.graph import Graph
from ..graph.hetero import HeteroGraph
from ..neighbor.loaderfacts import facts_of
from ..neighbor.options import TorchOptions, options_of, takes_options
from ..neighbor.order import Batch, BatchOrder, Pass, Positions
from ..neighbor.pipelined import Pipelined, checked_budget, depth
from ..neighbor.ranks import Ranks
from ..neighbor.resumable import Resumable
from ..pipeline.meter import Meter
from ..pipeline.prefetch import numbered
from .errors import raises_dgl_errors
from .framework import Tensor, dgl, torch
from .lazyfeatures import bytes_of, with_prefetched
from .sampler import PGSampler

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["DataLoader"]

Array = npt.NDArray[Any]

OPTIONS = "divide", "rank", "world", "even", "share", "prefetch", "prefetch_bytes", "progress"


class DataLoader(Pipelined, Resumable, dgl.dataloading.DataLoader):  # type: ignore[misc]
    """``dgl.dataloading.DataLoader`` for a ``PGSampler``: the same arguments, with batches that depend only on the seed
    of the sampler, the epoch and their number.

    Threads draw batches in advance and gather the features that the sampler prefetches, while the caller uses the
    previous ones. The batches and their order are those without.

    Ranks can divide the batches of an epoch, and ``state_dict`` and ``load_state_dict`` continue it at any batch. Each
    iteration is the next epoch. The ``set_epoch`` of the sampler has no effect here; that of the loader has.

    A negative sampler of DGL draws from the generator of torch or DGL, so the links that it adds are not reproducible.
    With one, nothing is drawn in advance unless you pass ``prefetch``.

    Args:
        graph: the graph.
        indices: the vertices or edges to iterate over, (n,) ids, or a dict of them by type.
        graph_sampler: a ``PGSampler``, or a sampler that calls one, such as that of ``as_edge_prediction_sampler``.
        device: as for DGL's DataLoader.
        use_ddp: True means ``divide="ranks"``, which divides the batches; DGL's DataLoader divides the ids (default
            False).
        ddp_seed: 0; the sampler has the seed.
        batch_size: the number of ids in a batch of a rank (default 1).
        drop_last: whether a last batch of fewer ids is left out (default False).
        shuffle: whether each epoch has the ids in another order, a function of the seed and the epoch (default False).
        use_prefetch_thread: as for DGL's DataLoader.
        use_alternate_streams: as for DGL's DataLoader.
        pin_prefetcher: as for DGL's DataLoader.
        use_uva: as for DGL's DataLoader.
        gpu_cache: as for DGL's DataLoader.
        **kwargs: options of all loaders, as for ``gonextdoor.loader``: divide, rank, world, even, share, prefetch,
            prefetch_bytes and progress. A sampler other than a ``PGSampler``, such as that of
            ``as_edge_prediction_sampler``, is called by one thread. Blocks on a GPU, ``use_uva`` and workers have no
            pipeline. Others are those of ``torch.utils.data.DataLoader``: num_workers, ...

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
    @takes_options(OPTIONS)
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
        **kwargs: Unpack[TorchOptions],
    ) -> None:
        if isinstance(graph, (Graph, HeteroGraph)):
            raise TypeError(f"graph: expected a DGLGraph, got {type(graph).__name__}, which gonextdoor.loader takes")
        names = [*OPTIONS, *inspect.signature(torch.utils.data.DataLoader).parameters]
        refuse_unknown("gonextdoor.dgl.DataLoader", type(self).__init__, kwargs, names)
        if ddp_seed:
            raise ValueError(f"ddp_seed = {ddp_seed!r}: expected 0; the order follows the seed of the sampler")
        sampler, ids = pg_sampler_of(graph_sampler), Ids(indices)
        positions = Positions(len(ids), batch_size, shuffle, drop_last)
        options, rest = options_of(kwargs, OPTIONS)
        for name in ("rank", "world"):
            if checked_flag("use_ddp", use_ddp) and kwargs.get(name) is not None:
                raise ValueError(
                    f"{name} = {kwargs.get(name)!r} with use_ddp = True: pass use_ddp, or rank and world without it"
                )
        ranks = Ranks("ranks" if use_ddp else options["divide"], options["rank"], options["world"], options["even"])
        seeds = sampler._seeds
        order = BatchOrder(positions, seeds.seed, options["share"], ranks, seeds.given)
        batches = Batches(ids, order, bool(rest.get("persistent_workers", False)))
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
            **rest,
        )
        self._order, self._ids, self._meter, self._rows = order, ids, Meter(), None
        self.indices, self.graph_sampler, self.use_ddp = indices, graph_sampler, use_ddp
        self._progress = checked_flag("progress", options["progress"])
        self._pipeline(options["prefetch"], options["prefetch_bytes"])

    @raises_dgl_errors
    def __iter__(self) -> Iterator[Any]:
        """Begins an epoch, or continues that of a loaded state.

        Raises:
            ValueError: the ranks that divide the epoch cannot have equally many batches, or they disagree.
            RuntimeError: one of them did not begin the epoch.
        """
        begun = self._begun()
        if not self._piped:
            self.dataset.begin(begun)
            return self._handed_out(super().__iter__(), begun)
        # torch's own iterator takes a word for its workers. Taking one too keeps later draws the same.
        torch.empty((), dtype=torch.int64).random_(generator=self.generator)
        drawn = self._prefetched(
            self._order.named(begun),
            self,
            self._gathered if self._alone else None,
            together=self._alone,
            timeout=self.timeout,
        )
        return self._handed_out(map(self._finished, drawn), begun)

    # ---- the pipeline

    def _pipeline(self, prefetch: Any, prefetch_bytes: Any) -> None:
        """Checks the arguments of the pipeline, once DGL's loader has checked its own.

        Raises:
            TypeError, ValueError: one is of the wrong type or value, or there is no pipeline.
        """
        sampler, outer = pg_sampler_of(self.graph_sampler), self.graph_sampler
        on_host = self.device.type == "cpu" and self.graph.device.type == "cpu" and not self.use_uva
        self._piped = on_host and not self.num_workers
        for name, value in (("prefetch", prefetch), ("prefetch_bytes", prefetch_bytes)):
            if value is not None and self.num_workers:
                raise ValueError(f"{name} = {value} with num_workers = {self.num_workers}: pass only one of them")
            if value is not None and not on_host:
                raise ValueError(
                    f"{name} = {value} with blocks on {self.device}: the pipeline makes blocks in host memory; leave "
                    f"{name} out, or pass device='cpu'"
                )
        # Whether batches are those of PGSampler itself, which draws several by one call.
        own = all(getattr(type(outer), name, None) is getattr(PGSampler, name) for name in ("sample", "sample_blocks"))
        self._alone = own and isinstance(self.graph, dgl.DGLGraph)
        if prefetch is None and getattr(outer, "negative_sampler", None) is not None:
            prefetch = 0  # it draws from torch's generator, which must not happen concurrently with training
        self._prefetch = depth(prefetch, 0 if sampler.device in ("cpu", "auto") else 1)
        self._budget, self._threads = checked_budget(prefetch_bytes), sampler.threads or cores()
        self._one_at_a_time = threading.Lock()

    def _sample(self, batches: list[Batch]) -> list[Any]:
        ids = [self._ids.of(batch.ids) for batch in batches]
        if self._alone:
            seeds = [batch.batch_seed for batch in batches]
            outs: list[Any] = self.graph_sampler._sample_many(self.graph, ids, seeds, self._threads)
            return outs
        with self._one_at_a_time:  # two epochs may be in progress
            items = [Item(one, batch.batch_seed) for one, batch in zip(ids, batches, strict=True)]
            return [with_prefetched(Seeded(self.graph_sampler).sample(self.graph, item), self) for item in items]

    def _gathered(self, batch: Batch) -> Batch:
        """Makes the blocks of a batch and gathers their features, in a thread."""
        if not isinstance(batch.out, Exception):
            try:
                batch.out = with_prefetched(batch.out(), self)
            except Exception as why:
                raise numbered(why, batch) from why
        return batch

    def _finished(self, batch: Batch) -> Any:
        """The batch that the caller receives."""
        if isinstance(batch.out, Exception):
            raise batch.out
        return batch.out

    def _size(self, batch: Batch) -> int:
        return 0 if isinstance(batch.out, Exception) else bytes_of(batch.out, self.graph)

    def _facts(self) -> dict[str, Any]:
        core_sampler = pg_sampler_of(self.graph_sampler)._for(self.graph).core_sampler
        return {"sampler": type(self.graph_sampler).__name__, **facts_of(core_sampler), **self._input_facts()}

    def _inputs(self) -> Any:
        return self._ids.arrays()

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
