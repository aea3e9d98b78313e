"""rmat: reproducible random graphs, identical on every machine."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from .._core import running
from .._core.arguments import PathLike, is_uri, path_text
from .._core.atomic import output_folder
from .._core.binding import advised
from .._core.checks import check_int, checked_flag, checked_number
from .._core.costs import costs
from .._core.seeds import entropy
from .graph import Graph

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["rmat"]


@advised
def rmat(
    scale: int,
    edge_factor: int = 16,
    *,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    weights: tuple[float, float] | None = None,
    symmetric: bool = True,
    seed: Seed = 0,
    folder: PathLike | None = None,
    progress: bool | None = None,
) -> Graph:
    """A random graph of 2^scale vertices with a skewed degree distribution (R-MAT: Chakrabarti, Zhan & Faloutsos,
    SDM'04; the defaults are Graph500's).

    The same arguments give the same graph on every machine.

    Args:
        scale: the graph has 2^scale vertices, from 0 to 31.
        edge_factor: edges drawn for each vertex (default 16); repeated ones and self-loops are left out, so that fewer
            remain.
        a: probability of the first quarter of the adjacency matrix at each level (default 0.57).
        b: probability of the second quarter (default 0.19).
        c: probability of the third quarter (default 0.19); that of the fourth is 1 - a - b - c.
        weights: (low, high): random weights, uniform between them; None (default): unweighted.
        symmetric: hold every edge in both directions (default True).
        seed: the random seed, as for ``gonextdoor.sample`` (default 0).
        folder: write the graph to this folder piece by piece and open it, for graphs larger than memory; as
            ``Graph.save``. None (default): keep the graph in memory.
        progress: whether to show a progress bar; None (default): in interactive use, if it takes over a second.

    Returns:
        The graph.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.
        MemoryError: the graph does not fit in memory.
        OSError: the folder cannot be written.

    Examples:
        >>> graph = gnd.rmat(10, seed=1)
        >>> graph
        Graph(num_vertices=1024, num_edges=21162)
        >>> int(graph.degrees().max())
        477
    """
    spec: dict[str, Any] = {"scale": check_int("scale", scale, 0, 31), "seed": entropy(seed)}
    factor = check_int("edge_factor", edge_factor, 0, 1 << 16)
    chances = {"a": checked_number("a", a), "b": checked_number("b", b), "c": checked_number("c", c)}
    for name, chance in chances.items():
        if not 0 <= chance <= 1:
            raise ValueError(f"{name} = {chance!r}: expected a probability from 0 to 1")
    if sum(chances.values()) > 1 + 1e-12:
        raise ValueError(f"a + b + c = {sum(chances.values())!r}: expected at most 1")
    spec |= {"edge_factor": factor, **chances, "symmetric": checked_flag("symmetric", symmetric)}
    if weights is not None:
        spec["weights"] = _range(weights)
    seconds = costs().rmat_edge * factor * 2.0 ** spec["scale"]
    if folder is None:
        return _generated(spec, seconds, progress)
    with output_folder("folder", folder) as target:
        graph = _generated(spec | {"folder": target}, seconds, progress)
    return Graph.open(folder) if is_uri(path_text(folder)) else graph


def _generated(spec: dict[str, Any], seconds: float, progress: bool | None) -> Graph:
    """The graph of a specification for the core, which takes some seconds."""
    number = running.call("GraphRmat", json.dumps(spec), seconds=seconds, progress=progress, label="generating")
    return Graph._of(number, spec.get("folder"))


def _range(weights: Any) -> list[float]:
    try:
        low, high = weights
    except (TypeError, ValueError):
        raise TypeError(f"weights = {weights!r}: expected (low, high) or None") from None
    low, high = checked_number("weights[0]", low), checked_number("weights[1]", high)
    if not 0 <= low <= high < math.inf:
        raise ValueError(f"weights = {weights!r}: expected 0 <= low <= high, finite")
    return [low, high]
