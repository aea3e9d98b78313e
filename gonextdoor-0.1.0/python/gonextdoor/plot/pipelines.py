"""The stages of a loader over time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..pipeline.meter import STAGES, Span
from .figure import POINTS, REFERENCE, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["pipeline"]

COLOURS = {"draw": POINTS, "gather": "#5aa469", "hand over": "#8d6bb0", "wait": REFERENCE, "caller": "#9a9a9a"}


def pipeline(spans: Iterable[Span], bottleneck: str, seconds: float = 1.0, *, ax: Axes | None = None) -> Axes:
    """Draws when each stage of a loader worked: a row per stage, a bar per period.

    Args:
        spans: the periods.
        bottleneck: the title.
        seconds: the time to draw, up to the end of the last period.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.
        ValueError: there are no periods.
    """
    every = list(spans)
    if not every:
        raise ValueError("the loader has handed over no batch: iterate over it first")
    end = max(span.end for span in every)
    begin = max(end - seconds, min(span.begin for span in every))
    ax = axes_for(ax, (7.2, 2.8))
    for row, stage in enumerate(STAGES):
        bars = [(max(span.begin, begin), span.end) for span in every if span.stage == stage and span.end > begin]
        ax.broken_barh(
            [(1e3 * (first - begin), 1e3 * (last - first)) for first, last in bars],
            (row - 0.4, 0.8),
            facecolor=COLOURS[stage],
            edgecolor="white",
            linewidth=0.4,
        )
    ax.set_yticks(range(len(STAGES)), STAGES)
    ax.set_ylim(len(STAGES) - 0.5, -0.5)
    ax.set_xlim(0, 1e3 * (end - begin))
    ax.set_xlabel("ms")
    ax.set_title(bottleneck, fontsize=9)
    return ax
