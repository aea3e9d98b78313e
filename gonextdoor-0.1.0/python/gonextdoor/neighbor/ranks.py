"""Ranks: the processes that divide the batches of an epoch."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from .._core.checks import check_int
from .._core.log import logger
from ..device.devices import as_torch_means
from .loaderfacts import difference, fact, short

__all__ = ["Divide", "Even", "Ranks"]

Divide = Literal["ranks"]
Even = Literal["wrap", "drop", "error"]

MOST = 1 << 20  # ranks
PATIENCE = 10.0  # seconds until a rank that waits for others reports it


class Ranks:
    """The rank of this process among those that divide the batches of an epoch.

    Args:
        divide: "ranks": the processes of ``torch.distributed`` divide them, if it is initialised when the rank is
            needed. None: nothing is divided, unless rank and world are passed.
        rank, world: the rank and the number of ranks; None: as ``divide`` says. ``world=1`` alone: all batches.
        even: what is done if the batches cannot be divided evenly: "wrap", "drop" or "error".

    Raises:
        TypeError, ValueError: an argument is of the wrong type or value.
    """

    __slots__ = ("_given", "even")

    def __init__(self, divide: Any, rank: Any, world: Any, even: Any) -> None:
        for name, value, known in (("divide", divide, ("ranks", None)), ("even", even, ("wrap", "drop", "error"))):
            text = isinstance(value, str)
            if not (text or value is None) or value not in known:
                *most, last = map(repr, known)
                raise (ValueError if text else TypeError)(
                    f"{name} = {short(value)}: expected {', '.join(most)} or {last}"
                )
        self.even = even
        self._given: tuple[int, int] | None = None if divide else (0, 1)
        for name, value in (("rank", rank), ("world", world)):
            if divide and value is not None:
                raise ValueError(
                    f"{name} = {value!r} with divide = {divide!r}: pass divide to read torch.distributed, or rank and "
                    "world without it"
                )
        if world is not None:
            world = check_int("world", world, 1, MOST)
            if rank is None and world > 1:
                raise ValueError(
                    f"world = {world} without rank: pass both, or divide='ranks' to read torch.distributed"
                )
            self._given = 0 if rank is None else check_int("rank", rank, 0, world - 1), world
        elif rank is not None:
            raise ValueError(f"rank = {rank!r} without world: pass both, or divide='ranks' to read torch.distributed")

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

    def agree(self, facts: Callable[[], Mapping[str, Any]]) -> None:
        """Compares facts that all processes of ``torch.distributed`` must have in common, by one collective call. It is
        left out if nothing is divided, if ``torch.distributed`` is not initialised, in a group of one process, and in a
        worker of a DataLoader, which is not a process of the group.

        Args:
            facts: returns those of this process.

        Raises:
            ValueError: two processes have different facts, or two of them have one rank.
            RuntimeError: another process ended, or did not take part within the group's timeout.
        """
        distributed = _distributed()
        if distributed is None or self._given == (0, 1) or distributed.get_world_size() == 1 or _in_worker():
            return
        rank, world = self.current()
        processes = distributed.get_world_size()
        found: list[Any] = [None] * processes
        known = {"world": world, "even": self.even, **facts()}
        with self._waiting(f"process {distributed.get_rank()} of {processes}"), _gpu_of_process():
            distributed.all_gather_object(found, (rank, known))
        _, wanted = found[0]
        for process, (_, own) in enumerate(found):
            name = difference(wanted, own)
            if name is not None:
                other = short(own[name]) if name in own and name in wanted else fact(own, name)
                raise ValueError(
                    f"{fact(wanted, name)} in process 0 of torch.distributed, but {other} in process {process}: "
                    f"{HINTS.get(name, 'make the loader with the same arguments in all processes')}"
                )
        ranks = [rank for rank, _ in found]
        for rank in ranks:
            if world == processes and ranks.count(rank) > 1:
                raise ValueError(f"rank = {rank} in {ranks.count(rank)} of {processes} processes: pass different ranks")

    @contextlib.contextmanager
    def _waiting(self, process: str) -> Iterator[None]:
        """In the block, this process waits for the others. It reports a long wait and the end of another process."""
        division = "divide='ranks'" if self._given is None else "rank and world"
        advice = (
            f"a loader that divides its batches among ranks ({division}) compares its arguments among all processes of "
            "torch.distributed whenever an epoch begins. Iterate over it in all of them, equally often; or leave out "
            f"{division}, then the loader waits for no other process and draws all that it was given"
        )
        text = f"{process} has waited {PATIENCE:g} s for the others to begin an epoch: {advice}"
        timer = threading.Timer(PATIENCE, logger.warning, ("%s", text))
        timer.daemon = True
        timer.start()
        try:
            yield
        except RuntimeError as why:
            raise RuntimeError(
                f"{process} waited for the others to begin an epoch, and torch raised {short(str(why))}: {advice}"
            ) from why
        finally:
            timer.cancel()
            timer.join()  # a worker that is forked next would inherit a running thread

    def __repr__(self) -> str:
        rank, world = (None, None) if self._given is None else self._given
        return f"Ranks(rank={rank}, world={world}, even={self.even!r})"


SAME_INPUT = (
    "pass the same input in the same order in all processes, which divide it; or leave out divide, and pass each "
    "process its part"
)
HINTS = {
    "seed": "pass the same seed= in all processes",
    "world": "pass the same world= in all processes",
    "epoch": "call set_epoch and load_state_dict alike in all processes",
    "batches": "call load_state_dict with the same state in all processes",
    "inputs": SAME_INPUT,
    "ids": SAME_INPUT,
    **dict.fromkeys(("num_vertices", "num_edges", "graph"), "make the loader with the same graph in all processes"),
}


def _distributed() -> Any:
    """``torch.distributed`` if it is initialised, and None otherwise. It does not import torch."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed


def _in_worker() -> bool:
    """Whether this is a worker of a DataLoader of torch."""
    data = sys.modules.get("torch.utils.data")  # without torch there is no worker
    return data is not None and data.get_worker_info() is not None


def _gpu_of_process() -> Any:
    """Makes the GPU of this process torch's current one, on which NCCL exchanges objects."""
    torch = sys.modules["torch"]
    device = as_torch_means("cuda")
    return torch.cuda.device(device) if torch.cuda.is_available() else contextlib.nullcontext()
