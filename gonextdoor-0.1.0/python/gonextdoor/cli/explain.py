"""gonextdoor explain: describes how a sampling command would run."""

from __future__ import annotations

import dataclasses
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
from .parameters import app_named, build, complete
from .report import Report
from .request import Request


@click.command(
    cls=Command,
    short_help="Show how sample would run: device, tables, time, memory.",
    example="gonextdoor explain wiki-Vote.txt.gz node2vec p=0.5 q=2 --repeat 10\n"
    "gonextdoor explain wiki-Vote.txt.gz --app DeepWalk --device cpu --json",
)
@graph_input
@cloup.argument("app", metavar="[APP]", required=False, shell_complete=complete, help="The app.")
@cloup.argument("parameters", metavar="[KEY=VALUE]…", nargs=-1, help="The parameters of the app.")
@options.planned
@cloup.option("--app", "named", metavar="APP", shell_complete=complete, help="The app, instead of the argument.")
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
    if named is not None:
        parameters, app = (*(() if app is None else (app,)), *parameters), named
    if app is None:
        raise click.UsageError("Missing argument '[APP]': expected the name of an app; gonextdoor apps lists them")
    kind, weighted = app_named(app), graph.weighted
    if weighted is not None and "weighted" in {field.name for field in dataclasses.fields(kind)}:
        parameters = (*parameters, f"weighted={weighted}")
    made = build(kind, parameters)
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
