"""HTML representation of apps for notebooks: the parameters and a picture of the shape of a sample."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from .._core import svg

__all__ = ["app_parameters", "app_picture"]

MOST_COLUMNS = 5
_SUBGRAPH = ((0, 1), (1, 2), (2, 4), (4, 5), (5, 7), (7, 1), (0, 5), (3, 4), (6, 7))


def app_parameters(app: Any) -> dict[str, str]:
    """The parameters of an app by name, as texts."""
    return {field.name: _shown(getattr(app, field.name)) for field in dataclasses.fields(app)}


def _shown(value: Any) -> str:
    return f"array of {len(value):,}" if isinstance(value, np.ndarray) else repr(value)


def app_picture(app: Any) -> str:
    """A picture of a sample's shape: a walk, a tree, layers or a subgraph."""
    try:
        shapes = app.slots(1)
    except ValueError:  # samples differ in length
        return _of_unknown_length(app)
    if all(shape == () for shape in shapes):
        return svg.chain([""] * (len(shapes) + 1), "a walk")
    return _levels([1, *(math.prod(shape) for shape in shapes)], "a tree")


def _of_unknown_length(app: Any) -> str:
    for name, title in (("sizes", "layers"), ("fanouts", "a tree")):
        sizes = getattr(app, name, None)
        if isinstance(sizes, tuple) and sizes:
            if name == "sizes":
                return _levels([None, *sizes], title)
            many: list[int | None] = [getattr(app, "batch", 1)]
            most = getattr(app, "frontier_size", None)  # vertices that a step expands
            for fanout in sizes:
                last = many[-1] if most is None or many[-1] is None else min(many[-1], most)
                many.append(None if fanout < 0 or last is None else last * fanout)
            return _levels(many, title)
    if _walks(app):
        return svg.chain([""] * 9, "a walk")
    if not hasattr(app, "hooks") and app.pool() == 0:  # chooses its own vertices, which induce a subgraph
        return svg.ring(
            [""] * 8, [(0, 1), (1, 2), (2, 4), (4, 5), (5, 7), (7, 1), (0, 5), (3, 4), (6, 7)], "a subgraph"
        )
    return svg.columns([1, None, None], ["root", "", "…"], "a spreading sample")


def _walks(app: Any) -> bool:
    """Whether an app whose samples differ in length walks: PPR, or a user's app with one pick per step."""
    return bool(app._walks()) if hasattr(app, "hooks") else isinstance(getattr(app, "stop", None), float)


def _levels(sizes: list[int | None], title: str) -> str:
    """One column per level; if there are many levels, only the first ones."""
    heads = ["?" if size is None else f"{size:,}" for size in sizes]
    if len(sizes) > MOST_COLUMNS:
        sizes, heads = sizes[:MOST_COLUMNS], [*heads[: MOST_COLUMNS - 1], "…"]
    return svg.columns(sizes, heads, title)
