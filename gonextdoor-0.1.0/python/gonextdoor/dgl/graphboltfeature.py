"""GraphBoltFeature: features of ``gonextdoor.features`` as a feature of GraphBolt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dgl.graphbolt as gb
import numpy as np

from .. import features
from ..features import Features
from .errors import raises_dgl_errors
from .features import Fetched
from .framework import Tensor, torch

__all__ = ["GraphBoltFeature"]


class GraphBoltFeature(gb.Feature):  # type: ignore[misc]
    """A ``dgl.graphbolt.Feature`` of ``gonextdoor.features``, for ``dgl.graphbolt.BasicFeatureStore``.

    Rows are returned on the device of the ids.

    Args:
        source: the result of ``gonextdoor.features.open``, or one of its sources.
        metadata: what ``metadata()`` returns.

    Raises:
        TypeError: the features have a dtype that torch lacks, or the source has no rows of numbers.
        ValueError: the source cannot be opened. Each error is also a ``dgl.DGLError``.

    Examples:
        >>> import dgl.graphbolt as gb
        >>> import gonextdoor.dgl
        >>> import numpy as np
        >>> import torch
        >>> feature = gnd.dgl.GraphBoltFeature(np.arange(6.0).reshape(3, 2))
        >>> store = gb.BasicFeatureStore({("node", None, "feat"): feature})
        >>> store.read("node", None, "feat", torch.tensor([2, 0]))
        tensor([[4., 5.],
                [0., 1.]], dtype=torch.float64)
    """

    @raises_dgl_errors
    def __init__(self, source: Any, metadata: dict[str, Any] | None = None) -> None:
        super().__init__()
        opened = source if isinstance(source, Features) else features.open(source)
        self._features, self._metadata = opened.as_tensors(), metadata

    @raises_dgl_errors
    def read(self, ids: Tensor = None) -> Tensor:
        """The rows of ids, on their device; None (default): all rows."""
        if ids is None:
            return self._features[:]
        return self._features.read(ids.cpu()).to(ids.device)

    @raises_dgl_errors
    def read_async(self, ids: Tensor) -> Iterator[Any]:
        """Begins to read rows in the background, in one stage: yields an object whose ``wait()`` returns the rows."""
        yield Fetched(self._features.read_async(ids.cpu()), ids.device, False)

    def read_async_num_stages(self, ids_device: Any) -> int:
        """The number of stages of ``read_async``: 1 on every device."""
        return 1

    def size(self) -> Any:
        """The shape of a row, a ``torch.Size``."""
        return torch.Size(self._features.shape[1:])

    def count(self) -> int:
        """The number of rows."""
        return len(self._features)

    @raises_dgl_errors
    def update(self, value: Tensor, ids: Tensor = None) -> None:
        """Replaces the rows of ids, in the source itself; None (default): all rows."""
        rows = np.arange(len(self._features)) if ids is None else ids.cpu()
        self._features.update(value.cpu(), rows)

    def metadata(self) -> dict[str, Any]:
        """The metadata that were given; empty by default."""
        return {} if self._metadata is None else self._metadata
