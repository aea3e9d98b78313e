"""gonextdoor sample: runs any app."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from . import options
from .command import Command
from .graphinput import GraphInput, graph_input
from .parameters import app_named, build
from .request import Request
from .run import run


@click.command(
    cls=Command,
    short_help="Any app by its name.",
    example="gonextdoor sample wiki-Vote.txt.gz node2vec p=0.5 q=2 length=40 -o walks.parquet --seed 1\n"
    "gonextdoor sample wiki-Vote.txt.gz KHop fanouts=5,5 --batch 64 --roots 100 -o trees.npz",
)
@graph_input
@click.argument("app", metavar="APP")
@click.argument("parameters", metavar="[KEY=VALUE]…", nargs=-1)
@options.sampling
@options.batch
def sample(app: str, parameters: tuple[str, ...], graph: GraphInput, **rest: Any) -> None:
    """Samples the graph in FILE with any app, its parameters as KEY=VALUE.

    `gonextdoor apps` lists the apps and their parameters. A value is a number, a word such as true, none or auto, or
    several with commas between: fanouts=15,10,5. The word all stands for all edges. @NAME reads an array from a file,
    .npy or text with one number a line: clusters=@parts.npy.

    Samples whose steps differ in size keep their steps, and the edges that the app records, in .npz and .parquet;
    .npy and text have the vertices alone.
    """
    named, weighted = app_named(app), graph.weighted
    if weighted is not None and "weighted" in {field.name for field in dataclasses.fields(named)}:
        parameters = (*parameters, f"weighted={weighted}")  # the app uses weights exactly if the file is read with them
    run(build(named, parameters), Request(graph=graph, **rest))
