"""gonextdoor sample: runs any app."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .command import QUIET_BUT_SEED, Command
from .graphinput import GraphInput, graph_input
from .parameters import app_and_words, app_named, build, chosen, weighted_words
from .request import Request
from .run import run


@click.command(
    cls=Command,
    short_help="Sample with any app.",
    quiet=QUIET_BUT_SEED,
    example="gonextdoor sample wiki-Vote.txt.gz node2vec p=0.5 q=2 length=40 -o walks.parquet --seed 1\n"
    "gonextdoor sample wiki-Vote.txt.gz KHop fanouts=5,5 --batch 64 --roots 100 -o trees.npz",
)
@graph_input
@app_and_words()
@options.sampling(options.batch)
def sample(app: str | None, named: str | None, parameters: tuple[str, ...], graph: GraphInput, **rest: Any) -> None:
    """Sample the graph in FILE with any app. Its parameters are given as KEY=VALUE.

    'gonextdoor apps' lists the apps and their parameters. A value is a number, a word such as true, none or auto, or a
    comma-separated list: fanouts=15,10,5. 'all' means all edges. @NAME reads an array from a file, either .npy or text
    with one number per line: clusters=@parts.npy.

    For apps whose steps differ in size, .npz and .parquet files also contain the steps and the recorded edges; .npy and
    text files contain only the vertices.
    """
    name, words = chosen(app, named, parameters)
    kind = app_named(name)
    run(build(kind, (*words, *weighted_words(kind, graph.weighted))), Request(graph=graph, **rest))
