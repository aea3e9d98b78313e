"""SubgraphLoader: the base of the loaders whose batches are sets of nodes, with the edges among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader
from torch_geometric.data import Data, HeteroData

from ..neighbor.loaderfacts import graph_facts
from ..neighbor.options import NAMES
from ..neighbor.order import Batch
from .features import Rows
from .loader_base import LoaderBase, random_seed
from .seededsampler import SeededSampler

__all__ = ["OPTIONS", "SubgraphLoader", "put_rows"]

OPTIONS = NAMES - {"cache", "cache_policy", "share"}


class SubgraphLoader(LoaderBase, DataLoader):  # type: ignore[misc, type-arg, unused-ignore]
    """Draws batches by a method of the class, and assembles them by another. It has the order, the ranks and the states
    of all loaders."""

    input_data: torch.Tensor
    _takes = OPTIONS

    def _open(self, data: Any, inputs: torch.Tensor, kwargs: Any, seed: Any, device: Any = "cpu", **more: Any) -> None:
        """Makes the loader.

        Args:
            data: the whole graph.
            inputs: (n,) what batches are made of, nodes for example.
            kwargs: those of the class: options of loaders, and arguments of torch's DataLoader.
            seed: None: a word of torch's generator.
            device: "cpu", or one GPU.
            more: arguments of torch's DataLoader.
        """
        for name in ("dataset", "collate_fn"):  # Lightning passes them when it makes a loader again
            kwargs.pop(name, None)
        if device is not None and not isinstance(device, (str, torch.device)):
            raise TypeError(f'device = {device!r}: expected "cpu", or one GPU such as "cuda"')
        own = SeededSampler(random_seed(kwargs.get("generator")) if seed is None else seed, device or "cpu")
        if own.device == "auto":
            raise ValueError('device = "auto": expected "cpu", or one GPU such as "cuda"')
        self.data, self.input_data = data, inputs
        self.transform = self.transform_sampler_output = None  # type: ignore[assignment, unused-ignore]
        self.filter_per_worker = True
        rest = {**self._prepare(data, own, kwargs), **more}
        DataLoader.__init__(self, range(len(inputs)), collate_fn=self.collate_fn, **rest)  # type: ignore[arg-type, unused-ignore]
        self._begin(seed is not None)

    def _draws(self, inputs: list[torch.Tensor], batches: Sequence[Batch], threads: int) -> list[Any]:
        """What each batch has, on the device that drew it: a SamplerOutput."""
        raise NotImplementedError

    def _made(self, out: Any, nodes: Rows, edges: Rows) -> Data | HeteroData:
        """A batch of PyG's form, of what ``_draws`` returned."""
        raise NotImplementedError

    def _arguments(self) -> dict[str, Any]:
        """The arguments on which batches depend, and the graph if it is one of the core."""
        raise NotImplementedError

    def _there(self, part: torch.Tensor) -> torch.Tensor:
        """A tensor on the GPU of the batches, if there is one that torch can use."""
        return part.to(self._sampler.device) if self._on_gpu and torch.cuda.is_available() else part

    # ---- what LoaderBase asks for

    def _sample(self, batches: list[Batch]) -> list[Any]:
        inputs = [self.input_data[torch.from_numpy(np.asarray(batch.ids))] for batch in batches]
        return self._draws(inputs, batches, 1 if self.num_workers else self._threads)

    def _one(self, asked: Any, **named: Any) -> Any:
        seed = self._sampler.seeds.batch_seed(None, asked.numpy())
        return self._draws([asked], [Batch(None, seed, seed, 0, 0, seed)], 1)[0]

    def _joined(self, out: Any, alone: bool = True, rows: Any = None) -> Any:
        gpu = self._gpu_of(out)
        index = [torch.empty(0, dtype=torch.int64) if part is None else part for part in (out.node, out.edge)]
        worker = torch.utils.data.get_worker_info() is not None
        nodes, edges = (Rows(part, gpu, alone, worker) for part in index)
        return self._made(out, nodes, edges)

    def _facts(self) -> dict[str, Any]:
        facts = self._arguments()
        graph = facts.pop("graph", None)
        known = {} if graph is None else graph_facts(graph)
        return {"loader": type(self).__name__, **known, **facts, **self._input_facts()}

    def _inputs(self) -> Any:
        return self.input_data.numpy()


def put_rows(data: Data, batch: Data, nodes: Rows, edges: Rows, left_out: Iterable[str]) -> None:
    """Sets the attributes of a batch as PyG's SAINT and ShaDow loaders do: the rows of tensors that have one per node
    or else one per edge, and other values as they are."""
    num_nodes, num_edges = data.num_nodes, data.num_edges
    for name, value in data:
        if name in left_out:
            continue
        size = value.size(0) if isinstance(value, torch.Tensor) and value.dim() > 0 else None
        rows = nodes if size == num_nodes else edges if size == num_edges else None
        batch[name] = value if rows is None or size is None else rows.of(name, value)
