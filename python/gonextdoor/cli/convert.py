"""gonextdoor convert: converts a graph to another format."""

from __future__ import annotations

import time

import click
import cloup

from . import options
from .command import Command
from .graphfile import GraphFile
from .graphinput import GraphInput, graph_input
from .report import Report, duration, size


@click.command(
    cls=Command,
    short_help="Convert a graph to another format.",
    example="gonextdoor convert wiki-Vote.txt.gz wiki-Vote\ngonextdoor walk wiki-Vote -o walks.npy",
)
@graph_input
@cloup.argument("out", metavar="OUT", type=options.PATH, help="The output file, or a folder if it has no suffix.")
def convert(graph: GraphInput, out: str, quiet: bool) -> None:
    """Convert the graph in FILE to the format given by the suffix of OUT.

    Without a suffix, OUT is a folder, which opens immediately even if the graph is large. Convert a text file once and
    use the folder afterwards. Other formats: .npz (SciPy), .parquet, and .txt, .tsv, .csv with one edge per row (also
    .gz and .zst).
    """
    report = Report(quiet)
    target = GraphFile(out, "OUT")
    held = graph.read(report)
    begin = time.perf_counter()
    target.write(held)
    report.line("wrote", f"{out}: {size(target.size())} in {duration(time.perf_counter() - begin)}")
    if held.vertex_names is not None and target.suffix == ".npz":
        report.line(
            "note", ".npz files cannot store vertex names: the file has vertex numbers from 0; a folder keeps the names"
        )
    if target.suffix == ".npz" and (held.times is not None or held.labels is not None):
        report.line("note", ".npz files cannot store edge times and labels; a folder, .parquet and .csv keep them")
