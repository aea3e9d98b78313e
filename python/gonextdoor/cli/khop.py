"""gonextdoor khop: trees of neighbours."""

from __future__ import annotations

from typing import Any

import click
import cloup

from . import options
from .command import QUIET_BUT_SEED, Command
from .graphinput import GraphInput, graph_input_with
from .parameters import app_named, make, values_of, whole_numbers
from .request import Request
from .run import run


@click.command(
    cls=Command,
    short_help="Sample trees of neighbours.",
    quiet=QUIET_BUT_SEED,
    example="gonextdoor khop wiki-Vote.txt.gz --fanout 15,10,5 --roots 1000 --seed 1 -o trees.npz",
)
@graph_input_with(
    cloup.option(
        "--weighted/--unweighted",
        default=None,
        help="Choose neighbours in proportion to edge weights, or uniformly at random (the default).",
    )
)
@cloup.option_group(
    "App",
    cloup.option("--fanout", "--fanouts", metavar="F1,F2,…", help="Number of neighbours per vertex at each hop."),
    cloup.option("--replace", is_flag=True, help="Sample neighbours with replacement."),
)
@cloup.argument("parameters", metavar="[KEY=VALUE]…", nargs=-1, help="The same options, as fanouts=15,10,5.")
@options.sampling()
def khop(fanout: str | None, replace: bool, parameters: tuple[str, ...], graph: GraphInput, **rest: Any) -> None:
    """Sample a tree of neighbours from every vertex (or from --roots) of the graph in FILE.

    A sample is the root, its F1 neighbours, F2 neighbours of each of them, and so on. In .npy and .npz files, -1 marks
    missing neighbours. Text files omit them.
    """
    kind = app_named("KHop")
    words = [*parameters, *(["replace=true"] if replace else []), f"weighted={graph.weighted is True}"]
    values = values_of(kind, words)
    if fanout is not None:
        if "fanouts" in values:
            raise click.UsageError("--fanout and fanouts=: pass only one of them")
        values["fanouts"] = whole_numbers("--fanout", fanout)
    run(make(kind, values, {"fanouts": "--fanout"}), Request(graph=graph, **rest))
