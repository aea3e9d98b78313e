"""Sampled: the rows of an app of ``gonextdoor.apps``, or of one that a user wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import partition
from ..apps import SamplingApp, TemporalWalk
from ..apps.digests import digests
from ..graph.names import vertices
from ..partition import PartitionedGraph, Transport
from ..partition.graph import described
from ..partition.trees import TREES
from ..samples.export import Columns, walk_shaped
from ..sampling.roots import drawn
from ..sampling.sample import sample
from . import tables
from .run import Run, check_one_type, whole
from .sizes import LONGEST, links_of, vertices_of

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..partition.anygraph import AnyGraph
    from ..storage.head import Head

__all__ = ["Sampled", "roots_of"]

Array = npt.NDArray[Any]


class Sampled:
    """The samples of an app: row i is the sample with id i."""

    def __init__(self, app: SamplingApp) -> None:
        self.app = app
        self.at_home = type(app).__name__ in TREES

    def rows(self, run: Run, head: Head) -> int:
        """One sample per root and repeat; one without roots for apps that choose their own vertices."""
        pool = self.app.pool()
        check_one_type(self.app, run, head)
        name = self.app.per_root() if isinstance(self.app, TemporalWalk) else None
        if name is not None:
            raise ValueError(f"{name} has one time per root: expected one time for all roots of ranges")
        if head.parts:
            described(self.app)  # refuses apps that cannot be sampled by parts
        if run.roots is None:
            return (head.vertices if pool is None else 1) * run.repeat
        if isinstance(run.roots, int):
            return run.roots * run.repeat
        if pool == 0:
            raise ValueError(f"roots: {self.app!r} chooses its own vertices; expected the number of samples, or None")
        return len(run.roots) * run.repeat

    def row_bytes(self, run: Run, head: Head) -> float:
        """Four bytes per vertex, eight per edge, and those of the other columns of layered samples."""
        width = self._width(run)
        facts = self.app._facts(width)
        if facts.width is not None:
            return 8 + 4 * facts.width + 8 * run.edges * max(facts.width - width, 0)
        roots = 0 if self.app.pool() == 0 else width
        expected = min(vertices_of(self.app, roots, head), LONGEST)
        if not facts.layered:
            return 16 + 4 * (roots + expected) + 8 * run.edges * expected
        links = min(links_of(self.app, roots, head), LONGEST)
        return 24 + 12 * (roots + expected) + 24 * links + 8 * run.edges * expected

    def _width(self, run: Run) -> int:
        """The roots from which a sample grows, or the vertices that are drawn for it."""
        shape: tuple[int, ...] = np.shape(run.roots) if run.roots is not None else ()
        return shape[-1] if len(shape) == 2 else self.app.pool() or 1

    def schema(self, run: Run, head: Head) -> Any:
        """The schema of the rows, by the app's facts."""
        width = self._width(run)
        facts, roots = self.app._facts(width), 0 if self.app.pool() == 0 else width
        walks = walk_shaped(self.app, roots, facts.layered, facts.width is None)
        columns = Columns(roots == 1, walks, facts.layered, run.edges, facts.records)
        if run.names:
            return tables.schema_of_named(columns, head)
        return tables.schema_of_samples(columns, head, facts.width, roots)

    def table(self, run: Run, graph: AnyGraph, ids: range, transport: Transport | None = None) -> Any:
        """The samples of consecutive ids."""
        if isinstance(graph, PartitionedGraph):
            return self._of_parts(run, graph, ids, transport)
        graph = whole(self.app, graph)
        pool, repeat = self.app.pool(), run.repeat
        if pool == 0:
            roots: Any = len(ids)
            repeat = 1
        else:
            first, end = ids.start // repeat, -(-ids.stop // repeat)
            roots = roots_of(run, graph, first, end, pool or 1)
            if ids.start % repeat or ids.stop % repeat:  # a root for each row
                roots = roots[np.arange(ids.start - first * repeat, ids.stop - first * repeat) // repeat]
                repeat = 1
        samples = sample(
            graph, self.app, roots, repeat=repeat, seed=run.seed, first_id=ids.start, device=run.device,
            threads=run.threads, edges=run.edges, progress=False,
        )  # fmt: skip
        return tables.of_named(samples, graph) if run.names else tables.of_samples(samples, ids)

    def _of_parts(self, run: Run, graph: PartitionedGraph, ids: range, transport: Transport | None) -> Any:
        """The samples of a partitioned graph. Those of whole roots are made, since each has one number."""
        first, end = ids.start // run.repeat, -(-ids.stop // run.repeat)
        roots = run.roots
        if roots is None:
            roots = np.arange(first, end)
        elif isinstance(roots, int):
            roots = end - first
        else:
            roots = vertices(graph, "roots", roots[first:end])
        samples = partition.sample(
            graph, self.app, roots, repeat=run.repeat, seed=run.seed, first_id=first * run.repeat, edges=run.edges,
            transport=transport,
        )  # fmt: skip
        all_ids = range(first * run.repeat, end * run.repeat)
        table = tables.of_named(samples, graph) if run.names else tables.of_samples(samples, all_ids)
        return table.slice(ids.start - all_ids.start, len(ids))

    def facts(self) -> dict[str, Any]:
        """The app; hooks of users by their text, arrays by a digest."""
        return {"app": repr(self.app), **digests(self.app)}


def roots_of(run: Run, graph: Graph, first: int, end: int, width: int) -> Array:
    """The roots with the numbers first to end - 1 of a run: (n,), or (n, width)."""
    roots = run.roots
    if roots is None and width == 1:
        return np.arange(first, end)
    if roots is None or isinstance(roots, int):
        found = drawn(graph, end - first, width, seed=run.seed, first_id=first * run.repeat, repeat=run.repeat)
        return found if width == 1 else found.reshape(-1, width)
    return vertices(graph, "roots", roots[first:end])
