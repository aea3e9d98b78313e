"""LoaderBase: how the loaders number, prefetch and assemble their batches."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data import DataLoader
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader.base import DataLoaderIterator

from .._core.arguments import cores
from .._core.binding import refuse_unknown
from .._core.checks import check_int, checked_flag
from ..neighbor.options import NAMES, options_of
from ..neighbor.order import Batch, Batching, BatchOrder, Pass, Positions
from ..neighbor.pipelined import FeatureReads, Pipelined, checked_budget, depth, looks_ahead
from ..neighbor.presample import presample
from ..neighbor.ranks import Ranks
from ..neighbor.resumable import Resumable
from ..neighbor.windows import refuse_length, window_of
from ..pipeline.meter import Meter
from ..pipeline.prefetch import numbered
from .attributes import Attributes
from .batches import check_features, subgraph
from .datarows import DataRows
from .features import to_device
from .foreignorder import GivenBatches
from .inputs import starts_of
from .outputs import bytes_of, each_tensor, in_stream, pinned
from .sampler import NeighborSampler
from .seededges import ExcludeSeedEdges
from .seededsampler import SeededSampler

__all__ = ["LoaderBase", "random_seed"]


class LoaderBase(Pipelined, Resumable):
    """The common base of NeighborLoader and LinkNeighborLoader; it precedes PyG's loader among their bases."""

    data: Any
    dataset: Any
    input_data: Any
    batch_sampler: Any
    batch_size: Any
    generator: Any
    num_workers: int
    timeout: float
    pin_memory: bool
    filter_per_worker: bool
    transform: Any
    transform_sampler_output: Any
    neg_sampling: Any = None  # of a LinkNeighborLoader
    _takes = NAMES  # its options
    exclude_seed_edges: ExcludeSeedEdges = False  # likewise
    _starts: npt.NDArray[Any] | None = None  # the begins of the time windows of the input

    def _prepare(self, data: Any, sampler: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        """Checks the keyword arguments that PyG's loaders have not, and those that do not go with them.

        Returns:
            The keyword arguments of PyG's loaders.

        Raises:
            TypeError, ValueError: an argument is of the wrong type or value, or does not go with another.
        """
        options, kwargs = options_of(given, self._takes)
        names = inspect.signature(DataLoader).parameters
        refuse_unknown(f"gonextdoor.pyg.{type(self).__name__}", type(self).__init__, kwargs, [*options, *names])
        self._progress = checked_flag("progress", options["progress"])
        self._sampler, self._ours = sampler, isinstance(sampler, (NeighborSampler, SeededSampler))
        where = sampler.device if self._ours else "cpu"
        self._on_gpu = where not in ("cpu", "auto")
        workers = kwargs.get("num_workers", 0)
        prefetch, threads = options["prefetch"], options["threads"]
        for name in ("prefetch", "prefetch_bytes", "threads"):
            if given.get(name) is not None and workers:
                raise ValueError(f"{name} = {given[name]} with num_workers = {workers}: pass only one of them")
        if self._on_gpu and workers:
            raise ValueError(
                f"num_workers = {workers} with device = {where!r}: workers cannot use a GPU; "
                "pass num_workers=0, batches are still prefetched"
            )
        if self._on_gpu and kwargs.get("pin_memory"):
            raise ValueError(
                f"pin_memory = True with device = {where!r}: batches are already there, leave out pin_memory"
            )
        if "batch_size" in kwargs and kwargs["batch_size"] is None and kwargs.get("batch_sampler") is None:
            raise ValueError("batch_size = None: expected a number of seeds, or a batch_sampler")
        # Another sampler may draw from torch's generator, which must not happen concurrently with training.
        gpus = (len(where) if isinstance(where, (list, tuple)) else 1) if self._on_gpu else 0
        store = options["cache"], options["cache_policy"]
        self._prefetch = depth(0 if prefetch is None and not self._ours else prefetch, gpus, looks_ahead(*store))
        self._budget, self._meter = checked_budget(options["prefetch_bytes"]), Meter()
        self._threads = cores() if threads is None else check_int("threads", threads, 1, 1 << 10)
        self._whole = self._ours and isinstance(data, (Data, HeteroData))
        if self._whole:
            check_features(data)
        self._rows: DataRows | None = None
        self._store = store if gpus and self._whole else None
        if store[0] is not None and self._store is None:
            expected = "a GPU" if self._whole else "a Data or a HeteroData"
            raise ValueError(f"cache = {store[0]!r} with device = {where!r}: expected {expected}; leave out cache")
        self._share = options["share"]
        order = next((name for name in ("sampler", "batch_sampler") if kwargs.get(name) is not None), None)
        for name in ("divide", "rank", "world"):
            if order is not None and given.get(name) is not None and options["world"] != 1:
                raise ValueError(
                    f"{name} = {given[name]!r} with {order}: the order of batches is that of {order}; pass one"
                )
        if self._share != 1 and not self._ours:
            raise ValueError(f"share = {self._share}: the given neighbor_sampler is not one of gonextdoor.pyg")
        self._given = order is not None
        self._ranks = Ranks(options["divide"], options["rank"], options["world"], options["even"])
        self._shuffle, self._drop_last = kwargs.get("shuffle") or False, kwargs.get("drop_last", False)
        return kwargs

    def _begin_windows(self, given: Any, each: str, ends: Any) -> None:
        """Checks and keeps the argument ``input_start_time``.

        Args:
            given: the argument, one time for each of the input; None: there are no windows.
            each: "node" or "link", for errors.
            ends: (n,) tensor, the ends of the windows; None: they are not known yet.
        """
        if given is None:
            return
        if not self._ours:
            raise ValueError("input_start_time: the given neighbor_sampler is not one of gonextdoor.pyg")
        if not self._sampler.is_temporal:
            raise ValueError("'time_attr' is not set, but input_start_time is: set both, or neither")
        self._starts = starts_of(given, len(self.dataset), each)
        if ends is not None:
            refuse_length("the ends of the windows", ends, len(self.dataset), each)
            window_of(self._starts, np.asarray(ends.cpu().numpy(), np.int64), self._sampler.strict)  # refuses early

    def _begin(self, chosen: bool) -> None:
        """Sets the order of the batches, and replaces the dataset by one that returns batch indices unchanged, so that
        no element is looked up. chosen: whether the caller chose the seed, or the sampler that has it."""
        count, seed = len(self.dataset), self._sampler.seeds.seed if self._ours else random_seed(self.generator)
        fixed = chosen and self._ours and self._sampler.seeds.given
        batching: Batching = GivenBatches(self.batch_sampler)
        if not self._given:
            batching = Positions(count, self.batch_size, self._shuffle, self._drop_last)
        self._order = BatchOrder(batching, seed, self._share, self._ranks, fixed)
        self._pass: Pass | None = None
        self._attributes = Attributes()
        self._beginning = False  # whether __iter__ has begun the epoch of the next iterator
        if self._store is not None:
            self._rows = DataRows(self.data, self._sampler, *self._store, self._presampled)
        self.__dict__["dataset"] = Dataset(count)

    def __iter__(self) -> Iterator[Any]:
        """Begins an epoch, or continues that of a loaded state.

        Raises:
            ValueError: the ranks that divide the epoch cannot have equally many batches, or they disagree.
            RuntimeError: one of them did not begin the epoch.
        """
        self._pass = self._begun()
        if self._rows is not None:
            self._rows.data = self.data
        self._beginning = True
        try:
            return self._handed_out(super().__iter__(), self._pass)  # type: ignore[misc]
        finally:
            self._beginning = False

    @property
    def _index_sampler(self) -> Batches:
        return Batches(self)

    def _named(self) -> Iterator[Batch]:
        """The batches of the epoch that began last."""
        assert self._pass is not None
        return self._order.named(self._pass)  # with arrays: tensors for workers would become files in shared memory

    def _facts(self) -> dict[str, Any]:
        """What a state must have in common with this loader."""
        if not self._ours:
            return {"sampler": type(self._sampler).__name__, **self._input_facts()}
        return {**self._sampler._facts(), **self._input_facts()}

    def _core(self) -> Any:
        return self._sampler.core_sampler()

    # ---- drawing

    def _one(self, asked: Any, **named: Any) -> Any:
        """The output of the sampler for its input."""
        raise NotImplementedError

    def collate_fn(self, index: Any) -> Any:
        """Samples a batch: one that this loader named, or any places in its input."""
        if not isinstance(index, Batch):
            named = {} if self._starts is None else {"start_time": self._starts[np.asarray(index)]}
            out = self._one(self.input_data[index], **named)
            return self.filter_fn(out) if self.filter_per_worker else out
        try:
            out = self._sample([index])[0]
            return self.filter_fn(out) if self.filter_per_worker else out
        except Exception as why:
            raise numbered(why, index) from why

    def _sample(self, batches: list[Batch]) -> list[Any]:
        asked, batch_seeds, own = [], [], []
        for batch in batches:
            asked.append(self.input_data[torch.from_numpy(batch.ids)])
            batch_seeds.append(batch.batch_seed)
            own.append(batch.own_seed)
        if not self._ours:
            return [self._one(one) for one in asked]
        threads = 1 if self.num_workers else self._threads
        outs: list[Any] = self._sampler.sample_many(
            asked,
            batch_seeds,
            self.neg_sampling,
            exclude_seed_edges=self.exclude_seed_edges,
            start_times=None if self._starts is None else [self._starts[batch.ids] for batch in batches],
            negative_seeds=own,
            threads=threads,
        )
        return outs

    def _presampled(self, ids_of: Callable[[Any], Mapping[Any, Any]], vertices: Mapping[Any, int]) -> Mapping[Any, Any]:
        """The visits of the next batches; see ``presample``."""
        return presample(self._order.preview(), self._draw, ids_of, vertices)

    def _gathered(self, batch: Batch) -> Batch:
        """A batch with its features, assembled by a thread."""
        if not isinstance(batch.out, Exception):
            try:
                batch.out = self._joined(batch.out, alone=self._prefetch == 0)
            except Exception as why:
                raise numbered(why, batch) from why
        return batch

    def _size(self, batch: Batch) -> int:
        """The bytes of a batch, without rows that are read later."""
        return bytes_of(batch.out)

    # ---- putting a batch together

    def _joined(self, out: Any, alone: bool = True, rows: Any = None) -> Any:
        gpu, ready = self._gpu_of(out) if self._on_gpu else None, {}
        if self._rows is not None:
            ready = self._rows.tensors(self._rows.start(self._rows.ids(out)).wait() if rows is None else rows, gpu)
        batch = subgraph(self.data, out, self._attributes, device=gpu, alone=alone, ready=ready)
        self._describe(batch, out.metadata if gpu is None else tuple(to_device(part, gpu) for part in out.metadata))
        return batch

    def _gpu_of(self, out: Any) -> torch.device | None:
        """The GPU that drew a batch; None: the CPU did."""
        if not self._on_gpu:
            return None
        node = out.node if torch.is_tensor(out.node) else next(iter(out.node.values()))
        return None if node.device.type == "cpu" else node.device

    def _describe(self, batch: Any, metadata: tuple[Any, ...]) -> None:
        """Sets what a batch knows of the loader's input."""
        raise NotImplementedError

    def filter_fn(self, out: Any, rows: Any = None) -> Any:
        """The sampled subgraph with its features, transformed."""
        if isinstance(out, (Data, HeteroData)):  # a thread has put it together
            return out if self.transform is None else self.transform(out)
        gpu = self._gpu_of(out)
        if gpu is not None:
            in_stream(out, gpu)
        if not self._whole:
            if gpu is not None:  # others' stores look rows up in this machine's memory
                each_tensor(out, torch.Tensor.cpu)
            return to_device(super().filter_fn(out), gpu)  # type: ignore[misc]
        if self.transform_sampler_output is not None:
            out = self.transform_sampler_output(out)
        batch = self._joined(out, rows=rows)
        return batch if self.transform is None else self.transform(batch)

    def _finished(self, batch: Batch) -> Any:
        """Converts the result of a thread to what this loader returns."""
        out = batch.out
        if isinstance(out, Exception):
            raise out
        begin = time.perf_counter()
        try:
            ready = isinstance(out, (Data, HeteroData)) and self.transform is None  # a thread has put it together
            whole = out if ready else self.filter_fn(out, batch.rows)
            return pinned(whole) if self.pin_memory else whole
        except Exception as why:
            raise numbered(why, batch) from why
        finally:
            self._meter.assembled(batch.number, begin)

    # ---- an epoch

    def _reads(self) -> FeatureReads | None:
        """Reads features to the GPU in advance, unless the ids may still change."""
        if self._rows is None or self.transform_sampler_output:
            return None
        return FeatureReads(self._rows, self._rows.ids, self._rows.size)

    def _get_iterator(self) -> Iterator[Any]:
        if not self._beginning:  # a program of PyG's calls it
            return iter(self)
        if self.num_workers > 0:
            finish = as_it_is if self.filter_per_worker else self.filter_fn
            return WorkerIterator(DataLoader._get_iterator(self), finish)
        # torch's own iterator takes a word for its workers. Taking one too keeps later draws the same.
        torch.empty((), dtype=torch.int64).random_(generator=self.generator)
        # Work on a GPU belongs to the stream of the thread that iterates.
        beside = self._whole and self.filter_per_worker and not self._on_gpu and not self.transform_sampler_output
        batches, gather = Batches(self), self._gathered if beside else None
        drawn = self._prefetched(iter(batches), batches, gather, together=self._ours, timeout=self.timeout)
        return DataLoaderIterator(drawn, self._finished)  # type: ignore[no-any-return, unused-ignore]


class Dataset:
    """The positions 0 to n - 1 of a loader's input."""

    def __init__(self, n: int) -> None:
        self._n = n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, place: int) -> int:
        if not 0 <= place < self._n:
            raise IndexError(f"index {place} is out of range: the loader's input has {self._n}")
        return place

    def __getitems__(self, batch: Any) -> Any:
        return batch


class Batches:
    """The batches of the epoch of a loader that began last."""

    def __init__(self, loader: LoaderBase) -> None:
        self._loader = loader

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[Batch]:
        return self._loader._named()


class WorkerIterator(DataLoaderIterator):  # type: ignore[misc, unused-ignore]
    """Iterates over what workers make, and says for which batch one died. Other attributes are those of torch's
    iterator."""

    def __next__(self) -> Any:
        try:
            return super().__next__()
        except RuntimeError as why:
            if "exited unexpectedly" in str(why) or "killed by signal" in str(why):
                raise RuntimeError(f"batch {self.iterator._num_yielded} of this epoch: {why}") from why
            raise

    def __getattr__(self, name: str) -> Any:
        if name == "iterator":
            raise AttributeError(name)
        return getattr(self.iterator, name)


def random_seed(generator: torch.Generator | None) -> int:
    """A word of torch's generator, or of the given one."""
    return int(torch.empty((), dtype=torch.int64).random_(generator=generator))


def as_it_is(batch: Any) -> Any:
    """The same."""
    return batch
