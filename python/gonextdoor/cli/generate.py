"""gonextdoor generate: random graphs."""

from __future__ import annotations

import math
import secrets
import time

import click

import gonextdoor as gnd

from . import options
from .command import Command
from .graphfile import GraphFile
from .report import Report, count, duration, size


@click.command(
    cls=Command, short_help="A random graph (R-MAT).", example="gonextdoor generate --scale 20 --seed 1 -o rmat20"
)
@click.option("--scale", type=click.IntRange(0, 31), metavar="S", required=True, help="The graph has 2^SCALE vertices.")
@click.option(
    "--edge-factor", type=click.IntRange(0), metavar="N", default=16, show_default=True, help="Edges drawn per vertex."
)
@click.option("--weights", metavar="LOW,HIGH", help="Give the edges uniform random weights between these.")
@click.option("--directed", is_flag=True, help="Keep each edge in the one direction in which it was drawn.")
@click.option("--stream", is_flag=True, help="Write the folder piece by piece, for graphs larger than memory.")
@options.seed
@click.option("-o", "--output", "out", required=True, metavar="OUT", help="Where to write, as OUT of convert.")
def generate(
    scale: int,
    edge_factor: int,
    weights: str | None,
    directed: bool,
    stream: bool,
    seed: int | None,
    out: str,
    quiet: bool,
) -> None:
    """Makes an R-MAT graph (Graph500: a=0.57, b=0.19, c=0.19), whose degrees are as uneven as a social network's.

    The same seed gives the same graph on every machine.
    """
    report = Report(quiet)
    target = GraphFile(out, "-o")
    if stream and target.suffix:
        raise click.UsageError(f"--stream writes a folder: expected -o without a suffix, got {out!r}")
    bounds = _range(weights)
    seed = secrets.randbits(63) if seed is None else seed
    report.always("seed", str(seed))
    begin = time.perf_counter()
    graph = gnd.rmat(
        scale,
        edge_factor,
        weights=bounds,
        symmetric=not directed,
        seed=seed,
        folder=out if stream else None,
        progress=False if quiet else None,
    )
    made = duration(time.perf_counter() - begin)
    report.line("graph", f"{count(graph.num_vertices, 'vertex')}, {count(graph.num_edges, 'edge')}, made in {made}")
    if not stream:
        target.write(graph)
    report.line("wrote", f"{out}: {size(target.size())}")


def _range(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low, high = math.nan, math.nan
    if not 0 <= low <= high < math.inf:
        raise click.BadParameter(
            f"{text!r}: expected two numbers from 0, the lower first, such as 1,5", param_hint="--weights"
        )
    return low, high
