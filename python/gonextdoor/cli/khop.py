"""gonextdoor khop: trees of neighbours."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .command import Command
from .graphinput import GraphInput, graph_input_with
from .parameters import app_named, make, whole_numbers
from .request import Request
from .run import run


@click.command(
    cls=Command,
    short_help="Trees of neighbours.",
    example="gonextdoor khop wiki-Vote.txt.gz --fanout 15,10,5 --roots 1000 --seed 1 -o trees.npz",
)
@graph_input_with(
    click.option(
        "--weighted/--unweighted",
        default=None,
        help="Choose neighbours in proportion to edge weights, or uniformly at random (the default).",
    )
)
@options.sampling
@click.option(
    "--fanout", required=True, metavar="F1,F2,…", help="Neighbours to take at each step, from the root outwards."
)
@click.option("--replace", is_flag=True, help="Choose with replacement.")
def khop(fanout: str, replace: bool, graph: GraphInput, **rest: Any) -> None:
    """Trees of neighbours of every vertex (or --roots) of the graph in FILE.

    A sample is the root, then its F1 neighbours, then F2 neighbours of each of these, and so on. In .npy and .npz every
    vertex has its place, with -1 where a vertex has too few neighbours; text leaves these out.
    """
    values = {"fanouts": whole_numbers("--fanout", fanout), "replace": replace, "weighted": graph.weighted is True}
    run(make(app_named("KHop"), values), Request(graph=graph, **rest))
