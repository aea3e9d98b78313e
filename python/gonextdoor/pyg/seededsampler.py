"""SeededSampler: the base of samplers whose batches are functions of their seeds, for LoaderBase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..device.devices import as_torch_means
from ..neighbor.seeds import BatchSeeds

__all__ = ["SeededSampler"]


class SeededSampler:
    """A seed and a device.

    Args:
        seed: as for ``gonextdoor.sample``.
        device: of the batches.
    """

    def __init__(self, seed: Any, device: Any = "cpu") -> None:
        self.seeds, self.device = BatchSeeds(seed), as_torch_means(device)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of the next batches. Each epoch has different batches, and the same epoch gives the same ones.

        Args:
            epoch: the number of the epoch, from 0.
        """
        self.seeds.set_epoch(epoch)

    def sample_many(
        self,
        inputs: Sequence[Any],
        batch_seeds: Sequence[int],
        neg_sampling: None = None,
        *,
        exclude_seed_edges: bool = False,
        start_times: None = None,
        negative_seeds: Sequence[int] | None = None,
        threads: int | None = None,
    ) -> list[Any]:
        """The outputs of batches."""
        return [self._drawn(one, seed) for one, seed in zip(inputs, batch_seeds, strict=True)]

    def _drawn(self, inputs: Any, seed: int) -> Any:
        """The output of a batch. Loaders that draw by a method of their class need none."""
        raise NotImplementedError
