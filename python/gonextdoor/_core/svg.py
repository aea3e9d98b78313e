"""Small inline SVG pictures for notebooks.

Lines and texts have the colour of the text around them, so that pictures are readable on light and dark pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from .htmltable import escaped

__all__ = ["bars", "chain", "columns", "network", "ring"]

ACCENT = "#d9604c"  # of roots
FILL = "#3d8fc4"  # readable on white and on black
MOST_ROWS = 6  # discs of a column
MOST_LINKS = 3  # discs of a chain before and after its gap

Point = tuple[float, float]


def bars(values: Sequence[float], left: str, right: str, title: str) -> str:
    """A bar chart, with a text under its first and its last bar."""
    width, height, base = 200.0, 96.0, 66.0
    step = (width - 8) / max(len(values), 1)
    most = max([*values, 1])
    shapes = [
        f'<rect x="{4 + i * step + 0.5:.1f}" y="{base - 60 * value / most:.1f}" width="{max(step - 1, 0.5):.1f}" '
        f'height="{60 * value / most:.1f}" fill="{FILL}" stroke="none"/>'
        for i, value in enumerate(values)
        if value
    ]
    shapes.append(_line((4, base), (width - 4, base)))
    shapes += [_text((4, base + 11), left, "start"), _text((width - 4, base + 11), right, "end")]
    shapes.append(_text((width / 2, base + 24), title, "middle"))
    return _svg(width, height, title, shapes)


def chain(labels: Sequence[str], title: str) -> str:
    """Discs in a row with arrows from each to the next, as a walk; a long one has a gap in the middle."""
    shown: list[str | None] = list(labels)
    if len(shown) > 2 * MOST_LINKS + 1:
        shown = [*labels[:MOST_LINKS], None, *labels[-MOST_LINKS:]]
    width, y = 30.0 * max(len(shown), 1), 14.0
    at = [(15 + 30.0 * i, y) for i in range(len(shown))]
    shapes = [_arrow(a, b, 9) for a, b in pairwise(at)]
    shapes += [
        _text((x, y + 3), "…", "middle", 11) if label is None else _disc((x, y), 8, ACCENT if i == 0 else FILL)
        for i, ((x, y), label) in enumerate(zip(at, shown, strict=True))
    ]
    shapes += [_text((x, y + 21), label, "middle", 8) for (x, y), label in zip(at, shown, strict=True) if label]
    return _svg(width, 2 * y + 14 if any(labels) else 2 * y, title, shapes)


def columns(sizes: Sequence[int | None], heads: Sequence[str], title: str, flow: bool = False) -> str:
    """Columns of discs, such as the hops of a tree, with lines between them and a text under each.

    Args:
        sizes: the discs of each column; a column shows a few of them. None: an unknown number.
        heads: the text under each column.
        title: the description.
        flow: whether arrows lead from each column to the one before, and the first is on the right.
    """
    gap, height = 52.0, 104.0
    shown = [MOST_ROWS if size is None else min(size, MOST_ROWS) for size in sizes]
    width = gap * max(len(sizes), 1) + 8
    discs: list[list[Point]] = []
    for column, count in enumerate(shown):
        x = 4 + gap * (column + 0.5)
        x = width - x if flow else x
        discs.append([(x, 45 + 14 * (row - (count - 1) / 2)) for row in range(count)])
    shapes = []
    for before, here in pairwise(discs):
        for row, place in enumerate(here):
            if before:
                other = before[row * len(before) // len(here)]
                shapes.append(_arrow(place, other, 5) if flow else _line(other, place))
    for column, places in enumerate(discs):
        shapes += [_disc(place, 5, FILL if column else ACCENT) for place in places]
        size = sizes[column]
        if places and (size is None or size > len(places)):
            shapes.append(_text((places[-1][0], places[-1][1] + 12), "⋮", "middle", 9))
        x = 4 + gap * (column + 0.5)
        shapes.append(_text((width - x if flow else x, height - 3), heads[column], "middle", 9))
    return _svg(width, height, title, shapes)


def ring(labels: Sequence[str], edges: Iterable[tuple[int, int]], title: str) -> str:
    """Vertices on a circle, with the edges between them."""
    count = len(labels)
    radius = 42.0 if count > 1 else 0.0
    angles = [2 * math.pi * i / max(count, 1) - math.pi / 2 for i in range(count)]
    at = [(75 + radius * math.cos(angle), 56 + radius * math.sin(angle)) for angle in angles]
    shapes = [_line(at[a], at[b]) for a, b in edges if a != b]
    size = 7.5 if count <= 12 else 4
    shapes += [_disc(place, size, FILL) for place in at]
    if count <= 12 and all(len(label) <= 2 for label in labels):
        shapes += [
            f'<text x="{x:.1f}" y="{y + 2.7:.1f}" text-anchor="middle" font-size="8" fill="#fff" stroke="none">'
            f"{escaped(label)}</text>"
            for (x, y), label in zip(at, labels, strict=True)
        ]
    elif count <= 8:
        shapes += [
            _text((x, y + 16), label if len(label) <= 8 else label[:7] + "…", "middle", 8)
            for (x, y), label in zip(at, labels, strict=True)
        ]
    return _svg(150, 124, title, shapes)


def network(labels: Sequence[str], arrows: Iterable[tuple[int, int]], title: str) -> str:
    """Types of vertices on a circle, with their names and an arrow for each pair that a relation connects."""
    count = len(labels)
    radius = 0.0 if count == 1 else 46.0
    angles = [2 * math.pi * i / max(count, 1) - math.pi for i in range(count)]
    high = max((radius * math.sin(angle) for angle in angles), default=0.0)
    at = [(120 + 1.5 * radius * math.cos(angle), 36 + high + radius * math.sin(angle)) for angle in angles]
    shapes = []
    for a, b in dict.fromkeys(arrows):
        if a == b:
            x, y = at[a]
            shapes.append(
                f'<path d="M{x - 5:.1f} {y - 9:.1f}C{x - 18:.1f} {y - 30:.1f} {x + 18:.1f} {y - 30:.1f} '
                f'{x + 5:.1f} {y - 9:.1f}" fill="none" opacity="0.6"/>'
            )
        else:
            shapes.append(_arrow(at[a], at[b], 11))
    shapes += [_disc(place, 9, FILL) for place in at]
    shapes += [
        _text((x, y + 20), label if len(label) <= 18 else label[:17] + "…", "middle", 9)
        for (x, y), label in zip(at, labels, strict=True)
    ]
    return _svg(240, 62 + 2 * high, title, shapes)


def _svg(width: float, height: float, title: str, shapes: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" stroke="currentColor" fill="currentColor" '
        f'font-family="sans-serif"><title>{escaped(title)}</title>{"".join(shapes)}</svg>'
    )


def _disc(at: Point, radius: float, fill: str) -> str:
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:g}" fill="{fill}" stroke="none"/>'


def _line(start: Point, end: Point) -> str:
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line {ends} opacity="0.5"/>'


def _arrow(start: Point, end: Point, radius: float) -> str:
    """A line between two discs of this radius, with a head at its end."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    dx, dy = dx / length, dy / length
    tip = end[0] - dx * radius, end[1] - dy * radius
    back = tip[0] - 5 * dx, tip[1] - 5 * dy
    corners = [tip, (back[0] - 2.5 * dy, back[1] + 2.5 * dx), (back[0] + 2.5 * dy, back[1] - 2.5 * dx)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    begin = start[0] + dx * radius, start[1] + dy * radius
    return f'{_line(begin, back)}<polygon points="{points}" opacity="0.7" stroke="none"/>'


def _text(at: Point, text: str, anchor: str, size: float = 10) -> str:
    return (
        f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}" font-size="{size:g}" stroke="none">'
        f"{escaped(text)}</text>"
    )
