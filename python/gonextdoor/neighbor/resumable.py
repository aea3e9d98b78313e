"""Resumable: what all loaders have in common, epochs, ranks and states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .order import BatchOrder, Pass
from .seeds import name_of

__all__ = ["Resumable"]


class Resumable:
    """The common base of all loaders of batches."""

    _order: BatchOrder
    _names: dict[str, int] | None = None

    def _facts(self) -> dict[str, Any]:
        """What a state, and the loaders of other ranks, must have in common with this loader, beside the order of its
        batches."""
        raise NotImplementedError

    def _inputs(self) -> Any:
        """The ids of the loader's input: an array, or arrays by type."""
        raise NotImplementedError

    def _times(self) -> dict[str, Any]:
        """The times of the loader's input by their arguments, an array each; None: there are none."""
        return {}

    def _input_facts(self) -> dict[str, Any]:
        """The facts by which inputs and their times are compared, computed once."""
        if self._names is None:
            times = {name: given for name, given in self._times().items() if given is not None}
            self._names = {"ids": name_of(self._inputs())} | {name: name_of(given) for name, given in times.items()}
        return self._names

    def _begun(self) -> Pass:
        """Begins the next epoch; see ``BatchOrder.begin``."""
        return self._order.begin(self._facts)

    def __len__(self) -> int:
        """The number of batches that this rank takes in a whole epoch."""
        return len(self._order)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch that is iterated over next, as ``torch.utils.data.DistributedSampler`` does. Without this
        call, its number is one more than that of the previous epoch.

        After ``load_state_dict``, a call with the epoch of the state keeps its position.

        Args:
            epoch: the number of the epoch, from 0.
        """
        self._order.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """Returns the position of the loader: its seed, the epoch, and the number of batches that were handed out, by
        all ranks together if they divide an epoch.

        Batches that were drawn in advance do not count. Ranks that divide an epoch return the same state after the same
        number of batches, so it is enough to save that of one of them. Without division, each rank has its state. The
        state also has the arguments of the loader and facts of the graph and the input, by which ``load_state_dict``
        refuses it elsewhere. It consists of dicts, lists, text and numbers.

        Returns:
            The state, after the last batch of an epoch the beginning of the next one.
        """
        return self._order.state(self._facts())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues with the batch after those of a state, in the next iteration. The number of ranks may differ. A
        loader that was made without a seed continues with that of the state. Ranks that divide an epoch have to load
        the same state.

        Batches that were handed out before are not drawn again.

        Args:
            state: what ``state_dict`` returned.

        Raises:
            TypeError: it is not a state.
            ValueError: it is of a loader with another graph, sampler, input or batch size, or with a seed other than
                the one given to this loader; the text names the first difference.
        """
        self._order.load(state, self._facts())
