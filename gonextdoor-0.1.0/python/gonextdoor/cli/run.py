"""Run: reads a graph, samples it, writes the samples and reports; shared by walk, khop and sample."""

from __future__ import annotations

import time
from typing import Any

import gonextdoor as gnd
from gonextdoor._core.seeds import entropy
from gonextdoor.samples.export import walks

from . import roots as roots_option
from .options import check_device, devices
from .report import Report, count, duration, rate
from .request import Request
from .target import STDOUT, Target


def run(app: Any, request: Request) -> None:
    """Samples as requested."""
    report = Report(request.quiet)
    target = Target(request.output, edges=request.edges)
    roots_option.check(request, app)
    check_device(request.device)
    graph = request.graph.read(report)
    seed = entropy(request.seed)
    roots = roots_option.parse(request, graph, app, seed=seed, report=report)
    begin = time.perf_counter()
    samples = gnd.sample(
        graph,
        app,
        roots,
        repeat=request.repeat,
        seed=seed,
        device=devices(request.device),
        threads=request.threads,
        edges=request.edges,
        progress=False if request.quiet else None,
    )
    report_samples(samples, time.perf_counter() - begin, report)
    report.line("wrote", target.write(samples))
    if graph.vertex_names is not None and target.suffix in (".npy", ".npz"):
        names = "its vertex_names are" if target.suffix == ".npz" else "write .npz, .parquet or .txt for"
        report.line("note", f"the file contains vertex numbers from 0; {names} the original names")
    if request.output != STDOUT and request.seed is None:
        report.line("again", f"--seed {samples.seed} gives the same samples")


def report_samples(samples: Any, seconds: float, report: Report) -> None:
    """Reports the number of samples, the speed and the seed."""
    report.line("app", repr(samples.app))
    steps, noun = steps_of(samples), "step" if walks(samples) else "vertex" if samples.layered else "edge"
    made = f"{count(len(samples), 'sample')}, {count(steps, noun)}"
    if samples.records:
        made += f" and {count(int(samples.stats['links']), 'edge')} between them"
    on = "" if samples.device == "cpu" else f", on {samples.device}"
    report.line("samples", f"{made} in {duration(seconds)}: {rate(steps, seconds, noun)}{on}")
    report.always("seed", str(samples.seed))


def steps_of(samples: Any) -> int:
    """The number of steps over all samples."""
    return int(samples.stats["edges"])
