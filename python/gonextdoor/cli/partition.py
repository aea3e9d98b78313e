"""gonextdoor partition: divides a graph into parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import click
import cloup

import gonextdoor.partition
from gonextdoor._core.arguments import is_uri
from gonextdoor.graph.dataset import is_parquet
from gonextdoor.graph.hetero import HeteroGraph
from gonextdoor.graph.heterofolder import has_record
from gonextdoor.partition.assign import MAX_PARTS, NAMES
from gonextdoor.storage.head import head_of
from gonextdoor.storage.location import located

from . import options
from .command import Command
from .graphfile import check_replaceable, folder_size
from .graphinput import STDIN, GraphInput, graph_input
from .report import Report, count, duration, size

F = TypeVar("F", bound=Callable[..., Any])

STREAMED = ("ranges", "hash")  # assignments for which the rows of one part at a time are in memory


def divided(command: F) -> F:
    """The options that divide a graph."""
    parts = cloup.option(
        "--parts",
        type=options.WholeNumber(1, MAX_PARTS),
        metavar="P",
        help="Number of parts. Default with --by FILE: the largest part in the file, and 1.",
    )
    by = cloup.option(
        "--by",
        type=options.PATH,
        metavar="ranges|hash|ldg|metis|FILE",
        default="ranges",
        show_default=True,
        help="How vertices are assigned to parts: ranges with equal numbers of edges, a hash, linear deterministic "
        "greedy streaming, METIS (needs pymetis), or a .npy file with the part of each vertex.",
    )
    hot = cloup.option(
        "--hot",
        type=click.FloatRange(0, 1),
        metavar="SHARE",
        default=0.0,
        show_default=True,
        help="Share of the edges that every part gets a copy of: the rows of the vertices with the most edges.",
    )
    no_edge_ids = cloup.option(
        "--no-edge-ids",
        is_flag=True,
        help="Leave the ids of the edges, which are their positions in FILE, out of the folder. "
        "Its graph then has none for --edges and mini-batches.",
    )
    alias_tables = cloup.option(
        "--alias-tables",
        is_flag=True,
        help="Write the alias tables of weighted walks too, 16 bytes per edge, so that all processes share them.",
    )
    return cloup.option_group("Partition", parts, by, hot, no_edge_ids, alias_tables)(command)


def contents(no_edge_ids: bool, alias_tables: bool) -> dict[str, Any]:
    """The arguments of the functions that write folders, by the options of ``divided``."""
    return {"edge_ids": not no_edge_ids, "alias_tables": alias_tables}


@click.command(
    cls=Command,
    short_help="Divide a graph into parts for several machines.",
    example="gonextdoor partition wiki-Vote.txt.gz wiki-Vote-4 --parts 4 --by ldg --hot 0.05",
)
@graph_input
@cloup.argument("out", metavar="OUT", type=options.PATH, help="The folder to write.")
@divided
def partition(
    graph: GraphInput,
    out: str,
    parts: int | None,
    by: str,
    hot: float,
    no_edge_ids: bool,
    alias_tables: bool,
    quiet: bool,
) -> None:
    """Divide the graph in FILE into parts, and write them to the folder OUT.

    Each part has the complete rows of its vertices, and samples are the same for any division. The fewer edges lead
    from part to part, the less is sent between them.

    FILE may be a folder of Parquet files, larger than memory: with ranges, hash or a file, one part at a time is built.
    It may also be the folder of a heterogeneous graph.
    """
    divide(graph, out, parts, by, hot, contents(no_edge_ids, alias_tables), Report(quiet))


def divide(
    graph: GraphInput, out: str, parts: int | None, by: str, hot: float, written: dict[str, Any], report: Report
) -> None:
    """Writes the parts of a graph."""
    if parts is None and by in NAMES:
        raise click.UsageError(f"--by {by} needs the number of parts: pass --parts P")
    if by not in NAMES and not by.endswith(".npy"):
        known = ", ".join(NAMES)
        raise click.BadParameter(f"{by!r}: expected {known} or the name of a .npy file", param_hint="--by")
    check_replaceable(out, "OUT")
    if has_record(graph.file):
        _divide_hetero(graph, out, parts, by, hot, written, report)
        return
    streamed = streams(graph) and (by in STREAMED or by not in NAMES)
    held = None if streamed else graph.read(report)
    begin = time.perf_counter()
    if held is None:
        gonextdoor.partition.convert(graph.file, out, parts=parts, by=by, hot=hot, **written, **graph.columns())
    else:
        gonextdoor.partition.write(held, out, parts=parts, by=by, hot=hot, **written)
    _wrote(out, begin, report)


def _divide_hetero(
    graph: GraphInput, out: str, parts: int | None, by: str, hot: float, written: dict[str, Any], report: Report
) -> None:
    """Writes the parts of the heterogeneous graph in a folder."""
    if graph != GraphInput(file=graph.file):
        raise click.UsageError(f"{graph.file} has a heterogeneous graph: leave out the options of reading FILE")
    if by not in NAMES:
        raise click.BadParameter(
            f"{by!r}: expected {', '.join(NAMES)}, since {graph.file} has several types of vertices; pass a dict of "
            "files to gonextdoor.partition.write",
            param_hint="--by",
        )
    held = HeteroGraph.open(graph.file)
    report.line("graph", repr(held))
    begin = time.perf_counter()
    gonextdoor.partition.write(held, out, parts=parts, by=by, hot=hot, **written)
    _wrote(out, begin, report)


def _wrote(out: str, begin: float, report: Report) -> None:
    """Reports what was written since a time."""
    took = duration(time.perf_counter() - begin)
    parts = head_of(located("OUT", out)).parts if is_uri(out) else gonextdoor.partition.open(out).parts
    report.line("wrote", f"{out}: {count(parts, 'part')}, {size(folder_size(out))} in {took}")


def streams(graph: GraphInput) -> bool:
    """Whether the graph is Parquet files, which are read block by block."""
    return graph.format == "parquet" or (graph.format is None and graph.file != STDIN and is_parquet(graph.file))
