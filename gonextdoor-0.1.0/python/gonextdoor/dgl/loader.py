"""What DGL's DataLoader does before it starts workers: it has our samplers convert the graph, once, where all of them
find it. Without that each worker would convert the graph again in every epoch."""

from __future__ import annotations

import contextlib
import functools
import importlib
from typing import Any

from .framework import dgl

__all__ = ["prepare_before_workers"]


def prepare_before_workers(sampler_type: type[Any]) -> None:
    """Wraps ``dgl.dataloading.DataLoader.__iter__``. A second call changes nothing."""
    loader = dgl.dataloading.DataLoader
    iterate = loader.__iter__
    if hasattr(iterate, "_gonextdoor"):
        return

    @functools.wraps(iterate)
    def prepared(self: Any) -> Any:
        if self.num_workers > 0 and isinstance(self.graph, dgl.DGLGraph):
            sampler: Any = self.graph_sampler
            while sampler is not None and not isinstance(sampler, sampler_type):
                sampler = getattr(sampler, "sampler", None)  # as_edge_prediction_sampler wraps one
            if sampler is not None:
                sampler.prepare(self.graph)
                with contextlib.suppress(ImportError):  # half a second in each worker, which would load it to send
                    importlib.import_module("torch.nested._internal.nested_tensor")
        return iterate(self)

    prepared._gonextdoor = True  # type: ignore[attr-defined]
    loader.__iter__ = prepared
