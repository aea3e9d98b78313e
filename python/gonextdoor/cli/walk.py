"""gonextdoor walk: random walks."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from . import options
from .command import Command
from .graphinput import GraphInput, graph_input
from .parameters import app_named, make, whole_numbers
from .request import Request
from .run import run

# The options of the command line that each app takes; options that are not given have the app's default.
APPS: dict[str, tuple[str, ...]] = {
    "deepwalk": ("length",),
    "ppr": ("stop", "length"),
    "node2vec": ("p", "q", "length"),
    "nonbacktracking": ("length",),
    "walk": ("bias", "length"),
    "metropolishastings": ("length",),
    "jump": ("probability", "length"),
    "restart": ("probability", "length"),
    "multiindependent": ("length",),
    "multidimensionalwalk": ("dimension", "length"),
    "metapath": ("labels", "stop", "length"),
}


@click.command(
    cls=Command,
    short_help="Random walks.",
    example="gonextdoor walk wiki-Vote.txt.gz -o walks.npy --length 40 --repeat 10 --seed 1\n"
    "gonextdoor walk friends.csv --symmetric --app node2vec --p 0.5 --q 2 -o walks.txt.gz",
)
@graph_input
@options.sampling
@click.option("--app", type=click.Choice(list(APPS)), default="deepwalk", show_default=True, help="The kind of walk.")
@click.option(
    "--length",
    type=click.IntRange(0),
    metavar="N",
    help="Steps of a walk (default 80, with metapath one per label); with ppr the maximum.",
)
@click.option("--p", type=float, help="node2vec: the larger, the less a walk goes back where it came from (default 1).")
@click.option(
    "--q", type=float, help="node2vec: the larger, the closer a walk stays to where it came from (default 1)."
)
@click.option(
    "--stop", type=float, help="ppr, metapath: the probability of stopping after each step (default 0.15, metapath 0)."
)
@click.option("--bias", help="walk: what edges are taken in proportion to: uniform (default), weight or degree.")
@click.option("--probability", type=float, help="jump, restart: the probability of leaping (default 0.15).")
@click.option("--dimension", type=int, metavar="N", help="multidimensionalwalk: vertices of a pool (default 100).")
@click.option("--labels", metavar="L,L,…", help="metapath: the labels of successive steps.")
@click.option("--computed", is_flag=True, help="Read weights when they are needed, and make no tables of them.")
def walk(app: str, graph: GraphInput, computed: bool, **rest: Any) -> None:
    """Random walks from every vertex (or --roots) of the graph in FILE.

    FILE is an edge list (SNAP text, csv, tsv, also .gz and .zst), Matrix Market, Parquet, a scipy .npz or a folder that
    gonextdoor wrote. Text output is one walk a line, by the vertices' original names: what gensim reads.
    """
    values: dict[str, Any] = {}
    weighted = graph.weighted
    for option in {name for names in APPS.values() for name in names}:
        value = rest.pop(option)
        if value is not None and option not in APPS[app]:
            takes = " or ".join(sorted(name for name, names in APPS.items() if option in names))
            raise click.UsageError(f"--{option} only applies to --app {takes} (you chose {app})")
        if value is not None:
            values[option] = value
    if app == "ppr" and "length" in values:
        values["max_length"] = values.pop("length")
    if app == "metapath":
        if "labels" not in values:
            raise click.UsageError("--app metapath needs --labels")
        values["labels"] = whole_numbers("--labels", values["labels"])
    kind = app_named(app)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    if "computed" in fields:
        values["computed"] = computed
    elif "weighted" in fields and fields["weighted"].type == "Weights":  # apps whose biases may be computed
        values["weighted"] = "computed" if computed else "auto" if weighted is None else weighted
    elif computed:
        raise click.UsageError(f"--computed means nothing for --app {app}")
    elif "weighted" in fields:
        values["weighted"] = "auto" if weighted is None else weighted
    run(make(kind, values), Request(graph=graph, **rest))
