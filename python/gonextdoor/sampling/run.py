"""Run: the checked arguments of a sampling call, and what happens if it fails."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from .. import apps
from .._core import advice
from .._core.arguments import cores
from .._core.checks import check_int
from .._core.seeds import entropy, signed
from ..apps import SamplingApp
from ..device import devices
from ..errors import DeviceError
from ..graph.graph import Graph
from . import roots as _roots
from .call import Call

__all__ = ["Run", "checked_threads", "vertex_type"]

_T = TypeVar("_T")

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.seeds import Seed
    from ..device.devices import Device

    Roots = npt.ArrayLike | None


class Run:
    """The checked arguments of a sampling call, and the call of the core that they make."""

    __slots__ = ("auto", "begin", "call", "copies", "first", "seed")

    def __init__(
        self,
        graph: Graph,
        app: SamplingApp,
        roots: Roots,
        repeat: int,
        seed: Seed,
        first_id: int,
        device: Device,
        threads: int | None,
        progress: bool | None,
    ) -> None:
        if not isinstance(graph, Graph):
            raise advice.graph_error("a gonextdoor.Graph", graph, "out")
        if not isinstance(app, SamplingApp):
            raise advice.app_error(app, apps.__all__)
        ids = devices.among(device)
        workers = checked_threads(threads)
        if progress is not None and not isinstance(progress, bool):
            raise TypeError(f"progress = {progress!r}: expected True, False or None")
        self.seed = entropy(seed)
        self.copies = check_int("repeat", repeat, 1, 1 << 62)
        self.first = check_int("first_id", first_id, 0, (1 << 64) - 1)
        self.begin = _roots.given(graph, app, roots, seed=self.seed, first_id=self.first, repeat=self.copies)
        rows = self.begin.count * self.copies
        if self.first + rows > 1 << 64:
            raise ValueError(f"first_id = {self.first}: expected at most 2^64 - {rows}, so that all ids fit in 64 bits")
        asked = self.copies, signed(self.seed), signed(self.first), workers
        self.auto, self.call = ids is None, Call(graph, app, self.begin, asked, progress, ids)

    def explained(self, run: Callable[[Call], _T]) -> _T:
        """Returns run(call).

        If device is "auto" and the GPU fails, the CPU runs the call and a warning is issued. An error of the app's own
        functions names the line in them.
        """
        try:
            return run(self.call)
        except DeviceError as why:
            if not self.auto or not self.call.devices:
                raise
            warnings.warn(f'device = "auto": the CPU samples, since {why}', RuntimeWarning, stacklevel=3)
        except (ArithmeticError, IndexError, RuntimeError, ValueError) as error:

            def again(other: SamplingApp, id: int) -> object:
                graph, root = self.call.graph, self.begin.of((id - self.first) // self.copies)
                alone = Run(graph, other, root, 1, self.seed, id, "cpu", 1, None)
                return alone.call.made(vertex_type(graph, None), edges=False)

            explained = self.call.app.explained(error, again)
            if explained is error:
                raise
            raise explained from None
        self.auto, self.call = False, self.call.on(devices.CPU)
        return self.explained(run)


_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


def vertex_type(graph: Graph, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """The type of a result's vertices."""
    small = graph.num_vertices < 1 << 31
    if dtype is None:
        return _INT32 if small else _INT64
    try:
        wanted = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype = {dtype!r}: expected int32 or int64") from None
    if wanted not in (_INT32, _INT64):
        raise TypeError(f"dtype = {wanted}: expected int32 or int64")
    if wanted == _INT32 and not small:
        raise ValueError(f"dtype = int32: the graph has {graph.num_vertices} vertices, expected int64")
    return wanted


def checked_threads(threads: int | None) -> int:
    """The number of CPU threads to use; None: one per core that this process may use."""
    if threads is not None:
        return min(check_int("threads", threads, 1, 1 << 31), 1 << 12)
    return cores()
