"""BatchSeeds: the random seeds of the batches of another library's loader.

The seed of a batch depends on (seed, epoch, batch), never on the worker. A DataLoader passes a sampler the seed nodes
of a batch, but neither its number nor the epoch, and a worker starts from the parent's copy of the sampler, whose
counter never moved. So a batch is identified by a hash of its ids in their order. The epoch is the one of
``set_epoch``, or else the seed that torch draws for each pass through a loader, which all workers of the pass share and
which follows ``torch.manual_seed``.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from .. import rng
from .._core.arguments import integers
from .._core.checks import check_int
from .._core.seeds import call_seed, entropy

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["BatchSeeds", "name_of"]


class BatchSeeds:
    """The 64-bit seed of each batch of a sampler.

    Args:
        seed: as for ``gonextdoor.sample``. None: fresh entropy, one for all workers of a loader, another in any other
            process.

    Attributes:
        seed: the 64-bit seed.
        given: whether it is that of the argument.

    The seed of a batch is ``word(key(stream(seed, SEEDS), epoch), batch)``, where

    - batch is its number if that is known, and else the ``name_of`` its ids;
    - epoch is what ``set_epoch`` said; in a worker of a torch DataLoader, without that, the seed of this pass;
    - in the process of the loader itself, without either, the epoch is 0 and batch counts the calls.

    A batch that is drawn again under the same name (a second epoch of persistent workers; a second call) gets word
    0 under the key of how often it was there before.

    Raises:
        TypeError, ValueError: seed is of the wrong type or value.
    """

    __slots__ = ("_calls", "_epoch", "_fixed", "_pass", "_process", "_seen", "given", "seed")

    def __init__(self, seed: Seed = None) -> None:
        self._fixed = threading.local()
        self.given = seed is not None
        self.seed = entropy(seed)
        self._epoch: int | None = None
        self._calls = itertools.count()
        self._start()

    def _start(self) -> None:
        """Sets the state that each process has separately."""
        self._process = os.getpid()
        self._pass: int | None = None
        self._seen: dict[int, Iterator[int]] = {}

    @property
    def epoch(self) -> int | None:
        """The epoch passed to ``set_epoch``; None if it was not called."""
        return self._epoch

    def set_epoch(self, epoch: int) -> None:
        """Names the epoch, as torch's DistributedSampler has it: call it before each pass through the loader. Any
        number of workers, none too, then gives the same batches. Workers that persist do not hear of it.

        Raises:
            TypeError, ValueError: epoch is not an int of 0 or more.
        """
        self._epoch = check_int("epoch", epoch, 0, (1 << 63) - 1)
        self._seen = {}

    def batch_seed(self, batch: int | None, ids: npt.ArrayLike | Mapping[Any, npt.ArrayLike] | None = None) -> int:
        """The seed of a batch.

        Args:
            batch: its number in the epoch; None: not known.
            ids: (n,) ints that name it otherwise, in their order, or such arrays by type.
        """
        fixed: Iterator[int] | None = getattr(self._fixed, "seeds", None)
        if fixed is not None:
            return next(fixed)
        pass_ = _worker_pass()
        if os.getpid() != self._process:
            self._start()
            if not self.given and pass_ is None:  # two processes with one stream would draw the same
                self.seed = entropy(None)
        if batch is not None:
            return _word(self.seed, self._epoch or 0, batch)
        if self._epoch is None and pass_ is None:
            return call_seed(self.seed, next(self._calls))
        if pass_ != self._pass:
            self._pass, self._seen = pass_, {}
        name = name_of(ids)
        first = _word(self.seed, (pass_ or 0) if self._epoch is None else self._epoch, name)
        again = next(self._seen.setdefault(name, itertools.count()))
        return rng.word(rng.key(first, again), 0) if again else first

    @contextlib.contextmanager
    def fixed(self, seed: int) -> Iterator[None]:
        """In the block, in this thread: the seed of the batch that is drawn. If it is drawn again, it gets slot 0 of
        the key of how often it was drawn before."""
        again = (rng.word(rng.key(seed, times), 0) for times in itertools.count(1))
        self._fixed.seeds = itertools.chain([seed], again)
        try:
            yield
        finally:
            self._fixed.seeds = None

    def __getstate__(self) -> dict[str, Any]:
        at = next(self._calls)
        self._calls = itertools.count(at)
        return {"seed": self.seed, "given": self.given, "epoch": self._epoch, "at": at, "process": self._process}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._fixed = threading.local()
        self.seed, self.given, self._epoch = state["seed"], state["given"], state["epoch"]
        self._calls = itertools.count(state["at"])
        self._start()
        self._process = state["process"]  # whose stream it is; known to be another's when it is first used

    def __repr__(self) -> str:
        return f"BatchSeeds({self.seed})" + ("" if self._epoch is None else f" in epoch {self._epoch}")


def name_of(ids: npt.ArrayLike | Mapping[Any, npt.ArrayLike] | None) -> int:
    """The 64-bit name of a batch: the first 8 bytes, as a little-endian number, of BLAKE2b over its ids as
    little-endian int64; by type, over repr((type, number of ids)) before the ids of each, in the mapping's order."""
    import hashlib  # which loads OpenSSL

    if ids is None:
        raise TypeError("ids = None: expected the batch's ids, since its number is not known")
    digest = hashlib.blake2b(digest_size=8)
    if isinstance(ids, Mapping):
        for kind, part in ids.items():
            array = integers("ids", part)
            digest.update(repr((kind, array.size)).encode())
            digest.update(array.astype("<i8").tobytes())
    else:
        digest.update(integers("ids", ids).astype("<i8").tobytes())
    return int.from_bytes(digest.digest(), "little")


def _word(seed: int, epoch: int, batch: int) -> int:
    return rng.word(rng.key(rng.stream(seed, rng.SEEDS), epoch), batch)


def _worker_pass() -> int | None:
    """The base seed of the current epoch in a worker of a torch DataLoader. It is equal in all workers."""
    data = sys.modules.get("torch.utils.data")  # without torch there is no worker
    info = data.get_worker_info() if data is not None else None
    return None if info is None else (info.seed - info.id) & rng.MASK
