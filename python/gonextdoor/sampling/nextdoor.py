"""NextDoor: sampling by NextDoor's own calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from .. import apps
from .._core import advice
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
    from .request import Roots

__all__ = ["NextDoor"]

Array = npt.NDArray[Any]


class NextDoor:
    """Sampling by NextDoor's own calls (Jangda et al., EuroSys'21): make one, ``doSampling()``, ``getFinalSamples()``.

    Args:
        graph, app, roots, device: as for ``gonextdoor.sample``.
        seed: as for ``gonextdoor.sample``; call k of doSampling takes word k of the seed's stream.
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
        """Samples anew, with the next seed of the stream."""
        word = call_seed(self.seed, self._calls)
        self._samples = sample(self.graph, self.app, self.roots, seed=word, device=self.device)
        self._calls += 1

    def getFinalSamples(self, per_step: bool | None = None) -> Array | list[Array]:
        """The samples of the last doSampling, in one of NextDoor's two formats.

        Args:
            per_step: False: whole samples, (n, width), padded with -1, as ``samples.numpy()``; True: a list with one
                array a step, roots left out, as ``samples.steps``; None: whole for walks and subgraphs, by steps for
                trees and layers.

        Raises:
            RuntimeError: doSampling has not been called.
            TypeError: per_step is none of these.
        """
        wanted = self.app.per_step() if per_step is None else checked_flag("per_step", per_step)
        return self.samples.steps if wanted else self.samples.numpy()

    @property
    def samples(self) -> Samples:
        """The samples of the last doSampling, with all that they know."""
        if self._samples is None:
            raise RuntimeError("no samples yet: call doSampling() first")
        return self._samples

    def __repr__(self) -> str:
        return f"NextDoor({self.graph!r}, {self.app!r}, seed={self.seed}, calls={self._calls})"
