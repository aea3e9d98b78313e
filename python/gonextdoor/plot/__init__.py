"""Pictures of graphs, samples and mini-batches, with matplotlib.

Each function draws one kind of picture and returns matplotlib's Axes: those given as ``ax``, or those of a new figure.
Equal arguments give equal pictures. docs/gallery.md shows all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._core.binding import advised
from .batches import batch
from .degrees import degrees
from .graphs import graph
from .layered import layers
from .lengths import lengths
from .subgraphs import subgraph
from .timelines import timeline
from .trees import tree
from .visits import visits
from .walks import walk

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..samples.samples import Samples

__all__ = [
    "KINDS",
    "batch",
    "degrees",
    "graph",
    "layers",
    "lengths",
    "plot",
    "subgraph",
    "timeline",
    "tree",
    "visits",
    "walk",
]


def __dir__() -> list[str]:
    return sorted(__all__)


_OF_SAMPLES: dict[str, Callable[..., Any]] = {
    "visits": visits,
    "lengths": lengths,
    "walk": walk,
    "tree": tree,
    "layers": layers,
    "subgraph": subgraph,
    "timeline": timeline,
}

KINDS = tuple(_OF_SAMPLES)


@advised
def plot(samples: Samples, kind: str = "visits", *, ax: Axes | None = None, **options: Any) -> Axes:
    """Draws samples; the same as ``Samples.plot``.

    Args:
        samples: the samples.
        kind: the function of this module that draws: "visits", "lengths", "walk", "tree", "layers", "subgraph" or
            "timeline".
        ax: the axes to draw on; None: those of a new figure.
        options: of that function, such as ``sample=3``.

    Raises:
        ImportError: matplotlib is missing.
        ValueError: kind is none of these, or the samples cannot be drawn in this way.

    Examples:
        >>> graph = gnd.rmat(10, seed=1)
        >>> axes = gnd.plot.plot(gnd.sample(graph, gnd.apps.PPR(0.2), seed=1), "lengths")
    """
    if kind not in _OF_SAMPLES:
        raise ValueError(f"kind = {kind!r}: expected one of {', '.join(map(repr, KINDS))}")
    drawn: Axes = _OF_SAMPLES[kind](samples, ax=ax, **options)
    return drawn
