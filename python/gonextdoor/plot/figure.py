"""Shared parts of all pictures: matplotlib's axes, scales, number formats and titles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from ..graph.graph import Graph
from ..samples.arrays import SampleArrays
from ..samples.export import walks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..samples.samples import Samples

__all__ = [
    "POINTS",
    "REFERENCE",
    "axes_for",
    "counted",
    "expect_graph",
    "expect_samples",
    "log_ticks",
    "note",
    "sample_title",
    "samples_title",
    "whole_ticks",
]

REFERENCE = "#c44536"  # of reference lines
POINTS = "#1f6f9f"  # of points and bars


def axes_for(ax: Axes | None, size: tuple[float, float] = (6.4, 4.8)) -> Axes:
    """The axes to draw on: those given, or those of a new figure of this size in inches.

    Raises:
        ImportError: matplotlib is missing.
    """
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plot needs matplotlib: pip install 'gonextdoor[plot]'") from missing
    return pyplot.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def expect_graph(graph: object) -> None:
    """Raises a TypeError unless the first argument of a plot is a graph."""
    if not isinstance(graph, Graph):
        hint = "; pass samples.graph" if isinstance(graph, SampleArrays) else ""
        raise TypeError(f"graph: expected a gonextdoor.Graph, got {type(graph).__name__}{hint}")


def expect_samples(samples: object) -> None:
    """Raises a TypeError unless the first argument of a plot is samples."""
    if not isinstance(samples, SampleArrays):
        kind = type(samples).__name__
        raise TypeError(f"samples: expected Samples, which gonextdoor.sample(graph, app) returns, got {kind}")


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, as "1 walk", "7,115 vertices"."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def samples_title(samples: Samples) -> str:
    """Describes the samples, for example "1,000 DeepWalk walks of length 80"."""
    kind, details = _described(samples)
    n = len(samples)
    return f"{n:,} {kind if n == 1 else kind + 's'}{details}"


def sample_title(samples: Samples, sample: int) -> str:
    """Describes one sample, for example "DeepWalk walk of length 80 from vertex 3"."""
    kind, details = _described(samples)
    roots = samples.roots[sample].tolist()
    if not roots:
        return f"{kind}{details}"
    if len(roots) > 4:
        return f"{kind}{details} from {len(roots)} roots"
    names = samples.vertex_names
    shown = ", ".join(str(v if names is None else names[v]) for v in roots)
    if names is None:
        shown = f"{'vertex' if len(roots) == 1 else 'vertices'} {shown}"
    return f"{kind}{details} from {shown}"


def _described(samples: Samples) -> tuple[str, str]:
    """The kind of a sample, and what it was made with."""
    app = samples.app
    name = "user app" if hasattr(app, "hooks") else type(app).__name__
    fanouts = getattr(app, "fanouts", None)
    if walks(samples):
        length = getattr(app, "length", None)
        if isinstance(length, int) and not samples.ragged:
            return f"{name} walk", f" of length {length:,}"
        stop = getattr(app, "stop", None)
        return f"{name} walk", f" with stop probability {stop:g}" if stop else ""
    if isinstance(fanouts, tuple) and fanouts:
        shown = ", ".join("all" if fanout < 0 else f"{fanout:,}" for fanout in fanouts)
        kind = "sample" if samples.layered else "tree"
        return f"{name} {kind}", f" with fan-out{'s' if len(fanouts) > 1 else ''} {shown}"
    return f"{name} sample", ""


def log_ticks(axis: Any, values: npt.NDArray[Any]) -> None:
    """Sets the ticks of a logarithmic axis of positive whole numbers: at all of them, at 1, 2, 5, 10 and so on, or at
    powers of 10, depending on the decades that they span."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    low, high = int(values.min()), int(values.max())
    decades = math.log10(high / low)
    axis.set_minor_formatter(NullFormatter())
    if decades < 1:
        axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2.2 else (1,)))
    if decades < 2.2:
        axis.set_minor_locator(NullLocator())
    if high < 10_000_000:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))


def whole_ticks(axis: Any) -> None:
    """Ticks at whole numbers only, with thousands separated."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def note(ax: Axes, text: str) -> None:
    """A line of small text under the axes, for what the picture leaves out."""
    if ax.axison:
        ax.set_xlabel(f"{ax.get_xlabel()}\n({text})" if text else ax.get_xlabel())
    elif text:
        ax.text(0.5, -0.02, text, transform=ax.transAxes, ha="center", va="top", fontsize=8, color="#555555")
