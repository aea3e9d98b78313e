"""Options that several commands have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

LARGEST_SEED = 2**64 - 1

seed = click.option(
    "--seed",
    type=click.IntRange(0, LARGEST_SEED),
    metavar="N",
    help="The random seed. Without it a fresh one is taken, and printed.",
)
threads = click.option(
    "--threads", type=click.IntRange(1), metavar="N", help="Threads (default: all cores). They never change a sample."
)
device = click.option(
    "--device",
    metavar="DEVICE",
    default="auto",
    show_default=True,
    help="Where to sample: cpu, cuda, cuda:1, GPUs with commas between, or auto: a GPU where that pays. It never "
    "changes a sample.",
)
output = click.option(
    "-o",
    "--output",
    required=True,
    metavar="OUT",
    help="Where to write: .npy, .npz, .parquet or .txt (.txt.gz, .txt.zst); - is standard output, as text.",
)
repeat = click.option(
    "--repeat", type=click.IntRange(1), metavar="N", default=1, show_default=True, help="Samples per root."
)
roots = click.option(
    "--roots",
    metavar="FILE|N",
    help="Where samples begin: a file with one vertex a line (by name), a .npy of vertex numbers, or N random "
    "vertices. Default: every vertex once. Apps that choose their own vertices make N samples (default: one).",
)
batch = click.option(
    "--batch",
    type=click.IntRange(1),
    metavar="N",
    help="Begin each sample with N roots: those of the file, or all vertices, N by N. With a number for --roots: as "
    "many samples, each from N random vertices.",
)
edges = click.option("--edges", is_flag=True, help="Keep the edges' ids too (.npz and .parquet).")


def devices(text: str) -> str | list[str]:
    """The device argument for the text of the option."""
    return text.split(",") if "," in text else text


def planned(command: F) -> F:
    """The options of a command that explains what another one would sample."""
    for option in (threads, device, roots, repeat):
        command = option(command)
    return command


def sampling(command: F) -> F:
    """The options of every command that samples."""
    for option in (threads, device, seed, edges, roots, repeat, output):
        command = option(command)
    return command
