"""FeatureStore: features of ``gonextdoor.features`` for PyG's loaders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch_geometric.data
from torch_geometric.data import TensorAttr

from .. import features
from ..features import Features
from ..features.pending import PendingRead

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["FeatureStore"]

Key = tuple[Any, Any]


class FeatureStore(torch_geometric.data.FeatureStore):  # type: ignore[misc]
    """A ``torch_geometric.data.FeatureStore`` of ``gonextdoor.features``: arrays, tensors and files larger than memory.

    It is the first item of the tuple that loaders take instead of ``Data``, the loaders of PyG and of this package. All
    reads of a batch run at once. They return tensors, on the device of the index.

    Args:
        features: features by (group, attribute), such as ``("paper", "x")``: the result of
            ``gonextdoor.features.open``, or one of its sources. The group of a homogeneous graph is None. More are
            added by ``put_tensor``.
        threads: CPU threads of a read; None (default): one per core that this process may use. Workers of a DataLoader
            use one.

    Raises:
        TypeError: features have a dtype that torch lacks, or a source has no rows of numbers.
        ValueError: a source cannot be opened; see ``gonextdoor.features.open``.

    Examples:
        >>> import gonextdoor.pyg
        >>> import numpy as np
        >>> import torch
        >>> store = gnd.pyg.FeatureStore({("paper", "x"): np.arange(6.0).reshape(3, 2)})
        >>> store.get_tensor(group_name="paper", attr_name="x", index=torch.tensor([2, 0]))
        tensor([[4., 5.],
                [0., 1.]], dtype=torch.float64)
    """

    def __init__(self, features: Mapping[Key, Any] | None = None, *, threads: int | None = None) -> None:
        super().__init__()
        self.__dict__.update(_held={}, _threads=threads)  # attributes of a PyG store are views of it
        for key, source in (features or {}).items():
            if not isinstance(key, tuple) or len(key) != 2:
                raise TypeError(f'features: expected keys (group, attribute), such as ("paper", "x"), got {key!r}')
            self._put_tensor(source, TensorAttr(*key, index=None))

    def __len__(self) -> int:
        return len(self._held)

    def _put_tensor(self, tensor: Any, attr: TensorAttr) -> bool:
        """Adds features, or replaces the rows of an index. Returns False for an index of features that are missing."""
        key = attr.group_name, attr.attr_name
        if attr.index is not None:
            known = self._held.get(key)
            if known is not None:
                known.update(_converted(tensor, known), _rows(attr.index, len(known)))
            return known is not None
        opened = tensor if isinstance(tensor, Features) else features.open(tensor, threads=self._threads)
        self._held[key] = opened.as_tensors()
        return True

    def _get_tensor(self, attr: TensorAttr) -> Tensor | None:
        read = self._begun(attr)
        return None if read is None else _arrived(read, attr.index)

    def _multi_get_tensor(self, attrs: list[TensorAttr]) -> list[Tensor | None]:
        """The rows of several features. All reads have begun before the first is waited for."""
        reads = [self._begun(attr) for attr in attrs]
        return [None if read is None else _arrived(read, attr.index) for read, attr in zip(reads, attrs, strict=True)]

    def _remove_tensor(self, attr: TensorAttr) -> bool:
        return self._held.pop((attr.group_name, attr.attr_name), None) is not None

    def _get_tensor_size(self, attr: TensorAttr) -> Any:
        known = self._held.get((attr.group_name, attr.attr_name))
        if known is None:
            return None
        if attr.index is None:
            return torch.Size(known.shape)
        return torch.Size((*_rows(attr.index, len(known)).shape, *known.shape[1:]))

    def get_all_tensor_attrs(self) -> list[TensorAttr]:
        """The groups and attributes of all features, without an index."""
        return [TensorAttr(*key) for key in self._held]

    def _begun(self, attr: TensorAttr) -> PendingRead | None:
        known: Features | None = self._held.get((attr.group_name, attr.attr_name))
        if known is None:
            return None
        if torch.utils.data.get_worker_info() is not None:  # other workers read at the same time
            known = known.with_threads(1)
        try:
            return known.read_async(_rows(attr.index, len(known)))
        except IndexError as why:
            raise IndexError(f"features {(attr.group_name, attr.attr_name)}: {why}") from None


def _rows(index: Any, count: int) -> Any:
    """The ids of an index of PyG, in host memory: None is every row, a mask the rows that are True."""
    if index is None:
        return np.arange(count)
    if isinstance(index, slice):
        return np.arange(*index.indices(count))
    if isinstance(index, torch.Tensor):
        index = index.detach().cpu().numpy()
    index = np.asarray(index)
    if index.dtype == np.bool_ and index.shape == (count,):
        return np.flatnonzero(index)
    return index


def _arrived(read: PendingRead, index: Any) -> Tensor:
    """The rows of a read, on the device of the index."""
    rows: Tensor = read.wait()
    return rows.to(index.device, non_blocking=True) if isinstance(index, torch.Tensor) else rows


def _converted(values: Any, known: Features) -> Any:
    """New rows as a tensor, if they are an array of a dtype that torch has."""
    return torch.as_tensor(values, dtype=known.dtype) if not isinstance(values, torch.Tensor) else values.cpu()
