"""The lengths of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._core.binding import advised
from ..samples.export import walks
from .figure import POINTS, axes_for, expect_samples, samples_title, whole_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..samples.samples import Samples

__all__ = ["lengths"]

MOST_BARS = 60


@advised
def lengths(samples: Samples, *, ax: Axes | None = None) -> Axes:
    """Draws how many samples have how many vertices, roots included.

    There is one bar per length, or one per range of lengths if there are more than 60; ranges are whole numbers wide.
    If all samples are equally long, there is one bar, with its count above it.

    Args:
        samples: the samples.
        ax: the axes to draw on; None: those of a new figure.

    Raises:
        ImportError: matplotlib is missing.

    Examples:
        >>> axes = gnd.plot.lengths(gnd.sample(gnd.rmat(10, seed=1), gnd.apps.PPR(0.2), seed=1))
    """
    expect_samples(samples)
    ax = axes_for(ax)
    kind = "walk" if walks(samples) else "sample"
    found = np.asarray(samples.lengths)
    if len(found):
        low, high = int(found.min()), int(found.max())
        width = -(-(high - low + 1) // MOST_BARS)
        counts = np.bincount((found - low) // width)
        present = np.flatnonzero(counts)
        middles = low + present * width + (width - 1) / 2
        bars = ax.bar(middles, counts[present], width=0.9 * width, color=POINTS)
        if low == high:
            ax.set_xlim(low - 2, low + 2)
            ax.set_ylim(0, 1.1 * int(counts[0]))
            ax.set_xticks([low], [f"{low:,}"])
            ax.bar_label(bars, [f"{int(counts[0]):,}"], padding=2)
        else:
            whole_ticks(ax.xaxis)
        ranges = f", in ranges of {width}" if width > 1 else ""
        ax.set_xlabel(f"vertices per {kind}, roots included{ranges}")
    whole_ticks(ax.yaxis)
    ax.set_ylabel(f"{kind}s")
    ax.set_title(samples_title(samples))
    return ax
