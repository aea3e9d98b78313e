"""Estimate: the seconds that a sampling call is expected to take."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._core import memory, native
from ..apps.app import remember

if TYPE_CHECKING:
    from ..apps import SamplingApp
    from ..graph.graph import Graph

__all__ = ["Estimate", "estimate"]


class Estimate(NamedTuple):
    """The seconds that the core expects a call to take (plan.Estimate).

    Attributes:
        cpu: on the CPU, its tables made; infinite if nothing bounds the samples.
        cpu_tables: more, if the app's tables of the graph must be made.
        gpu: on a GPU that has the graph, until the result is in the host's memory.
        gpu_latency: of which are operations that wait for one another.
        gpu_work: of which are all other operations, of which each of several GPUs has an equal part.
        gpu_ahead: of latency and work, what one GPU may have left when a call returns whose samples stay there.
        gpu_tables: more, if the process's context and the graph's tables must be made.
        upload: of which is the copy of the graph.
    """

    cpu: float
    cpu_tables: float
    gpu: float
    gpu_latency: float
    gpu_work: float
    gpu_ahead: float
    gpu_tables: float
    upload: float

    def until(self, gpus: int, *, tables: bool) -> float:
        """Returns the seconds until a call returns; gpus is the number of GPUs, 0 on the CPU.

        tables: whether the call must make tables first.
        """
        if not gpus:
            return self.cpu + (self.cpu_tables if tables else 0.0)
        wait = max(0.0, self.gpu_latency + self.gpu_work / gpus - self.gpu_ahead)
        return wait + (self.gpu_tables if tables else 0.0)


class _EstimateOfThread(threading.local):
    """The array to which the core writes an estimate; each thread has a separate one."""

    def __init__(self) -> None:
        array = np.zeros(len(Estimate._fields), np.float64)
        self.there = array, memory.address(array)


_estimate = _EstimateOfThread()


def estimate(graph: Graph, app: SamplingApp, samples: int, width: int, threads: int) -> Estimate:
    """Returns the expected duration of a call by the core's cost model; width is the number of roots per sample.

    The estimates of a graph depend on the text of the app alone, and are kept for later apps of the same text.
    """
    text, number = app._text(), graph._held.number
    key = None if text is None else (*text, native.generation, number, samples, width, threads)
    expected = None if key is None else _estimates.get(key)
    if expected is None:
        seconds, where = _estimate.there
        most = min(samples, 1 << 62)  # such results do not fit in memory, and are refused later
        native.call("Estimate", number, app._planned().number, most, width, threads, where)
        expected = Estimate._make(seconds.tolist())
        if key is not None:
            remember(_estimates, key, expected)
    return expected


_estimates: dict[tuple[str, str, int, int, int, int, int], Estimate] = {}  # numbers of graphs are never used twice
