"""PendingRead, PendingReads: rows that are read in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._core import native

if TYPE_CHECKING:
    from .held import HeldRead

__all__ = ["PendingRead", "PendingReads"]

SLICE = 50  # milliseconds of a wait after which Ctrl-C takes effect


class PendingRead:
    """Rows that are read in the background; ``Features.read_async`` makes it.

    Examples:
        >>> import numpy as np
        >>> x = gnd.features.open(np.arange(6.0).reshape(3, 2))
        >>> read = x.read_async([2, 0])
        >>> read.wait()
        array([[4., 5.],
               [0., 1.]])
    """

    __slots__ = ("_error", "_held", "_result")

    def __init__(self, held: HeldRead, result: Callable[[], Any]) -> None:
        self._held: HeldRead | None = held
        self._result = result
        self._error: BaseException | None = None

    def done(self) -> bool:
        """Whether the rows have been read, or reading failed."""
        return self._finished(0)

    def wait(self) -> Any:
        """Waits for the rows and returns them.

        Raises:
            OSError: a file could not be read.
            KeyboardInterrupt: Ctrl-C was pressed; the read continues.
        """
        while not self._finished(SLICE):
            pass
        if self._error is not None:
            raise self._error
        return self._result()

    def _finished(self, milliseconds: int) -> bool:
        held = self._held  # another thread may be waiting too
        if held is None:
            return True
        try:
            if not native.call("FeaturesWait", held.number, milliseconds):
                return False
        except Exception as error:
            self._error = error
        self._held = None
        return True


class PendingReads:
    """Rows by type that are read in the background; ``TypedFeatures.read_async`` makes it.

    Examples:
        >>> import numpy as np
        >>> x = gnd.features.open({"user": np.arange(3)})
        >>> x.read_async({"user": [2, 0]}).wait()
        {'user': array([2, 0])}
    """

    __slots__ = ("_reads",)

    def __init__(self, reads: dict[Any, PendingRead]) -> None:
        self._reads = reads

    def done(self) -> bool:
        """Whether all rows have been read, or reading failed."""
        return all(read.done() for read in self._reads.values())

    def wait(self) -> dict[Any, Any]:
        """Waits for the rows and returns them by type."""
        return {name: read.wait() for name, read in self._reads.items()}
