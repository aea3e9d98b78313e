"""Vertices as discs and edges as lines or arrows, on matplotlib axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["arrow", "arrows", "captions", "discs", "frame", "lines", "radius", "step_colour", "too_large"]

MAX_VERTICES = 200
MAX_EDGES = 2000

BACKGROUND = "#d4d7da"  # of vertices and edges that were not sampled
EDGE = "#8a9299"
COLOURS = ("#c44536", "#1f4e79", "#2e86ab", "#7cc0cf", "#b8dcc0", "#e3e3a6")  # of roots and of steps 1, 2 and so on

Places = npt.NDArray[np.float64]


def too_large(thing: str, vertices: int, edges: int, advice: str) -> None:
    """Refuses what would not be readable.

    Raises:
        ValueError: there are more vertices or edges than a drawing shows.
    """
    for number, noun, limit in ((vertices, "vertices", MAX_VERTICES), (edges, "edges", MAX_EDGES)):
        if number > limit:
            raise ValueError(f"{thing} has {number:,} {noun}, but a drawing shows at most {limit:,}: {advice}")


def step_colour(step: int) -> str:
    """The colour of the vertices of a step, 0 for roots."""
    return COLOURS[min(step, len(COLOURS) - 1)]


def radius(count: int) -> float:
    """The radius of a disc in points, for a number of vertices."""
    return next((r for most, r in ((16, 11.0), (36, 9.0), (64, 7.5), (110, 5.5)) if count <= most), 4.0)


def discs(
    ax: Axes,
    places: Places,
    colours: Sequence[str],
    size: float,
    texts: Sequence[str] | None = None,
    side: Literal["below", "left", "right"] = "below",
) -> None:
    """Draws vertices of this radius. Short texts are written on them, longer ones at their side."""
    if len(places) == 0:
        return
    ax.scatter(
        places[:, 0], places[:, 1], s=np.pi * size**2, c=list(colours), edgecolors="white", linewidths=0.8, zorder=3
    )
    if texts is None or size < 5:
        return
    longest = max(map(len, texts))
    if longest <= 3 and size >= 6:
        for place, text, colour in zip(places, texts, colours, strict=True):
            font = min(size * (1.1 if longest < 3 else 0.78), 9)
            _text(ax, text, place, (0, 0), "center", "center_baseline", font, _readable(colour))
        return
    offset, across, along = {
        "below": ((0.0, -size - 1), "center", "top"),
        "left": ((-size - 2, 0.0), "right", "center_baseline"),
        "right": ((size + 2, 0.0), "left", "center_baseline"),
    }[side]
    for place, text in zip(places, texts, strict=True):
        _text(ax, text, place, offset, across, along, 7, "#333333")


def _text(
    ax: Axes, text: str, place: Any, offset: tuple[float, float], across: str, along: str, font: float, colour: str
) -> None:
    """Writes a text at an offset in points from a position, with a white outline if edges may cross it."""
    from matplotlib.patheffects import withStroke

    outline = [withStroke(linewidth=2, foreground="white")] if along == "top" else None
    ax.annotate(
        text, place, offset, textcoords="offset points", ha=across, va=along, fontsize=font, color=colour, zorder=4,
        annotation_clip=False, path_effects=outline,
    )  # fmt: skip


def _readable(colour: str) -> str:
    """Black or white, whichever is readable on the colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 150 else "#222222"


def lines(ax: Axes, starts: Places, ends: Places, colour: str = EDGE, width: float = 0.8) -> None:
    """Draws straight lines."""
    from matplotlib.collections import LineCollection

    if len(starts):
        ax.add_collection(
            LineCollection(list(np.stack([starts, ends], axis=1)), colors=colour, linewidths=width, zorder=1)
        )


def arrows(ax: Axes, starts: Places, ends: Places, size: float, colour: str = EDGE, bend: float = 0.0) -> None:
    """Draws arrows between discs of this radius; lines if there are many, whose heads would cover everything."""
    if len(starts) > 300:
        lines(ax, starts, ends, colour, 0.6)
        return
    for start, end in zip(starts, ends, strict=True):
        arrow(ax, start, end, size, colour, bend=bend)


def arrow(
    ax: Axes,
    start: Any,
    end: Any,
    size: float,
    colour: str,
    *,
    bend: float = 0.0,
    width: float = 0.9,
    dashed: bool = False,
) -> None:
    """Draws one arrow from disc to disc."""
    ax.annotate(
        "",
        xy=end,
        xytext=start,
        arrowprops={
            "arrowstyle": f"-|>,head_length={0.28 + 0.12 * width:.3g},head_width={0.12 + 0.06 * width:.3g}",
            "color": colour,
            "linewidth": width,
            "linestyle": (0, (3, 2)) if dashed else "-",
            "shrinkA": size,
            "shrinkB": size + 0.5,
            "connectionstyle": f"arc3,rad={bend}",
        },
        zorder=2,
        annotation_clip=False,
    )


def frame(ax: Axes, places: Places, *, equal: bool = True, margin: float = 0.6) -> None:
    """Removes the axes' ticks and lines, and makes room around the positions."""
    ax.set_axis_off()
    if equal:
        ax.set_aspect("equal", adjustable="box")
    if len(places):
        low, high = places.min(axis=0), places.max(axis=0)
        ax.set_xlim(low[0] - margin, high[0] + margin)
        ax.set_ylim(low[1] - margin, high[1] + margin)


def captions(ax: Axes, places: Sequence[tuple[float, float]], texts: Sequence[str], **options: Any) -> None:
    """Writes small texts at positions."""
    for (x, y), text in zip(places, texts, strict=True):
        ax.text(x, y, text, fontsize=8.5, color="#444444", **options)
