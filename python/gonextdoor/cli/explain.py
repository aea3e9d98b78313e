"""gonextdoor explain: describes how a sampling command would run."""

from __future__ import annotations

import json
from typing import Any

import click
import cloup

import gonextdoor as gnd
from gonextdoor._core.seeds import entropy

from . import options
from . import roots as roots_option
from .command import Command
from .graphinput import GraphInput, graph_input
from .parameters import app_and_words, app_named, build, chosen, weighted_words
from .report import Report
from .request import Request


@click.command(
    cls=Command,
    short_help="Show how sample would run: device, tables, time, memory.",
    example="gonextdoor explain wiki-Vote.txt.gz node2vec p=0.5 q=2 --repeat 10\n"
    "gonextdoor explain wiki-Vote.txt.gz --app DeepWalk --device cpu --json",
)
@graph_input
@app_and_words()
@options.planned
@cloup.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def explain(
    app: str | None,
    parameters: tuple[str, ...],
    named: str | None,
    as_json: bool,
    graph: GraphInput,
    quiet: bool,
    **rest: Any,
) -> None:
    """Show how 'gonextdoor sample' with the same arguments would run.

    The plan has the device with the reason, the tables, and the expected time and memory. Nothing is sampled and no
    table is built.
    """
    name, words = chosen(app, named, parameters)
    kind = app_named(name)
    made = build(kind, (*words, *weighted_words(kind, graph.weighted)))
    request = Request(graph=graph, output="", seed=None, edges=False, quiet=quiet, **rest)
    roots_option.check(request, made)
    options.check_device(request.device)
    report = Report(quiet or as_json)
    held = graph.read(report)
    roots = roots_option.parse(request, held, made, seed=entropy(0), report=report)
    plan = gnd.explain(
        held, made, roots, options.devices(request.device), repeat=request.repeat, threads=request.threads
    )
    click.echo(json.dumps(plan.to_dict(), indent=2) if as_json else str(plan))
