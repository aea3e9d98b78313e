"""PageRank: rows of personalised PageRank scores."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

from .._core.binding import advised
from ..pagerank.pagerank import personalized_pagerank
from . import tables
from .run import Run, check_one_type, needs_whole, whole
from .sampled import roots_of
from .sizes import distinct

if TYPE_CHECKING:
    from ..apps.parameters import Weighted
    from ..partition import Transport
    from ..partition.anygraph import AnyGraph
    from ..storage.head import Head

__all__ = ["PageRank"]

STEP_ENTRIES = 0.7  # new entries per step of a walk, about, while most vertices are new


@advised
@dataclasses.dataclass(frozen=True)
class PageRank:
    """Rows of ``gonextdoor.personalized_pagerank``, one per root: pass it as the ``app`` of a run.

    A row has the lists ``vertices`` and ``scores``. Row i has the scores of root i, and the id that the random words of
    its walks depend on.

    Args:
        stop: the probability of stopping at each vertex (default 0.15).
        walks: walks of each row; None (default): as many as ``error`` needs.
        error: the largest error bound of a row, if ``walks`` is None; None (default): 0.01.
        top_k: keep only the entries of the highest scores, highest first; None (default): all, sorted by vertex.
        weighted: "auto" (default), True or False: whether edge weights are used.
        sinks: "restart" (default) or "stop": what a walk does at a vertex without edges.

    Examples:
        >>> gnd.rmat(8, seed=1).save("graph")
        >>> run = gnd.ranges.Ranges("graph", gnd.ranges.PageRank(walks=1000, top_k=2), roots=[7, 0], seed=1)
        >>> run.table(run[0])["vertices"].to_pylist()
        [[7, 176], [0, 176]]
    """

    stop: float = 0.15
    walks: int | None = None
    error: float | None = None
    top_k: int | None = None
    weighted: Weighted = "auto"
    sinks: str = "restart"

    at_home: ClassVar[bool] = False

    def rows(self, run: Run, head: Head) -> int:
        """One per root."""
        if run.repeat != 1:
            raise ValueError(f"repeat = {run.repeat}: PageRank has one row per root, expected 1")
        check_one_type(self, run, head)
        if head.parts:
            raise needs_whole(self)
        if run.roots is None:
            return head.vertices
        return run.roots if isinstance(run.roots, int) else len(run.roots)

    def row_bytes(self, run: Run, head: Head) -> float:
        """Twelve bytes per entry."""
        steps = (self.walks or 4096) * (1 - self.stop) / max(self.stop, 1e-3)
        entries = 1 + distinct(STEP_ENTRIES * steps, head.vertices)
        return 16 + 12 * (entries if self.top_k is None else min(self.top_k, entries))

    def table(self, run: Run, graph: AnyGraph, ids: range, transport: Transport | None = None) -> Any:
        """The rows of consecutive ids."""
        graph = whole(self, graph)
        scores = personalized_pagerank(
            graph, roots_of(run, graph, ids.start, ids.stop, 1), seed=run.seed, first_id=ids.start, device=run.device,
            threads=run.threads, progress=False, **dataclasses.asdict(self),
        )  # fmt: skip
        return tables.of_scores(scores, ids)

    def schema(self, run: Run, head: Head) -> Any:
        """The schema of the rows."""
        return tables.schema_of_scores(head)

    def facts(self) -> dict[str, Any]:
        """All arguments."""
        return {"app": repr(self)}
