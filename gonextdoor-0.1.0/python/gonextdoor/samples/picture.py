"""HTML representation of samples for notebooks: the first sample as a walk, a tree, layers or a subgraph."""

from __future__ import annotations

import math

import numpy as np

from .._core import svg
from ..apps.picture import app_picture
from . import rows
from .arrays import SampleArrays
from .export import walks
from .host import HostResult

__all__ = ["samples_picture"]

MOST_VERTICES = 24  # of a subgraph
MOST_COLUMNS = 5


def samples_picture(samples: SampleArrays) -> tuple[str, str]:
    """A picture of the first sample as inline SVG, and its caption. Samples on a GPU stay there: theirs is the shape of
    the app's samples."""
    if not isinstance(samples._result, HostResult) or len(samples) == 0:
        return app_picture(samples.app), "shape of a sample"
    vertices = rows.one(samples, 0)
    names = samples.vertex_names
    labels = [str(v if names is None else names[v]) for v in vertices[: max(MOST_VERTICES, 8)].tolist()]
    if walks(samples):
        last = vertices[-1:].tolist()
        ends = [str(v if names is None else names[v]) for v in vertices[-3:].tolist()] if last else []
        if len(vertices) > len(labels):
            labels = labels[:5] + ends
        return svg.chain([_short(label) for label in labels], "the first walk"), "first walk"
    if samples.records and len(vertices) <= MOST_VERTICES and samples.stats["steps"] == 1:
        found = samples.subgraph(0)
        edges = {(min(a, b), max(a, b)) for a, b in zip(found.src.tolist(), found.dst.tolist(), strict=True)}
        return svg.ring([_short(label) for label in labels], sorted(edges), "the first sample"), "first sample"
    sizes = _sizes(samples)
    heads = [f"{size:,}" for size in sizes]
    if len(sizes) > MOST_COLUMNS:
        sizes, heads = sizes[:MOST_COLUMNS], [*heads[: MOST_COLUMNS - 1], "…"]
    return svg.columns(sizes, heads, "vertices per step of the first sample"), "vertices per step of the first sample"


def _sizes(samples: SampleArrays) -> list[int]:
    """The vertices of each step of the first sample, roots first."""
    if samples._layers is not None:
        counts = np.bincount(samples._layers.steps_of(0, 1))
        return [int(count) for count in counts if count]
    roots = samples.roots.shape[1]
    row, sizes, at = samples.numpy()[0], [roots], roots
    for shape in samples.app.slots(roots):
        width = math.prod(shape)
        sizes.append(int((row[at : at + width] >= 0).sum()))
        at += width
    return [size for size in sizes if size]


def _short(label: str) -> str:
    return label if len(label) <= 5 else label[:4] + "…"
