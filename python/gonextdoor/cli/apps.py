"""gonextdoor apps: the apps and their parameters."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import textwrap

import click
import cloup

from . import parameters
from .command import Command
from .report import Report

WIDTH = 100
FAMILIES = ("walks", "moves", "temporal", "trees", "layers", "subgraphs")


@click.command(
    cls=Command,
    short_help="List the apps and their parameters.",
    quiet="Suppress the note at the end.",
    example="gonextdoor apps\ngonextdoor apps KHop",
)
@cloup.argument(
    "app", metavar="[APP]", required=False, shell_complete=parameters.completion(), help="The app to explain."
)
def apps(app: str | None, quiet: bool) -> None:
    """List the apps that 'gonextdoor sample' can run, or explain one of them.

    key=value is a parameter with its default value; key=… is a required parameter.
    """
    report = Report(quiet)
    if app is not None:
        named = parameters.app_named(app)
        click.echo(f"{_call(named)}\n\n{_plain(inspect.getdoc(named) or '')}")
        return
    for family, members in families().items():
        click.echo(textwrap.fill(family, WIDTH) + "\n")
        for named in members:
            click.echo(textwrap.fill(_call(named), WIDTH, initial_indent="  ", subsequent_indent="    "))
            click.echo(textwrap.fill(summary(named), WIDTH, initial_indent="      ", subsequent_indent="      "))
        click.echo()
    report.line(
        "more", "gonextdoor apps APP explains the parameters of one; docs/apps.md has the distributions and the papers"
    )


def families() -> dict[str, list[type]]:
    """The apps by the docstring of their module, in the order of docs/apps.md."""
    found: dict[str, list[type]] = {}
    known = parameters.apps().values()
    for app in sorted(known, key=lambda app: [app.__module__.rpartition(".")[2] != name for name in FAMILIES]):
        about = sys.modules[app.__module__].__doc__ or ""
        found.setdefault(about.split("\n\n")[0], []).append(app)
    return found


def summary(app: type) -> str:
    """The first paragraph of an app's docstring."""
    return _plain((inspect.getdoc(app) or "").split("\n\n")[0])


def _plain(text: str) -> str:
    return text.replace("``", "")


def _call(app: type) -> str:
    """The app in the syntax of `gonextdoor sample FILE`."""
    return " ".join([app.__name__, *(f"{f.name}={_shown(f.default)}" for f in dataclasses.fields(app))])


def _shown(default: object) -> str:
    if default is dataclasses.MISSING:
        return "…"
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    return str(default).lower() if default is None or isinstance(default, bool) else str(default)
