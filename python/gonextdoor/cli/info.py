"""gonextdoor info: describes a graph file."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import click
import cloup
import numpy as np

from ..graph.placement import equal_parts
from . import options
from .command import Command
from .graphfile import edge_chunks
from .graphinput import GraphInput, graph_input
from .report import Report

WIDTH = 28  # of the longest title
TITLES = {
    "largest_degree_vertex": "vertex of the largest degree",
    "vertices_without_edges": "without edges",
    "self_loops": "self-loops",
}


@click.command(
    cls=Command,
    short_help="Show sizes, degrees, weights and names of a graph.",
    example="gonextdoor info wiki-Vote.txt.gz --verify",
    quiet="Has no effect: info prints no progress.",
)
@graph_input
@cloup.option("--verify", is_flag=True, help="Check every edge: order, range, self-loops, repeated edges, direction.")
@cloup.option(
    "--parts", type=options.WholeNumber(1, 63), help="Show how graph.place splits the rows over this many GPUs."
)
@cloup.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def info(
    context: click.Context,
    graph: GraphInput,
    verify: bool,
    parts: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show the sizes, degrees, weights and names of the graph in FILE."""
    held = graph.read(Report(True))
    facts = describe(held)
    if parts is not None:
        facts["parts"] = split(held, parts)
    if verify:
        facts |= check(held)
    click.echo(json.dumps(facts, indent=2) if as_json else "\n".join(lines(facts)))
    if facts.get("faults"):
        context.exit(1)


def describe(graph: Any) -> dict[str, Any]:
    """The facts for --json that need no pass over the edges, except for those on weights, times and labels."""
    degrees = np.asarray(graph.degrees())
    facts: dict[str, Any] = {"source": graph.source, "vertices": int(graph.num_vertices), "edges": int(graph.num_edges)}
    if len(degrees):
        facts |= {
            "mean_degree": float(graph.num_edges / len(degrees)),
            "median_degree": float(np.median(degrees)),
            "largest_degree": int(degrees.max()),
            "largest_degree_vertex": _name(graph, int(np.argmax(degrees))),
            "vertices_without_edges": int((degrees == 0).sum()),
        }
    for name, values in (("weights", graph.weights), ("times", graph.times), ("labels", graph.labels)):
        facts[name] = None
        if values is not None and len(values):
            facts[name] = {"minimum": values.min().item(), "maximum": values.max().item()}
            if name == "weights":
                facts[name] |= {"mean": float(values.mean(dtype=np.float64)), "zeros": int((values == 0).sum())}
    names = graph.vertex_names
    facts["names"] = None
    if names is not None:
        integers = np.issubdtype(np.asarray(names[:1]).dtype, np.integer)
        facts["names"] = {"type": "integer" if integers else "text", "first": [_plain(name) for name in names[:3]]}
    return facts


def split(graph: Any, parts: int) -> list[dict[str, int]]:
    """The rows and edges of parts with equal numbers of edges."""
    bounds = equal_parts(graph, parts)
    first_edges = np.asarray(graph.indptr)[bounds].tolist()
    cuts = zip(itertools.pairwise(bounds), itertools.pairwise(first_edges), strict=True)
    return [{"first": first, "end": end, "edges": last - at} for (first, end), (at, last) in cuts]


def _name(graph: Any, vertex: int) -> int | str:
    return vertex if graph.vertex_names is None else _plain(graph.vertex_names[vertex])


def _plain(name: Any) -> int | str:
    return int(name) if isinstance(name, (int, np.integer)) else str(name)


def lines(facts: dict[str, Any]) -> Iterator[str]:
    """The facts as lines of text."""
    for name, value in facts.items():
        if name == "names":
            yield _line(name, "vertex numbers" if value is None else _listed(value, facts["vertices"]))
        elif name == "weights":
            yield _line(name, "none" if value is None else "{minimum:g} to {maximum:g}, mean {mean:g}".format(**value))
            if value is not None:
                yield _line("zero weights", value["zeros"])
        elif name == "symmetric":
            text = "yes: each edge has its opposite" if value else "no: some edge has no opposite"
            yield _line("both directions", text)
        elif name == "parts":
            for i, part in enumerate(value):
                rows = f"rows {part['first']:,} to {part['end'] - 1:,}" if part["end"] > part["first"] else "no rows"
                yield _line(f"part {i}", f"{rows}, {part['edges']:,} edges")
        elif name == "faults":
            yield _line("checks", "; ".join(value) or "all passed")
        elif name in ("times", "labels") and value is not None:
            yield _line(name, f"{value['minimum']} to {value['maximum']}")
        elif name == "largest_degree_vertex":
            yield _line(TITLES[name], str(value))
        elif value is not None:
            yield _line(TITLES.get(name, name.replace("_", " ")), value)


def _line(title: str, value: Any) -> str:
    if isinstance(value, float):
        value = f"{value:,.6g}"
    elif isinstance(value, int):
        value = f"{value:,}"
    return f"{title:<{WIDTH}} {value}"


def _listed(names: dict[str, Any], count: int) -> str:
    kind = "whole numbers" if names["type"] == "integer" else "text"
    return f"{kind}: {', '.join(map(str, names['first']))}{', …' if count > 3 else ''}"


def check(graph: Any) -> dict[str, Any]:
    """Reads every edge: facts that take time, and the faults of a damaged file."""
    loops = repeated = 0
    faults = []
    before: tuple[int, int] | None = None
    if np.any(np.diff(np.asarray(graph.indptr).astype(np.int64)) < 0):
        faults.append("indptr decreases")
    for sources, destinations, weights in edge_chunks(graph):
        destinations = np.asarray(destinations).astype(np.int64)
        if destinations.min() < 0 or destinations.max() >= graph.num_vertices:
            faults.append("the target of an edge is not a vertex")
        if weights is not None and not (np.isfinite(weights).all() and (weights >= 0).all()):
            faults.append("a weight is negative or not finite")
        loops += int((sources == destinations).sum())
        joined_sources = sources if before is None else np.concatenate([[before[0]], sources])
        joined = destinations if before is None else np.concatenate([[before[1]], destinations])
        same = np.diff(joined_sources) == 0
        step = np.diff(joined)
        repeated += int((same & (step == 0)).sum())
        if (same & (step < 0)).any():
            faults.append("a row is not sorted")
        before = int(sources[-1]), int(destinations[-1])
    back = graph.reverse()
    mirrored = np.array_equal(back.indptr, graph.indptr) and np.array_equal(back.indices, graph.indices)
    return {"self_loops": loops, "repeated_edges": repeated, "symmetric": mirrored, "faults": sorted(set(faults))}
