"""walk --ray: the walks of a graph's folder, sampled on a Ray cluster into a folder of Parquet files."""

from __future__ import annotations

import logging
import socket
import time
from pathlib import Path
from typing import Any

import click

from gonextdoor._core.seeds import entropy
from gonextdoor.partition.anygraph import open_graph
from gonextdoor.storage.head import head_of
from gonextdoor.storage.location import located

from . import roots as roots_option
from .graphinput import GraphInput
from .report import Report, count, duration, size
from .request import Request
from .target import STDOUT

__all__ = ["check", "walk_on_ray"]

CONNECT_SECONDS = 10.0  # to reach the head of a cluster


def check(request: Request, app: Any) -> None:
    """Rejects options that only apply to one machine."""
    graph = request.graph
    if graph != GraphInput(file=graph.file, weighted=graph.weighted):
        raise click.UsageError(
            "--ray reads a folder that gonextdoor convert wrote: leave out the options of reading FILE"
        )
    if request.device not in ("auto", "cpu", "cuda"):
        raise click.BadParameter(
            f"{request.device!r}: with --ray, expected cpu or cuda, of which Ray assigns one to each actor",
            param_hint="--device",
        )
    if request.output == STDOUT:
        raise click.UsageError("--ray writes a folder of Parquet files: pass -o OUT, its name or URI")
    if Path(request.output).suffix:
        raise click.BadParameter(
            f"{request.output!r}: --ray writes a folder of Parquet files; pass a name without a suffix, or a URI",
            param_hint="-o",
        )
    roots_option.check(request, app)


def walk_on_ray(app: Any, request: Request, address: str, resume: bool, names: bool) -> None:
    """Writes the walks as requested."""
    check(request, app)
    import gonextdoor.ray as gray
    from gonextdoor.ray.framework import ray

    report = Report(request.quiet)
    seed = request.seed if request.seed is not None or resume else entropy(None)
    head_of(located("FILE", request.graph.file))  # before a cluster starts
    if not ray.is_initialized():
        _connect(ray, address)
    if request.quiet:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = context.print_on_execution_start = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
    begin = time.perf_counter()
    try:
        done = gray.write(
            request.graph.file,
            app,
            request.output,
            _roots(request, app, report),
            repeat=request.repeat,
            edges=request.edges,
            vertices="names" if names else "numbers",
            seed=seed,
            resume=resume,
            device="cuda" if request.device == "cuda" else "cpu",
            num_cpus=request.threads,
        )
    except FileExistsError as error:
        raise FileExistsError(str(error).replace("pass resume=True", "pass --resume")) from error
    report.line("app", repr(app))
    report.line("samples", f"{count(done.rows, 'sample')} in {duration(time.perf_counter() - begin)}")
    report.always("seed", str(done.seed))
    report.line("wrote", f"{request.output}: {done.written:,} of {count(done.files, 'file')} ({size(done.bytes)})")
    if request.seed is None:
        report.line("again", f"--seed {done.seed} gives the same samples")


def _connect(ray: Any, address: str) -> None:
    """Connects to a cluster, or starts one.

    Raises:
        BadParameter: there is no cluster at the address, or it refuses the token. Ray itself tries for minutes.
    """
    host, colon, port = address.rpartition(":")
    try:
        if colon and port.isdecimal() and "://" not in address:
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, OverflowError, ValueError, ray.exceptions.RayError) as error:  # among them Ray's ConnectionError
        if "AuthenticationError" in f"{error!r} {error.__cause__}":
            raise click.BadParameter(
                f"{address!r}: the cluster refused the token of this process; set RAY_AUTH_MODE=token, and "
                "RAY_AUTH_TOKEN or the file ~/.ray/auth_token to the token with which the cluster was started",
                param_hint="--ray",
            ) from error
        raise click.BadParameter(
            f"{address!r}: there is no Ray cluster at this address ({error}); pass HEAD:6379 with the address of "
            "the node where ray start --head ran, auto on a node of the cluster, or local to start one",
            param_hint="--ray",
        ) from error


def _roots(request: Request, app: Any, report: Report) -> Any:
    """The roots; only a file of vertices needs the graph."""
    text = request.roots
    graph = None if text is None or text.isdigit() else open_graph(request.graph.file)
    return roots_option.parse(request, graph, app, seed=0, report=report)
