"""LoaderBase: how the loaders number, prefetch and assemble their batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader.base import DataLoaderIterator

from .._core.arguments import cores
from .._core.checks import check_int
from ..rng import SEEDS, key, stream, word
from .batches import subgraph
from .features import to_device
from .prefetch import NamedBatch, Prefetcher, numbered
from .sampler import NeighborSampler

__all__ = ["LoaderBase"]

SUPER = 8  # batches of each GPU per call, and at most per call on the CPU


class LoaderBase:
    """The common base of NeighborLoader and LinkNeighborLoader; it precedes PyG's loader among their bases."""

    data: Any
    dataset: Any
    input_data: Any
    batch_sampler: Any
    generator: Any
    num_workers: int
    timeout: float
    pin_memory: bool
    filter_per_worker: bool
    transform: Any
    transform_sampler_output: Any

    def _prepare(
        self, data: Any, sampler: Any, prefetch: int | None, threads: int | None, kwargs: dict[str, Any]
    ) -> None:
        """Checks the arguments that PyG's loaders have not, and those that do not go with them.

        Raises:
            TypeError, ValueError: an argument is of the wrong type or value, or does not go with another.
        """
        self._sampler, self._ours, self._epoch = sampler, isinstance(sampler, NeighborSampler), 0
        where = sampler.device if self._ours else "cpu"
        self._on_gpu = where not in ("cpu", "auto")
        workers = kwargs.get("num_workers", 0)
        for name, value in (("prefetch", prefetch), ("threads", threads)):
            if value is not None and workers:
                raise ValueError(f"{name} = {value} with num_workers = {workers}: pass only one of them")
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
        # Two calls are in progress: one is always queued on each GPU while the results of the other are read.
        gpus = len(where) if isinstance(where, (list, tuple)) else 1
        usual = 2 * (SUPER * gpus if self._on_gpu else min(SUPER, cores())) if self._ours else 0
        self._prefetch = usual if prefetch is None else check_int("prefetch", prefetch, 0, 1 << 20)
        self._threads = cores() if threads is None else check_int("threads", threads, 1, 1 << 10)
        self._whole = self._ours and isinstance(data, (Data, HeteroData))

    def _begin(self) -> None:
        """Replaces the dataset by one that returns batch indices unchanged, so that no element is looked up."""
        self.__dict__["dataset"] = Positions(len(self.dataset))

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch that is iterated over next. Without this call, its number is one more than that of the
        previous epoch.

        Args:
            epoch: the number of the epoch, from 0.
        """
        self._epoch = check_int("epoch", epoch, 0, (1 << 63) - 1)

    @property
    def _index_sampler(self) -> Batches:
        return Batches(self)

    def _named(self) -> Iterator[NamedBatch]:
        """The batches of the next epoch."""
        epoch = self._epoch
        self._epoch += 1
        k = key(stream(self._sampler.seeds.seed, SEEDS), epoch) if self._ours else 0
        for number, ids in enumerate(places(self.batch_sampler)):
            # A tensor on its way to a worker would become a file in shared memory.
            yield NamedBatch(ids.numpy() if self.num_workers else ids, word(k, number), epoch, number)

    # ---- drawing

    def _one(self, asked: Any, **named: Any) -> Any:
        """The output of the sampler for its input."""
        raise NotImplementedError

    def _more(self) -> tuple[Any, ...]:
        """Additional arguments of the sampler."""
        return ()

    def collate_fn(self, index: Any) -> Any:
        """Samples a batch: one that this loader named, or any places in its input."""
        if not isinstance(index, NamedBatch):
            out = self._one(self.input_data[index])
            return self.filter_fn(out) if self.filter_per_worker else out
        out = self._drawn(index)
        try:
            return self.filter_fn(out) if self.filter_per_worker else out
        except Exception as why:
            raise numbered(why, index) from why

    def _draw(self, batches: list[NamedBatch]) -> list[tuple[NamedBatch, Any]]:
        """Draws several batches in a thread. The result of a failed batch is its error."""
        if self._ours and len(batches) > 1:
            batch_seeds = [batch.batch_seed for batch in batches]
            try:
                asked = [self.input_data[batch.ids] for batch in batches]
                outs = self._sampler.sample_many(asked, batch_seeds, *self._more(), threads=self._threads)
                return list(zip(batches, outs, strict=True))
            except Exception:  # one of them: it is found below, and the others are still to be had
                return [self._tried(batch) for batch in batches]
        if len(batches) == 1:
            return [self._tried(batches[0])]
        return [self._tried(batch) for batch in batches]

    def _tried(self, batch: NamedBatch) -> tuple[NamedBatch, Any]:
        """Draws a batch, and returns the error if it fails."""
        try:
            return batch, self._drawn(batch)
        except Exception as why:
            return batch, why

    def _drawn(self, batch: NamedBatch) -> Any:
        """Draws a batch.

        Raises:
            the error of the sampler, with the number of the batch.
        """
        try:
            ids = torch.from_numpy(batch.ids) if isinstance(batch.ids, np.ndarray) else batch.ids
            asked = self.input_data[ids]
            if not self._ours:
                return self._one(asked)
            threads = 1 if self.num_workers else self._threads
            return self._sampler.sample_many([asked], [batch.batch_seed], *self._more(), threads=threads)[0]
        except Exception as why:
            raise numbered(why, batch) from why

    def _gathered(self, drawn: tuple[NamedBatch, Any]) -> tuple[NamedBatch, Any]:
        """A batch with its features, assembled by a thread."""
        batch, out = drawn
        if isinstance(out, Exception):
            return drawn
        try:
            return batch, self._joined(out, alone=self._prefetch == 0)
        except Exception as why:
            raise numbered(why, batch) from why

    # ---- putting a batch together

    def _joined(self, out: Any, alone: bool = True) -> Any:
        gpu = self._gpu_of(out)
        batch = subgraph(self.data, out, device=gpu, alone=alone)
        self._describe(batch, tuple(to_device(part, gpu) for part in out.metadata))
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

    def filter_fn(self, out: Any) -> Any:
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
        batch = self._joined(out)
        return batch if self.transform is None else self.transform(batch)

    def _finished(self, drawn: tuple[NamedBatch, Any]) -> Any:
        """Converts the result of a thread to what this loader returns."""
        batch, out = drawn
        if isinstance(out, Exception):
            raise out
        try:
            whole = self.filter_fn(out)
            return pinned(whole) if self.pin_memory else whole
        except Exception as why:
            raise numbered(why, batch) from why

    # ---- an epoch

    def _get_iterator(self) -> Iterator[Any]:
        if self.num_workers > 0:
            finish = as_it_is if self.filter_per_worker else self.filter_fn
            return WorkerIterator(DataLoader._get_iterator(self), finish)
        # torch's own iterator takes a word for its workers. Taking one too keeps later draws the same.
        torch.empty((), dtype=torch.int64).random_(generator=self.generator)
        group = max(1, self._prefetch // 2) if self._ours else 1
        # Work on a GPU belongs to the stream of the thread that iterates.
        beside = self._whole and self.filter_per_worker and not self._on_gpu and not self.transform_sampler_output
        batches = Batches(self)
        drawn = Prefetcher(
            iter(batches),
            self._draw,
            self._gathered if beside else None,
            batches,
            group=group,
            ahead=-(-self._prefetch // group),
            threads=min(self._prefetch, 1 + self._threads if beside else 2 if self._ours else 1),
            timeout=self.timeout,
        )
        return DataLoaderIterator(drawn, self._finished)  # type: ignore[no-any-return, unused-ignore]


class Positions:
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
    """The batches of a loader's next epoch, whenever that begins."""

    def __init__(self, loader: LoaderBase) -> None:
        self._loader = loader

    def __len__(self) -> int:
        return len(self._loader.batch_sampler)

    def __iter__(self) -> Iterator[NamedBatch]:
        return self._loader._named()


