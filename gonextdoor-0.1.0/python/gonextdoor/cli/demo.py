"""gonextdoor demo: shows the main features, on the user's graph or a generated one."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click
import cloup

import gonextdoor as gnd
from gonextdoor._core.atomic import replacing
from gonextdoor.samples.export import line_names

from . import graphinput, options
from .command import Command
from .report import Report, count, duration, rate, size
from .run import report_samples
from .target import Target

SCALE = 16
LENGTH = 80
FANOUTS = (5, 10, 15)  # that of the seed nodes is last
BATCHES, BATCH = 10, 1024


@click.command(
    cls=Command,
    short_help="Show the main features on your graph or a generated one.",
    example="gonextdoor demo\ngonextdoor demo wiki-Vote.txt.gz",
)
@cloup.argument(
    "file", metavar="[FILE]", type=options.PATH, required=False, help="A graph. Default: a generated R-MAT graph."
)
@cloup.option(
    "-o",
    "--output",
    "out",
    type=options.PATH,
    default="demo-output",
    show_default=True,
    metavar="FOLDER",
    help="The folder for the output files.",
)
@graphinput.symmetric
@options.seed
def demo(file: str | None, out: str, symmetric: bool | None, seed: int | None, quiet: bool) -> None:
    """Sample walks and mini-batches, write them to files, and print the same steps in Python."""
    report = Report(quiet)
    seed = 42 if seed is None else seed
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise click.BadParameter(f"{out!r} is a file; expected the name of a folder", param_hint="-o")
    folder.mkdir(parents=True, exist_ok=True)
    if file:
        graph = graphinput.GraphInput(file, symmetric=symmetric).read(report)
        made = f"gnd.read({file!r}{'' if symmetric is None else f', symmetric={symmetric}'})"
    else:
        graph = gnd.rmat(SCALE, seed=seed)
        made = f"gnd.rmat({SCALE}, seed={seed})"
        sizes = f"{count(graph.num_vertices, 'vertex')}, {count(graph.num_edges, 'edge')}"
        report.line("graph", f"R-MAT (no file was given): {sizes}")
    walks(graph, seed, folder, report)
    batches(graph, seed, folder, report)
    if not quiet:
        click.echo("\nThe same in Python:\n\n    import gonextdoor as gnd")
        click.echo(f"    walks = gnd.sample({made}, gnd.apps.DeepWalk(length={LENGTH}), seed={seed}).numpy()")


def walks(graph: Any, seed: int, folder: Path, report: Report) -> None:
    """Walks from every vertex; saves them all as an array and the first with original names."""
    begin = time.perf_counter()
    samples = gnd.sample(graph, gnd.apps.DeepWalk(LENGTH), seed=seed, progress=False if report.quiet else None)
    report_samples(samples, time.perf_counter() - begin, report)
    report.line("wrote", Target(str(folder / "walks.npy")).write(samples))
    first = gnd.sample(graph, gnd.apps.DeepWalk(LENGTH), _vertices(min(1000, graph.num_vertices)), seed=seed)
    report.line("wrote", Target(str(folder / f"walks-first-1000{_readable(graph)}")).write(first))


def batches(graph: Any, seed: int, folder: Path, report: Report) -> None:
    """Mini-batches of vertices; saves the last one."""
    import numpy as np

    sampler = gnd.PGSampler(list(FANOUTS), seed=seed)
    nodes = min(BATCH, graph.num_vertices)
    picked = np.random.default_rng(seed)
    seeds = [picked.choice(graph.num_vertices, nodes, replace=False) for _ in range(BATCHES)]
    begin = time.perf_counter()
    edges = 0
    for batch in seeds:
        inputs, outputs, blocks = sampler.sample(graph, batch)
        edges += sum(len(block.indices) for block in blocks)
    seconds = time.perf_counter() - begin
    fanouts = ",".join(map(str, FANOUTS))
    what = f"{BATCHES} mini-batches of {count(nodes, 'vertex')}, fan-outs {fanouts}"
    report.line("batches", f"{what}: {count(edges, 'edge')} in {duration(seconds)}, {rate(edges, seconds, 'edge')}")
    arrays: dict[str, Any] = {"input_nodes": inputs, "output_nodes": outputs}
    for number, block in enumerate(blocks):
        for name in ("indptr", "indices", "edge_ids"):
            arrays[f"block{number}_{name}"] = getattr(block, name)
    path = folder / "minibatch.npz"
    with replacing(path) as file:
        np.savez(file, **arrays)
    report.line("wrote", f"{path} ({size(os.path.getsize(path))})")


def _readable(graph: Any) -> str:
    """The suffix of a file with original names: text, unless a name has blanks in it."""
    try:
        line_names(graph.vertex_names)
    except ValueError:
        return ".npz"
    return ".txt"


def _vertices(n: int) -> Any:
    import numpy as np

    return np.arange(n)
