"""gonextdoor info: describes a graph file."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from .command import Command
from .graphfile import edge_chunks
from .graphinput import GraphInput, graph_input
from .report import Report


@click.command(cls=Command, short_help="What is in a graph file.", example="gonextdoor info wiki-Vote.txt.gz --verify")
@graph_input
@click.option("--verify", is_flag=True, help="Look at every edge: order, range, self-loops, repeated edges, direction.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def info(
    context: click.Context,
    graph: GraphInput,
    verify: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Describes the graph in FILE: sizes, degrees, weights, names."""
    held = graph.read(Report(True))
    facts = describe(held)
    faults: list[str] = []
    if verify:
        found, faults = check(held)
        facts |= found | {"checks": "; ".join(faults) if faults else "all passed"}
    if as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        for name, value in facts.items():
            click.echo(f"{name:<16} {_shown(value)}")
    if faults:
        context.exit(1)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.6g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def describe(graph: Any) -> dict[str, Any]:
    """Facts that need no pass over the edges, except for those on weights."""
    degrees = np.asarray(graph.degrees())
    facts: dict[str, Any] = {} if graph.source is None else {"source": graph.source}
    facts |= {"vertices": int(graph.num_vertices), "edges": int(graph.num_edges)}
    if len(degrees):
        facts |= {
            "mean degree": float(graph.num_edges / len(degrees)),
            "median degree": float(np.median(degrees)),
            "largest degree": int(degrees.max()),
            "its vertex": _name(graph, int(degrees.argmax())),
            "without edges": int((degrees == 0).sum()),
        }
    weights = graph.weights
    facts["weights"] = "none"
    if weights is not None and len(weights):
        facts["weights"] = f"{weights.min():g} to {weights.max():g}, mean {weights.mean(dtype=np.float64):g}"
        facts["zero weights"] = int((weights == 0).sum())
    for name, values in (("times", graph.times), ("labels", graph.labels)):
        if values is not None and len(values):
            facts[name] = f"{values.min()} to {values.max()}"
    names = graph.vertex_names
    facts["names"] = "vertex numbers"
    if names is not None:
        kind = "whole numbers" if np.issubdtype(np.asarray(names[:1]).dtype, np.integer) else "text"
        shown = ", ".join(str(name) for name in names[:3])
        facts["names"] = f"{kind}: {shown}{', …' if len(names) > 3 else ''}"
    return facts


def _name(graph: Any, vertex: int) -> str:
    return str(vertex if graph.vertex_names is None else graph.vertex_names[vertex])


def check(graph: Any) -> tuple[dict[str, Any], list[str]]:
    """Reads every edge: facts that take time, and faults of the arrays (if a file is damaged)."""
    loops = repeated = 0
    faults = []
    before: tuple[int, int] | None = None
    if np.any(np.diff(np.asarray(graph.indptr).astype(np.int64)) < 0):
        faults.append("indptr decreases")
    for sources, destinations, weights in edge_chunks(graph):
        destinations = np.asarray(destinations).astype(np.int64)
        if destinations.min() < 0 or destinations.max() >= graph.num_vertices:
            faults.append("an edge leads out of the graph")
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
    facts = {
        "self-loops": loops,
        "repeated edges": repeated,
        "both directions": "yes: each edge has its opposite" if mirrored else "no: some edge has no opposite",
    }
    return facts, sorted(set(faults))
