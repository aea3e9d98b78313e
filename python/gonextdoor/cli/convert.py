"""gonextdoor convert: a graph from one form into another."""

from __future__ import annotations

import time

import click

from .command import Command
from .graphfile import GraphFile
from .graphinput import GraphInput, graph_input
from .report import Report, duration, size


@click.command(
    cls=Command,
    short_help="A graph from one form into another.",
    example="gonextdoor convert wiki-Vote.txt.gz wiki-Vote\ngonextdoor walk wiki-Vote -o walks.npy",
)
@graph_input
@click.argument("out", metavar="OUT")
def convert(graph: GraphInput, out: str, quiet: bool) -> None:
    """Writes the graph in FILE as OUT, in the form that OUT's suffix names.

    Without a suffix OUT becomes a folder that opens at once, however large the graph: read a text file once, then
    sample the folder. Other forms: .npz (scipy), .parquet, .txt, .tsv, .csv (also .gz, .zst), one edge a row.
    """
    report = Report(quiet)
    target = GraphFile(out, "OUT")
    held = graph.read(report)
    begin = time.perf_counter()
    target.write(held)
    report.line("wrote", f"{out}: {size(target.size())} in {duration(time.perf_counter() - begin)}")
    if held.vertex_names is not None and target.suffix == ".npz":
        report.line("note", "the file holds vertex numbers from 0; the original names have no place in it")
    if target.suffix == ".npz" and (held.times is not None or held.labels is not None):
        report.line("note", "a sparse matrix has no place for times and labels; a folder, .parquet and .csv keep them")
