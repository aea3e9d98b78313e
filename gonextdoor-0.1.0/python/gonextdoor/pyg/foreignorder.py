"""The batches of a sampler of torch or PyG that was passed to a loader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

__all__ = ["GivenBatches"]


class GivenBatches:
    """Batches in the order of a batch sampler. Those before the first that is requested are skipped.

    Args:
        batch_sampler: yields lists or tensors of positions in the loader's input.
    """

    exact = False

    def __init__(self, batch_sampler: Any) -> None:
        self._batch_sampler = batch_sampler

    @property
    def facts(self) -> dict[str, Any]:
        """The batch size and the class of the sampler."""
        inner = getattr(self._batch_sampler, "sampler", self._batch_sampler)
        return {"batch_size": getattr(self._batch_sampler, "batch_size", None), "order": type(inner).__name__}

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def ids(self, seed: int, epoch: int, numbers: Iterable[int]) -> Iterator[tuple[int, npt.NDArray[Any]]]:
        """The numbers of batches, with the positions that each has in the input: (n,) int64."""
        wanted = iter(numbers)
        number = next(wanted, None)
        for at, ids in enumerate(self._batch_sampler):
            if number is None:
                return
            if at == number:
                yield at, ids.numpy() if isinstance(ids, torch.Tensor) else np.asarray(ids, np.int64)
                number = next(wanted, None)
