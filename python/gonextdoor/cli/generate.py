"""gonextdoor generate: random graphs."""

from __future__ import annotations

import math
import secrets
import time

import click
import cloup

import gonextdoor as gnd

from . import options
from .command import QUIET_BUT_SEED, Command
from .graphfile import GraphFile
from .report import Report, count, duration, size


@click.command(
    cls=Command,
    short_help="Generate a random graph (R-MAT).",
    example="gonextdoor generate --scale 20 --seed 1 -o rmat20",
    quiet=QUIET_BUT_SEED,
)
@cloup.option_group(
    "Graph",
    cloup.option(
        "--scale", type=options.WholeNumber(0, 31), metavar="S", required=True, help="The graph has 2^S vertices."
    ),
    cloup.option(
        "--edge-factor",
        type=options.WholeNumber(0),
        metavar="N",
        default=16,
        show_default=True,
        help="Number of edges drawn per vertex.",
    ),
    cloup.option("--weights", metavar="LOW,HIGH", help="Add uniform random edge weights from this range."),
    cloup.option("--directed", is_flag=True, help="Keep each edge only in the direction in which it was drawn."),
    options.seed,
)
@cloup.option_group(
    "Output",
    cloup.option(
        "-o",
        "--output",
        "out",
        type=options.PATH,
        required=True,
        metavar="OUT",
        help="The output file, or a folder if it has no suffix. Formats: see 'gonextdoor convert --help'.",
    ),
    cloup.option("--stream", is_flag=True, help="Write a folder in parts, for graphs that are larger than memory."),
)
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
    """Generate an R-MAT graph with the parameters of Graph500 (a=0.57, b=0.19, c=0.19).

    Its degree distribution is skewed, as in social networks. A given seed gives the same graph on every machine.
    """
    report = Report(quiet)
    target = GraphFile(out, "-o")
    if stream and target.suffix:
        raise click.UsageError(f"--stream writes a folder, but -o {out} has a suffix: pass -o without a suffix")
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
            f"{text!r}: expected two numbers of at least 0, the lower first, such as 1,5", param_hint="--weights"
        )
    return low, high
