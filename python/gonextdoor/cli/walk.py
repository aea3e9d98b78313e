"""gonextdoor walk: random walks."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .command import Command
from .parameters import app_named, make
from .run import Request, run

# The option of the command line for each parameter of an app.
PARAMETERS = {
    "deepwalk": ("length",),
    "ppr": ("stop", "max_length"),
    "node2vec": ("p", "q", "length"),
}
DEFAULT_LENGTH = 80


@click.command(
    cls=Command,
    short_help="Random walks.",
    example="gonextdoor walk wiki-Vote.txt.gz -o walks.npy --length 40 --repeat 10 --seed 1\n"
    "gonextdoor walk friends.csv --symmetric --app node2vec --p 0.5 --q 2 -o walks.txt.gz",
)
@options.reading
@options.sampling
@click.option(
    "--app", type=click.Choice(list(PARAMETERS)), default="deepwalk", show_default=True, help="The kind of walk."
)
@click.option(
    "--length", type=click.IntRange(0), metavar="N", help="Steps of a walk (default 80); with ppr the most it may take."
)
@click.option("--p", type=float, help="node2vec: the larger, the less a walk goes back where it came from (default 1).")
@click.option(
    "--q", type=float, help="node2vec: the larger, the closer a walk stays to where it came from (default 1)."
)
@click.option("--stop", type=float, help="ppr: the probability of stopping after each step (default 0.15).")
def walk(
    app: str,
    length: int | None,
    p: float | None,
    q: float | None,
    stop: float | None,
    weighted: bool | None,
    **rest: Any,
) -> None:
    """Random walks from every vertex (or --roots) of the graph in FILE.

    FILE is an edge list (SNAP text, csv, tsv, also .gz and .zst), Matrix Market, Parquet, a scipy .npz or a folder that
    gonextdoor wrote. Text output is one walk a line, by the vertices' original names: what gensim reads.
    """
    given = {"length": length, "p": p, "q": q, "stop": stop}
    for option, value in given.items():
        if value is not None and option not in PARAMETERS[app] and not (app == "ppr" and option == "length"):
            raise click.UsageError(f"--{option} {value} means nothing for --app {app}")
    defaults = {"length": DEFAULT_LENGTH, "p": 1.0, "q": 1.0, "stop": 0.15}
    if app == "ppr":
        values: dict[str, Any] = {"stop": defaults["stop"] if stop is None else stop, "max_length": length}
    else:
        values = {name: defaults[name] if given[name] is None else given[name] for name in PARAMETERS[app]}
    values["weighted"] = "auto" if weighted is None else weighted
    run(make(app_named(app), values), Request(weighted=weighted, **rest))
