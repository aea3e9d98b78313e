"""Ranks: the processes that share the batches of an epoch."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Literal

from .._core.checks import check_int
from ..device.devices import as_torch_means

__all__ = ["Even", "Ranks"]

Even = Literal["wrap", "drop", "error"]

MOST = 1 << 20  # ranks


class Ranks:
    """The rank of this process among those that share the batches of an epoch.

    Args:
        rank, world: the rank and the number of ranks; None: those of ``torch.distributed`` if it is initialised, and
            otherwise 0 and 1. Both are read when they are needed. ``world=1`` alone: all batches.
        even: what is done if the batches cannot be divided evenly: "wrap", "drop" or "error".

    Raises:
        TypeError, ValueError: an argument is of the wrong type or value.
    """

    __slots__ = ("_given", "even")

    def __init__(self, rank: Any, world: Any, even: Any) -> None:
        if not isinstance(even, str):
            raise TypeError(f"even = {even!r}: expected 'wrap', 'drop' or 'error'")
        if even not in ("wrap", "drop", "error"):
            raise ValueError(f"even = {even!r}: expected 'wrap', 'drop' or 'error'")
        self.even = even
        self._given: tuple[int, int] | None = None
        if world is not None:
            world = check_int("world", world, 1, MOST)
            if rank is None and world > 1:
                raise ValueError(f"world = {world} without rank: pass both, or neither to read torch.distributed")
            self._given = 0 if rank is None else check_int("rank", rank, 0, world - 1), world
        elif rank is not None:
            raise ValueError(f"rank = {rank!r} without world: pass both, or neither to read torch.distributed")

    @property
    def given(self) -> bool:
        """Whether rank and world were passed, so that torch.distributed is not read."""
        return self._given is not None

    def current(self) -> tuple[int, int]:
        """The rank and the number of ranks."""
        if self._given is not None:
            return self._given
        distributed = _distributed()
        return (0, 1) if distributed is None else (distributed.get_rank(), distributed.get_world_size())

    def rounds(self, batches: int, world: int) -> int:
        """The number of batches that each rank takes.

        Raises:
            ValueError: they cannot be divided evenly, and ``even`` is "error".
        """
        whole, left = divmod(batches, world)
        if left and self.even == "error":
            raise ValueError(
                f'even = "error": {batches} batches cannot be divided evenly among {world} ranks, {left} would be left '
                'over; pass even="wrap" or even="drop", or another batch_size'
            )
        return whole + bool(left and self.even == "wrap")

    def agree(self, **own: Any) -> None:
        """Compares values that all processes of ``torch.distributed`` must have in common, by one collective call. It
        is left out for ``world=1``, if ``torch.distributed`` is not initialised, and in a group of one process.

        Raises:
            ValueError: two processes have different values, or two of them have one rank.
        """
        distributed = _distributed()
        if distributed is None or self._given == (0, 1) or distributed.get_world_size() == 1:
            return
        rank, world = self.current()
        processes = distributed.get_world_size()
        found: list[Any] = [None] * processes
        with _gpu_of_process():
            distributed.all_gather_object(found, (rank, {"world": world, **own}))
        _, wanted = found[0]
        for process, (_, values) in enumerate(found):
            for name, value in values.items():
                if value != wanted.get(name):
                    raise ValueError(
                        f"{name} = {wanted.get(name)!r} in process 0 of torch.distributed, but {value!r} in process "
                        f"{process}: {HINTS.get(name, 'make the loader with the same arguments in all processes')}"
                    )
        ranks = [rank for rank, _ in found]
        for rank in ranks:
            if world == processes and ranks.count(rank) > 1:
                raise ValueError(f"rank = {rank} in {ranks.count(rank)} of {processes} processes: pass different ranks")

    def __repr__(self) -> str:
        rank, world = (None, None) if self._given is None else self._given
        return f"Ranks(rank={rank}, world={world}, even={self.even!r})"


HINTS = {
    "seed": "pass the same seed= in all processes",
    "world": "pass the same world= in all processes",
    "epoch": "call set_epoch and load_state_dict alike in all processes",
    "batches": "call load_state_dict with the same state in all processes",
}


def _distributed() -> Any:
    """``torch.distributed`` if it is initialised, and None otherwise. It does not import torch."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed


def _gpu_of_process() -> Any:
    """Makes the GPU of this process torch's current one, on which NCCL exchanges objects."""
    torch = sys.modules["torch"]
    device = as_torch_means("cuda")
    return torch.cuda.device(device) if torch.cuda.is_available() else contextlib.nullcontext()
