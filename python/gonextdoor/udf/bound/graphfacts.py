"""The facts from which bounds follow: the ranges of a graph's attributes, and of an app's arrays and parameters."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core import running
from ..._core.costs import costs
from .. import tree
from .ranges import Range, anything, constant, known

if TYPE_CHECKING:
    from ...graph.graph import Graph

__all__ = ["GraphFacts"]


class GraphFacts:
    """The ranges of what a hook reads on a graph. One object stands for each, so that a bound has one parameter for it.

    Args:
        graph: the graph.
        params: the values of the app's parameters, by name.
        arrays: the app's arrays, by name.
        steps: the number of steps; 0: until no transit is left.
        pool: whether transits are drawn from a pool.
        jumps: whether a hook may choose another vertex than the end point of an edge.
    """

    def __init__(
        self,
        graph: Graph,
        params: Mapping[str, int | float],
        arrays: Mapping[str, np.ndarray[Any, Any]],
        steps: int,
        pool: bool,
        jumps: bool = False,
    ) -> None:
        self.graph, self.params, self.arrays, self.pool = graph, list(params.values()), list(arrays.values()), pool
        self.jumps = jumps
        self.names = list(params), list(arrays)
        self.last_step = steps - 1 if steps else 65535
        self.vertices, self.edges, self.weighted = graph.num_vertices, graph.num_edges, graph.weighted
        self._elements: dict[tuple[int, int, int], Range] = {}

    @functools.cached_property
    def _edges(self) -> dict[str, Any]:
        return self._read(ends=False)

    def _read(self, *, ends: bool) -> dict[str, Any]:
        seconds = costs().first_call_edge * self.edges
        text = running.call("GraphRanges", self.graph._held.number, ends, seconds=seconds, label="ranges")
        return dict(json.loads(text))

    @functools.cached_property
    def weights(self) -> Range:
        """The weights of all edges; those of an unweighted graph are exactly 1."""
        if not self.weighted:
            return constant("float", 1.0)
        return known("float", float(self._edges["least_weight"]), float(self._edges["largest_weight"]))

    @functools.cached_property
    def prefix_sums(self) -> Range:
        """The sums of the first weights of rows."""
        largest = self.graph._info["largest_degree"]
        return known("float", 0.0, float(self.weights.high) * largest * (1.0 + 2.0**-52 * largest))

    @functools.cached_property
    def labels(self) -> Range:
        """The labels of all edges."""
        return known("int", self._edges["least_label"], self._edges["largest_label"])

    @functools.cached_property
    def times(self) -> Range:
        """The times of all edges."""
        return known("int", self._edges["least_time"], self._edges["largest_time"])

    @functools.cached_property
    def edge_ids(self) -> Range:
        """The ids of all edges."""
        return known("int", 0, self._edges["largest_id"])

    @functools.cached_property
    def degrees(self) -> Range:
        """The degrees of all vertices."""
        return known("int", 0, self.graph._info["largest_degree"])

    @functools.cached_property
    def end_degrees(self) -> Range:
        """The degrees of the vertices to which edges lead."""
        found = self._read(ends=True)
        return known("int", found["least"], found["largest"])

    @functools.cached_property
    def end_points(self) -> Range:
        """The vertices to which edges lead."""
        return known("int", 0, self.vertices - 1)

    def parameter(self, x: tree.Parameter) -> Range:
        """A parameter, whose value is known."""
        value = self.params[x.place]
        return Range(x.type, value, value, x, x) if math.isfinite(value) else anything("float")

    def array(self, x: tree.Unary) -> np.ndarray[Any, Any]:
        """The array of an expression len(array)."""
        assert isinstance(x.operand, tree.Constant)
        return self.arrays[int(x.operand.value)]

    def elements(self, array: tree.Array, low: int, high: int) -> Range:
        """The elements of an array from one valid index to another; unbounded if one is not finite."""
        key = array.place, low, high
        if key not in self._elements:
            part = self.arrays[array.place][low : high + 1]
            least, most = part.min().item(), part.max().item()
            if isinstance(least, float):
                finite = math.isfinite(least) and math.isfinite(most)
                self._elements[key] = known("float", least, most) if finite else anything("float")
            else:
                self._elements[key] = known("int", int(least), int(most))
        return self._elements[key]
