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
from .parameters import app_and_words, app_named, apps, chosen, is_sequence, make, values_of, whole
from .request import Request
from .run import run

MODULES = ("walks", "moves", "temporal")  # of gonextdoor.apps, whose apps are walks
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
    """Adds an option for each parameter of the apps, whose default is that of the app."""
    found: dict[str, list[tuple[str, dataclasses.Field[Any]]]] = {}
    for name, app in APPS.items():
        for option, field in parameters_of(app).items():
            found.setdefault(option, []).append((name, field))
    options = []
    for option, takers in found.items():
        metavar = _metavar(str(takers[0][1].type))
        options.append(cloup.option(f"--{_dashed(option)}", metavar=metavar, help=_help(takers)))
    computed = cloup.option(
        "--computed", is_flag=True, help="Read edge weights on the fly instead of building tables of them."
    )
    return cloup.option_group("App", *options, computed)(command)


def _dashed(option: str) -> str:
    return option.replace("_", "-")


def _metavar(annotation: str) -> str:
    """What the help of an option calls the value of a parameter of this type."""
    if is_sequence(annotation):
        return "L,L,…"
    if annotation.startswith("Time"):
        return "TIME"
    return "true|false" if annotation == "bool" else "N" if annotation.startswith("int") else "VALUE"


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
@app_and_words("[APP]", APPS)
@app_options
@options.sampling()
@options.cluster
def walk(
    app: str | None,
    named: str | None,
    parameters: tuple[str, ...],
    graph: GraphInput,
    computed: bool,
    ray: str | None,
    resume: bool,
    names: bool,
    **rest: Any,
) -> None:
    """Sample a random walk from every vertex (or from --roots) of the graph in FILE.

    APP is the kind of walk: deepwalk (the default), node2vec, nonbacktracking, ppr, jump, metapath, metropolishastings,
    multidimensionalwalk, multiindependent, restart, temporalwalk or walk. --length 40 is the same as length=40.

    Text output has one walk per line, by original vertex names, which gensim reads. With --ray, FILE is a folder that
    gonextdoor convert wrote, or its URI, and OUT a folder of Parquet files, or its URI.
    """
    for option, given in {"--resume": resume, "--names": names}.items():
        if given and ray is None:
            raise click.UsageError(f"{option} only applies to --ray")
    name, words = chosen(app, named, parameters, "deepwalk")
    kind = app_named(name, APPS)
    name = name.lower()
    if name not in APPS:
        raise click.BadParameter(
            f"{name!r} is not a walk; use gonextdoor sample FILE {kind.__name__}", param_hint="APP"
        )
    known = parameters_of(kind)
    for option in {option for other in APPS.values() for option in parameters_of(other)}:
        value = rest.pop(option)
        if value is not None and option not in known:
            takes = " or ".join(sorted(name for name, other in APPS.items() if option in parameters_of(other)))
            raise click.UsageError(f"--{_dashed(option)} only applies to --app {takes} (you chose {name})")
        if value is not None:
            words = (*words, f"{known[option].name}={value}")
    values = values_of(kind, words) | _weights(name, kind, computed, graph.weighted)
    for option, field in known.items():
        if field.default is dataclasses.MISSING and field.name not in values:
            raise click.UsageError(f"--app {name} needs --{_dashed(option)}")
        if is_sequence(field.type) and field.name in values and not whole(values[field.name]):
            text = f"{values[field.name]!r}: expected whole numbers, separated by commas, such as 0,1"
            raise click.BadParameter(text, param_hint=f"--{_dashed(option)}")
    options_of = {field.name: f"--{_dashed(option)}" for option, field in known.items()}
    made, request = make(kind, values, options_of), Request(graph=graph, **rest)
    if ray is None:
        run(made, request)
    else:
        walk_on_ray(made, request, ray, resume, names)


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
