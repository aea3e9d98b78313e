"""Roots: the start vertices of samples, as they cross to the core."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import memory, running
from .._core.arguments import integer_kind
from .._core.checks import check_int
from .._core.costs import costs
from .._core.seeds import signed
from ..device import interop
from ..graph.names import told_apart, vertices

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..apps import SamplingApp
    from ..graph.graph import Graph

__all__ = ["Roots", "drawn", "given"]

Array = npt.NDArray[Any]

MOST = 1 << 40  # samples with random roots
ON_DEVICE = 32  # the kind of roots in GPU memory
DRAWN = 33  # and of random ones that it draws
_SHORT = 64  # ints of a list that are read without the checks that name an element
_INT64, _INTS = np.dtype(np.int64), {int}
_KINDS = {np.dtype(name): integer_kind(np.empty(0, name)) for name in "bhilqBHILQ"}  # integers of this machine


@dataclasses.dataclass(slots=True)
class Roots:
    """Roots of count samples, width each."""

    array: Array | None  # None: every vertex in order
    count: int
    width: int
    kind: int  # of the array's integers, see integer_kind; 0 if there is none
    held: interop.HeldRoots | None = None  # of roots in GPU memory; array is None then
    draw: Callable[[], Array] | None = None  # of random ones that are not drawn yet; array is None then

    def of(self, i: int) -> Array:
        """The roots of sample i, (1, width)."""
        if self.draw is not None:
            return self.draw().reshape(-1, self.width)[i : i + 1]
        if self.held is not None:
            return self.held.numpy().reshape(-1, self.width)[i : i + 1]
        return np.array([[i]]) if self.array is None else self.array.reshape(-1, self.width)[i : i + 1]

    def written(self, buffer: memory.Buffer, at: int) -> int:
        """Returns the handle or the address of the roots. Few roots are copied to a place in the buffer."""
        array = self.array
        if array is None:
            return 0 if self.held is None else self.held.number
        end = at + array.nbytes
        if end > memory.BUFFER:
            return memory.address(array)
        buffer.bytes[at:end] = array.tobytes()
        return buffer.address + at

    def among(self, ids: tuple[int, ...]) -> Roots:
        """The roots that these devices read: in the memory of the one GPU that stores them, drawn by each GPU for its
        samples, or else in host memory."""
        if self.array is not None:
            return self
        if self.draw is not None:
            return self if ids else Roots(self.draw(), self.count, self.width, 4)
        if self.held is None or ids == (self.held.device,):
            return self
        return Roots(self.held.numpy(), self.count, self.width, 4)


def given(
    graph: Graph,
    app: SamplingApp,
    roots: Any,
    pool: int | None,
    *,
    seed: int,
    first_id: int = 0,
    repeat: int = 1,
    names: bool | None = None,
) -> Roots:
    """Reads a roots argument.

    Args:
        graph, app, roots, seed, first_id, repeat, names: as for ``gonextdoor.sample``.
        pool: ``app.pool()``.

    Raises:
        TypeError, ValueError: it is of the wrong type, value or shape for the app, or no vertex has a name.
        MemoryError: the random roots do not fit in memory.
    """
    if names is not None or not graph._numbers_meant:
        roots = told_apart(graph, "roots", roots, names)
    # 1. Short lists of ints, and arrays that the core reads in place.
    if type(roots) is list and len(roots) <= _SHORT and pool != 0 and {*map(type, roots)} == _INTS:
        try:
            return Roots(np.array(roots, _INT64), len(roots), 1, -8)
        except OverflowError:  # refused below
            pass
    if type(roots) is np.ndarray and roots.ndim == 1 and pool != 0 and roots.flags.c_contiguous:
        kind = _KINDS.get(roots.dtype)
        if kind is not None:
            return Roots(roots, roots.shape[0], 1, kind)
    # 2. None and ints.
    if roots is None and pool is None:
        return Roots(None, graph._info["vertices"], 1, 0)
    if roots is None:
        roots = 1
    if isinstance(roots, (int, np.integer)) and not isinstance(roots, bool):
        count, width = check_int("roots", roots, 0, MOST), 1 if pool is None else pool
        if count * width and graph.num_vertices == 0:
            raise ValueError(f"roots = {count}: the graph has no vertex to draw")
        draw = functools.partial(drawn, graph, count, width, seed=seed, first_id=first_id, repeat=repeat)
        return Roots(None, count, width, DRAWN, draw=draw)
    if pool == 0:
        raise ValueError(f"roots: {app!r} chooses its own vertices; expected an int, the number of samples, or None")
    # 3. Arrays of other libraries, names and nested lists.
    if hasattr(roots, "__dlpack_device__") or hasattr(roots, "__cuda_array_interface__"):
        device = interop.on_gpu(roots)
        if device is not None:
            held, count, width = interop.roots_of(graph._held.number, roots, device)
            return Roots(None, count, width, ON_DEVICE, held)
    array = vertices(graph, "roots", roots)
    if array.ndim == 1:
        return Roots(array, array.shape[0], 1, integer_kind(array))
    if array.ndim == 2 and array.shape[1]:
        return Roots(array, array.shape[0], array.shape[1], integer_kind(array))
    raise ValueError(f"roots: expected shape (n,) or (n, r), got {array.shape}")


def drawn(graph: Graph, count: int, width: int, *, seed: int, first_id: int = 0, repeat: int = 1) -> Array:
    """The random roots of count samples, width each and with replacement: (count * width,) uint32. Those of one sample
    depend on the seed and on the id of its first repeat alone."""
    memory.check(4 * count * width)
    roots = np.empty(count * width, np.uint32)
    if roots.size:
        ids = (signed(seed), signed(first_id), repeat)
        out = (memory.address(roots), count, width)
        running.call(
            "DrawRoots", graph._held.number, *ids, *out, seconds=costs().draw_root * roots.size, label="drawing roots"
        )
    return roots
