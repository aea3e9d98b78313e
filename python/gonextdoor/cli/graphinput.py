"""GraphInput: the file from which a command reads its graph, and the options of reading it."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable
from typing import Any, TypeVar

import click
import cloup

import gonextdoor as gnd

from ..graph.reading import FORMATS
from .command import READING
from .options import PATH
from .report import Report, count, duration

F = TypeVar("F", bound=Callable[..., Any])

STDIN = "-"


@dataclasses.dataclass
class GraphInput:
    """A graph file and how it is read, as the arguments of gonextdoor.read.

    Attributes:
        file: the path, or - for text on standard input.
        weighted: True to require weights, False to ignore them; None to use them if present.
        source, target, weight, time, label: names or numbers of columns; None to find them, False for none.
        header, symmetric, bipartite: None to detect them.
        ids: "text", "int" or "auto".
    """

    file: str
    format: str | None = None
    source: str | int | None = None
    target: str | int | None = None
    weight: str | int | None = None
    weighted: bool | None = None
    time: str | int | bool | None = None
    label: str | int | bool | None = None
    header: bool | None = None
    symmetric: bool | None = None
    ids: str = "auto"
    bipartite: bool | None = None

    def read(self, report: Report) -> Any:
        """Reads the graph and reports its size and the decisions."""
        if not self.file:
            raise click.BadParameter("'': expected the name of a file or folder", param_hint="FILE")
        begin = time.perf_counter()
        graph = gnd.read("/dev/stdin" if self.file == STDIN else self.file, **self.arguments())
        graph._numbers_meant = True  # --roots has numbers in .npy files alone
        took = duration(time.perf_counter() - begin)
        sizes = f"{count(graph.num_vertices, 'vertex')}, {count(graph.num_edges, 'edge')}"
        report.line("graph", f"{self.file}: {sizes}, read in {took}")
        if graph.source is not None:
            report.line("source", graph.source)
        return graph

    def arguments(self) -> dict[str, Any]:
        """The arguments of gonextdoor.read after the path."""
        if self.weight is not None and self.weighted is False:
            raise click.UsageError("--weight selects a column and --unweighted ignores weights: pass only one of them")
        given = {name: getattr(self, name) for name in ("format", "source", "target", "time", "label")}
        weight = "auto" if self.weighted is None else self.weighted
        return given | {
            "weight": weight if self.weight is None else self.weight,
            "header": "auto" if self.header is None else self.header,
            "symmetric": "auto" if self.symmetric is None else self.symmetric,
            "ids": self.ids,
            "bipartite": "auto" if self.bipartite is None else self.bipartite,
        }

    def columns(self) -> dict[str, Any]:
        """The choices of columns, and whether to add reverses, for Parquet files."""
        given = self.arguments()
        if given["header"] != "auto":
            raise click.UsageError("--header and --no-header are for text: Parquet files have no header line")
        if given["ids"] != "auto" or given["bipartite"] is True:
            option = "--bipartite" if given["bipartite"] is True else "--ids"
            raise click.UsageError(f"{option} is for text: Parquet files are divided with the ids that they have")
        return {name: given[name] for name in ("source", "target", "weight", "time", "label")} | {
            "symmetric": given["symmetric"] is True
        }


def _column(context: click.Context, parameter: click.Parameter, value: str | None) -> str | int | None:
    """A column: digits are its number, anything else is its name."""
    if value is None:
        return None
    if not value:
        raise click.BadParameter("'': expected a column's name or number")
    digits = value.removeprefix("-")
    return int(value) if digits.isascii() and digits.isdigit() else value


def _choice(name: str, what: str) -> Callable[[F], F]:
    text = f"Column of {what}, by name or by number from 0."
    return cloup.option(f"--{name}", metavar="COLUMN", callback=_column, help=text)


file = cloup.argument(
    "file",
    metavar="FILE",
    type=PATH,
    help="The graph: an edge list (SNAP text, .csv, .tsv, also .gz and .zst), Matrix Market, Parquet, SciPy .npz, or a "
    "folder that gonextdoor wrote; - reads text from standard input.",
)
symmetric = cloup.option(
    "--symmetric/--no-symmetric",
    default=None,
    help="Read each edge in both directions, or as listed. Default: both if the file states that it is undirected.",
)
weighted = cloup.option(
    "--weighted/--unweighted", default=None, help="Require edge weights, or ignore them. Default: use them if present."
)


def graph_input(command: F) -> F:
    """Adds FILE and its options to a command, which receives them as ``graph``, a GraphInput."""
    return graph_input_with(weighted)(command)


def graph_input_with(weights: Callable[[Any], Any]) -> Callable[[F], F]:
    """As graph_input, with another option --weighted."""
    return lambda command: _collected(command, weights)


def _collected(command: F, weights: Callable[[Any], Any]) -> F:
    @functools.wraps(command)
    def collected(**given: Any) -> Any:
        for role in ("time", "label"):
            if given.pop(f"no_{role}"):
                if given[role] is not None:
                    raise click.UsageError(f"--{role} and --no-{role} exclude each other: pass only one of them")
                given[role] = False
        read = {field.name: given.pop(field.name) for field in dataclasses.fields(GraphInput)}
        return command(graph=GraphInput(**read), **given)

    options: list[Callable[[Any], Any]] = [
        cloup.option(
            "--format",
            type=click.Choice(list(FORMATS)),
            help="Format of FILE. Default: detected from its name and content.",
        ),
        _choice("source", "sources"),
        _choice("target", "targets"),
        _choice("weight", "weights"),
        weights,
        _choice("time", "edge times"),
        cloup.option("--no-time", is_flag=True, help="Ignore edge times."),
        _choice("label", "edge labels"),
        cloup.option("--no-label", is_flag=True, help="Ignore edge labels."),
        cloup.option(
            "--header/--no-header",
            default=None,
            help="Whether the first line of text contains column names. Default: detected.",
        ),
        symmetric,
        cloup.option(
            "--ids",
            type=click.Choice(["text", "int", "auto"]),
            default="auto",
            help="Read vertices of text files as text, which keeps leading zeros, or as integers. Default: detected.",
        ),
        cloup.option(
            "--bipartite/--no-bipartite",
            default=None,
            help="Whether a source and a target of one id are different vertices. Default: detected.",
        ),
    ]
    made: Any = file(cloup.option_group(READING, *options)(collected))
    result: F = made
    return result