class WorkerIterator(DataLoaderIterator):  # type: ignore[misc, unused-ignore]
    """Iterates over what workers make, and says for which batch one died."""

    def __next__(self) -> Any:
        try:
            return super().__next__()
        except RuntimeError as why:
            if "exited unexpectedly" in str(why) or "killed by signal" in str(why):
                raise RuntimeError(f"batch {self.iterator._num_yielded} of this epoch: {why}") from why
            raise


def places(batch_sampler: Any) -> Iterator[torch.Tensor]:
    """The places of each batch, as the batch sampler has them: the usual ones without a list of ints."""
    order = _order(batch_sampler.sampler) if type(batch_sampler) is BatchSampler else None
    if order is None:
        for ids in batch_sampler:
            yield ids if isinstance(ids, torch.Tensor) else torch.tensor(ids, dtype=torch.int64)
        return
    size = batch_sampler.batch_size
    end = len(order) - len(order) % size if batch_sampler.drop_last else len(order)
    for at in range(0, end, size):
        yield order[at : at + size].clone()


def _order(sampler: Any) -> torch.Tensor | None:
    """The order in which torch's samplers visit their data, from the same random words of the generator."""
    if type(sampler) is SequentialSampler:
        return torch.arange(len(sampler.data_source))
    if type(sampler) is not RandomSampler or sampler.replacement or sampler.num_samples != len(sampler.data_source):
        return None
    n = len(sampler.data_source)
    if sampler.generator is None:
        generator = torch.Generator()
        generator.manual_seed(int(torch.empty((), dtype=torch.int64).random_().item()))
        return torch.randperm(n, generator=generator)
    order = torch.randperm(n, generator=sampler.generator)
    torch.randperm(n, generator=sampler.generator)  # torch takes the empty rest from a second one
    return order


def each_tensor(out: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Changes the tensors of a sampler's output."""

    def changed(value: Any) -> Any:
        return change(value) if isinstance(value, torch.Tensor) else value

    for name, value in vars(out).items():
        if isinstance(value, dict):
            setattr(out, name, {key: changed(one) for key, one in value.items()})
        elif isinstance(value, tuple):
            setattr(out, name, tuple(changed(one) for one in value))
        else:
            setattr(out, name, changed(value))


def in_stream(out: Any, device: torch.device) -> None:
    """Copies a batch for the stream of this thread, unless that is the default one: the memory of a batch is given back
    after the work of the default stream."""
    own, usual = torch.cuda.current_stream(device), torch.cuda.default_stream(device)
    if own != usual:
        before = dict(vars(out))  # keeps its memory until the copies are complete
        own.wait_stream(usual)
        each_tensor(out, torch.Tensor.clone)
        usual.wait_stream(own)
        del before


def pinned(batch: Any) -> Any:
    """Copies the batch to pinned memory if a GPU is available."""
    return batch.pin_memory() if torch.cuda.is_available() and hasattr(batch, "pin_memory") else batch


def as_it_is(batch: Any) -> Any:
    """The same."""
    return batch
