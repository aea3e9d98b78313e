"""gonextdoor walk: random walks. The apps and their options are those of gonextdoor.apps."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from typing import Any

import click
import cloup

from . import options
from .cluster import walk_on_ray
from .command import QUIET_BUT_SEED, Command
from .graphinput import GraphInput, graph_input
from .parameters import apps, is_sequence, make, parse, whole_numbers
from .request import Request
from .run import run

MODULES = ("walks", "moves")  # of gonextdoor.apps, whose apps are walks
APPS = {
    app.__name__.lower(): app
    for app in sorted(apps().values(), key=lambda app: app.__module__, reverse=True)
    if app.__module__.rpartition(".")[2] in MODULES
}
OPTIONS = {"max_length": "length"}  # parameters whose option has another name
GIVEN = {"weighted", "computed"}  # parameters that --weighted and --computed decide for all apps


def parameters_of(app: type) -> dict[str, dataclasses.Field[Any]]:
    """The parameters of an app that have an option, by the name of the option."""
    return {OPTIONS.get(f.name, f.name): f for f in dataclasses.fields(app) if f.name not in GIVEN}


def app_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --app, and an option for each parameter of the apps, whose default is that of the app."""
    found: dict[str, list[tuple[str, dataclasses.Field[Any]]]] = {}
    for name, app in APPS.items():
        for option, field in parameters_of(app).items():
            found.setdefault(option, []).append((name, field))
    options = []
    for option, takers in found.items():
        kind, metavar = _type(str(takers[0][1].type))
        options.append(cloup.option(f"--{_dashed(option)}", type=kind, metavar=metavar, help=_help(takers)))
    kinds = cloup.option(
        "--app", type=click.Choice(list(APPS)), default="deepwalk", show_default=True, metavar="APP",
        help=f"The kind of walk: {', '.join(APPS)}.",
    )  # fmt: skip
    computed = cloup.option(
        "--computed", is_flag=True, help="Read edge weights on the fly instead of building tables of them."
    )
    return cloup.option_group("App", kinds, *options, computed)(command)


def _dashed(option: str) -> str:
    return option.replace("_", "-")


def _type(annotation: str) -> tuple[Any, str | None]:
    """The type of an option for a parameter of this type, and what its help calls the value."""
    if is_sequence(annotation):
        return str, "L,L,…"
    if annotation == "bool":
        return click.BOOL, "true|false"
    if annotation.startswith("int"):
        return click.IntRange(0), "N"
    if annotation.startswith("Time"):
        return str, "TIME"
    return (float if annotation == "float" else str), None


def _help(takers: list[tuple[str, dataclasses.Field[Any]]]) -> str:
    """The help text of a parameter: the docstring of the first app that takes it, the apps and their defaults."""
    name, field = takers[0]
    text = re.search(
        rf"\n +{field.name}: (.*?)(?:\(default|[.;:](?:\s|$))", inspect.getdoc(APPS[name]) or "", re.DOTALL
    )
    about = " ".join(text[1].split()).replace("``", "") if text else field.name
    defaults: dict[object, list[str]] = {}
    for app, of in takers:
        defaults.setdefault(None if of.default is dataclasses.MISSING else of.default, []).append(app)
    usual, *others = defaults
    shown = "; ".join([str(usual), *(f"{', '.join(defaults[other])}: {other}" for other in others)])
    who = "" if len(takers) == len(APPS) else f"{', '.join(app for app, _ in takers)}: "
    start = who + about if who else about[0].upper() + about[1:]
    return f"{start}." if usual is None else f"{start} (default {shown})."


@click.command(
    cls=Command,
    short_help="Sample random walks.",
    quiet=QUIET_BUT_SEED,
    example="gonextdoor walk wiki-Vote.txt.gz -o walks.npy --length 40 --repeat 10 --seed 1\n"
    "gonextdoor walk friends.csv --symmetric --app node2vec --p 0.5 --q 2 -o walks.txt.gz",
)
@graph_input
@app_options
@options.sampling()
@options.cluster
def walk(app: str, graph: GraphInput, computed: bool, ray: str | None, resume: bool, **rest: Any) -> None:
    """Sample a random walk from every vertex (or from --roots) of the graph in FILE.

    Text output has one walk per line, by original vertex names, which gensim reads. With --ray, FILE is a folder that
    gonextdoor convert wrote, or its URI, and OUT a folder of Parquet files, or its URI.
    """
    if resume and ray is None:
        raise click.UsageError("--resume only applies to --ray")
    kind = APPS[app]
    known, values = parameters_of(kind), _weights(app, kind, computed, graph.weighted)
    for option in {option for other in APPS.values() for option in parameters_of(other)}:
        value = rest.pop(option)
        if value is None:
            continue
        if option not in known:
            takes = " or ".join(sorted(name for name, other in APPS.items() if option in parameters_of(other)))
            raise click.UsageError(f"--{_dashed(option)} only applies to --app {takes} (you chose {app})")
        field = known[option]
        if is_sequence(field.type):
            value = whole_numbers(f"--{option}", value)
        values[field.name] = parse(value) if str(field.type).startswith("Time") else value
    for option, field in known.items():
        if field.default is dataclasses.MISSING and field.name not in values:
            raise click.UsageError(f"--app {app} needs --{option}")
    options_of = {field.name: f"--{_dashed(option)}" for option, field in known.items()}
    made, request = make(kind, values, options_of), Request(graph=graph, **rest)
    if ray is None:
        run(made, request)
    else:
        walk_on_ray(made, request, ray, resume)


def _weights(app: str, kind: type, computed: bool, weighted: bool | None) -> dict[str, Any]:
    """The parameters that set whether and how the walk uses weights."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    if "computed" in fields:
        return {"computed": computed}
    if "weighted" in fields and fields["weighted"].type == "Weights":  # those that may be computed
        return {"weighted": "computed" if computed else "auto" if weighted is None else weighted}
    if computed:
        raise click.UsageError(f"--computed does not apply to --app {app}, which has no edge weights to read")
    return {"weighted": "auto" if weighted is None else weighted} if "weighted" in fields else {}
