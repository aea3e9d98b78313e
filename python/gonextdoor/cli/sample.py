"""gonextdoor sample: any app by its name."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .command import Command
from .parameters import app_named, build
from .run import Request, run


@click.command(
    cls=Command,
    short_help="Any app by its name.",
    example="gonextdoor sample wiki-Vote.txt.gz node2vec p=0.5 q=2 length=40 -o walks.parquet --seed 1",
)
@options.file
@click.argument("app", metavar="APP")
@click.argument("parameters", metavar="[KEY=VALUE]…", nargs=-1)
@options.symmetric
@options.weighted
@options.sampling
def sample(app: str, parameters: tuple[str, ...], weighted: bool | None, **rest: Any) -> None:
    """Samples the graph in FILE with any app, its parameters as KEY=VALUE.

    The apps and their parameters: python -c "import gonextdoor; help(gonextdoor.apps)", or docs/apps.md. Several values
    stand with commas between: fanouts=15,10,5.
    """
    if weighted is not None:  # what the file is read for is what the app follows
        parameters = (*parameters, f"weighted={weighted}")
    run(build(app_named(app), parameters), Request(weighted=weighted, **rest))
