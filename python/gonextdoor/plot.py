"""Plots of samples, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("visits", "lengths")


class Plottable(Protocol):
    """The part of ``gonextdoor.Samples`` that this module uses."""

    app: Any

    @property
    def graph(self) -> Any: ...

    @property
    def lengths(self) -> npt.NDArray[Any]: ...
    def visit_counts(self) -> npt.NDArray[Any]: ...


def plot(samples: Plottable, kind: str = "visits", *, ax: Axes | None = None) -> Axes:
    """Draws the samples and returns the matplotlib Axes.

    Args:
        samples: the samples.
        kind: "visits" (default): how often each vertex was visited against its degree, both on logarithmic axes. On an
            undirected, unweighted, connected graph long walks visit vertices in proportion to their degrees: a line of
            slope 1. "lengths": the number of samples by their number of vertices.
        ax: the Axes to draw on; None (default): those of a new figure.

    Returns:
        The Axes.

    Raises:
        ImportError: matplotlib is not installed.
        ValueError: kind is neither of these.

    Examples:
        >>> samples = gnd.sample(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(20), repeat=10, seed=1)
        >>> axes = gnd.plot.plot(samples, "visits")
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('degree', 'visits')
    """
    if kind not in KINDS:
        raise ValueError(f"kind = {kind!r}: expected one of {', '.join(map(repr, KINDS))}")
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plot needs matplotlib: pip install 'gonextdoor[plot]'") from missing
    if ax is None:
        _, ax = pyplot.subplots()
    if kind == "visits":
        _visits(samples, ax)
    else:
        _lengths(samples, ax)
    ax.set_title(repr(samples.app))
    return ax


def _visits(samples: Plottable, ax: Axes) -> None:
    degrees, visits = np.asarray(samples.graph.degrees()), np.asarray(samples.visit_counts())
    shown = (degrees > 0) & (visits > 0)  # a logarithmic axis cannot show 0
    ax.scatter(degrees[shown], visits[shown], s=4, alpha=0.4, linewidths=0, rasterized=True)
    if shown.any():
        ax.set_xscale("log")
        ax.set_yscale("log")
    ax.set_xlabel("degree")
    ax.set_ylabel("visits")


def _lengths(samples: Plottable, ax: Axes) -> None:
    lengths = np.asarray(samples.lengths)
    counts = np.bincount(lengths) if len(lengths) else np.zeros(1, dtype=np.int64)
    present = np.flatnonzero(counts)
    ax.bar(present, counts[present], width=1.0 if len(present) > 1 else 0.8)
    ax.set_xlabel("vertices in a sample")
    ax.set_ylabel("samples")
