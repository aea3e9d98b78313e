"""NextDoor: sampling by NextDoor's own calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from .. import apps
from .._core import advice
from .._core.binding import advised
from .._core.checks import checked_flag
from .._core.seeds import call_seed, entropy
from ..apps import SamplingApp
from ..device import devices
from ..graph.graph import Graph
from ..samples.samples import Samples
from .sample import sample

if TYPE_CHECKING:
    from .._core.seeds import Seed
    from ..device.devices import Device
    from .call import Roots

__all__ = ["NextDoor"]

Array = npt.NDArray[Any]


@advised
class NextDoor:
    """Sampling by NextDoor's own calls (Jangda et al., EuroSys'21): construct, ``doSampling()``, ``getFinalSamples()``.

    Args:
        graph: the graph.
        app: one of ``gonextdoor.apps``, or a ``gonextdoor.App``.
        roots: as for ``gonextdoor.sample``; None (default): every vertex in order.
        seed: as for ``gonextdoor.sample``; call k of doSampling takes word k of the seed's stream.
        device: as for ``gonextdoor.sample``.

    Attributes:
        seed: the seed, an int from 0 to 2^64 - 1; fresh entropy if none was given.

    Examples:
        >>> sampler = gnd.NextDoor(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(length=4), [0, 1], seed=1)
        >>> sampler.doSampling()
        >>> sampler.getFinalSamples()
        array([[  0,  39, 144, 229, 237],
               [  1, 184,  87, 114, 242]], dtype=int32)
    """

    def __init__(
        self, graph: Graph, app: SamplingApp, roots: Roots = None, seed: Seed = None, device: Device = "auto"
    ) -> None:
        if not isinstance(graph, Graph):
            raise advice.graph_error("a gonextdoor.Graph", graph, "out")
        if not isinstance(app, SamplingApp):
            raise advice.app_error(app, apps.__all__)
        devices.among(device)
        self.graph, self.app, self.roots, self.device = graph, app, roots, device
        self.seed = entropy(seed)
        self._calls = 0
        self._samples: Samples | None = None

    def doSampling(self) -> None:
        """Draws fresh samples, with the next seed of the stream."""
        word = call_seed(self.seed, self._calls)
        self._samples = sample(self.graph, self.app, self.roots, seed=word, device=self.device)
        self._calls += 1

    def getFinalSamples(self, per_step: bool | None = None) -> Array | list[Array]:
        """Returns the samples of the last doSampling, in one of NextDoor's two formats.

        Args:
            per_step: False: whole samples, (n, width), padded with -1, as ``samples.numpy()``; True: a list with one
                array per step, without the roots, as ``samples.steps``; None (default): whole samples for walks and
                subgraphs, one array per step for trees and layers.

        Returns:
            An array, or a list of arrays.

        Raises:
            RuntimeError: doSampling has not been called.
            TypeError: per_step is of the wrong type.
        """
        wanted = self.app.per_step() if per_step is None else checked_flag("per_step", per_step)
        return self.samples.steps if wanted else self.samples.numpy()

    @property
    def samples(self) -> Samples:
        """The samples of the last doSampling, as ``gonextdoor.Samples``.

        Raises:
            RuntimeError: doSampling has not been called.
        """
        if self._samples is None:
            raise RuntimeError("no samples yet: call doSampling() first")
        return self._samples

    def __repr__(self) -> str:
        return f"NextDoor({self.graph!r}, {self.app!r}, seed={self.seed}, calls={self._calls})"
