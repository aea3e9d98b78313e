"""gonextdoor convert: converts a graph to another format."""

from __future__ import annotations

import os
import time
from typing import Any

import click
import cloup

import gonextdoor as gnd
from gonextdoor.partition.assign import NAMES

from . import options
from .command import Command
from .graphfile import GraphFile
from .graphinput import GraphInput, graph_input
from .partition import contents, divide, divided, streams
from .report import Report, count, duration, size


@click.command(
    cls=Command,
    short_help="Convert a graph to another format.",
    example="gonextdoor convert wiki-Vote.txt.gz wiki-Vote\ngonextdoor walk wiki-Vote -o walks.npy",
)
@graph_input
@cloup.argument("out", metavar="OUT", type=options.PATH, help="The output file, or a folder if it has no suffix.")
@divided
def convert(
    graph: GraphInput,
    out: str,
    parts: int | None,
    by: str,
    hot: float,
    no_edge_ids: bool,
    alias_tables: bool,
    quiet: bool,
) -> None:
    """Convert the graph in FILE to the format given by the suffix of OUT.

    Without a suffix, OUT is a folder, which opens immediately even if the graph is large. Convert a text file once and
    use the folder afterwards. Other formats: .npz (SciPy), .parquet, and .txt, .tsv, .csv with one edge per row (also
    .gz and .zst). With --parts the folder is that of a partitioned graph, as of gonextdoor partition.

    FILE may be a folder of Parquet files. A graph larger than memory is then written to OUT in ranges of rows, if OUT
    is a folder.
    """
    report, written = Report(quiet), contents(no_edge_ids, alias_tables)
    if parts is not None or by not in NAMES:
        divide(graph, out, parts, by, hot, written, report)
        return
    target = GraphFile(out, "OUT")
    for option, given in (("--no-edge-ids", no_edge_ids), ("--alias-tables", alias_tables)):
        if given and target.suffix:
            raise click.UsageError(f"{option} is for folders, and {out} is a file; leave it out")
    if os.path.isfile(out) and os.path.exists(graph.file) and os.path.samefile(out, graph.file):
        raise click.BadParameter(f"{out!r} is FILE; pass the name of another file", param_hint="OUT")
    if not target.suffix and streams(graph):
        _stream(graph, target, written, report)
        return
    held = graph.read(report)
    begin = time.perf_counter()
    if target.suffix:
        target.write(held)
    else:
        held.save(target.path, **written)
    report.line("wrote", f"{out}: {size(target.size())} in {duration(time.perf_counter() - begin)}")
    if held.vertex_names is not None and target.suffix == ".npz":
        report.line(
            "note", ".npz files cannot store vertex names: the file has vertex numbers from 0; a folder keeps the names"
        )
    if target.suffix == ".npz" and (held.times is not None or held.labels is not None):
        report.line("note", ".npz files cannot store edge times and labels; a folder, .parquet and .csv keep them")


def _stream(graph: GraphInput, target: GraphFile, written: dict[str, Any], report: Report) -> None:
    """Writes Parquet files to a folder, without the graph in memory."""
    begin = time.perf_counter()
    held = gnd.read(graph.file, **graph.arguments(), folder=target.path, **written)
    sizes = f"{count(held.num_vertices, 'vertex')}, {count(held.num_edges, 'edge')}"
    report.line("graph", f"{graph.file}: {sizes}")
    report.line("source", str(held.source))
    report.line("wrote", f"{target.path}: {size(target.size())} in {duration(time.perf_counter() - begin)}")
