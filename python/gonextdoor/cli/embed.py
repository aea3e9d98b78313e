"""gonextdoor embed: vectors of vertices, from walks and gensim's Word2Vec."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import click
import cloup

from gonextdoor._core.atomic import compressor, replacing_text
from gonextdoor._core.seeds import entropy
from gonextdoor.samples.export import line_names

from . import options
from .command import QUIET_BUT_SEED, Command
from .graphinput import GraphInput, graph_input
from .options import check_device, devices
from .parameters import app_and_words, app_named, build, chosen, weighted_words
from .report import Report, count, duration, size
from .target import check_folder, write_array

PACKED = (".gz", ".zst")


@click.command(
    cls=Command,
    short_help="Learn vectors of vertices.",
    quiet=QUIET_BUT_SEED,
    example="gonextdoor embed friends.csv --symmetric -o vectors.txt --seed 1\n"
    "gonextdoor embed wiki-Vote.txt.gz node2vec p=0.5 q=2 length=40 -o vectors.npy --dimensions 64 --threads 4",
)
@graph_input
@app_and_words("[APP]")
@cloup.option_group(
    "Output",
    cloup.option(
        "-o",
        "--output",
        type=options.PATH,
        required=True,
        metavar="OUT",
        help="Output file: .txt, .vec or .emb (word2vec text; also .gz, .zst), .bin (word2vec binary), or .npy (row v "
        "is vertex number v).",
    ),
)
@cloup.option_group(
    "Walks",
    cloup.option(
        "--repeat", type=options.WholeNumber(1), metavar="N", default=10, show_default=True, help="Walks per vertex."
    ),
    cloup.option("--resample", is_flag=True, help="Sample new walks for each epoch."),
    options.seed,
)
@cloup.option_group(
    "Training",
    *(
        cloup.option(
            f"--{name}", type=options.WholeNumber(1), metavar="N", default=default, show_default=True, help=text
        )
        for name, default, text in (
            ("dimensions", 128, "Components of a vector."),
            ("window", 10, "Largest distance of two vertices in a walk that are trained together."),
            ("negative", 5, "Negative vertices per pair."),
            ("epochs", 1, "Passes over the walks."),
        )
    ),
)
@cloup.option_group(
    "Execution",
    options.device,
    cloup.option(
        "--threads",
        type=options.WholeNumber(1),
        metavar="N",
        default=1,
        show_default=True,
        help="Number of CPU threads. Only with 1 does a seed give the same vectors.",
    ),
)
def embed(
    graph: GraphInput,
    app: str | None,
    named: str | None,
    parameters: tuple[str, ...],
    output: str,
    repeat: int,
    resample: bool,
    seed: int | None,
    dimensions: int,
    device: str,
    threads: int,
    quiet: bool,
    **training: int,
) -> None:
    """Learn a vector for each vertex of the graph in FILE: gensim's Word2Vec (skip-gram) on random walks.

    APP is the kind of walk, by default node2vec; 'gonextdoor apps' lists the apps and their parameters. The vectors are
    written with the original vertex names, in the order of vertex numbers. Needs gensim: pip install gensim.
    """
    report = Report(quiet)
    write = _writer(output)
    name, words = chosen(app, named, parameters, "node2vec")
    kind = app_named(name)
    made = build(kind, (*words, *weighted_words(kind, graph.weighted)))
    check_device(device)
    from gonextdoor.embeddings import Node2Vec  # imports more than other commands need

    read = graph.read(report)
    number = entropy(seed)
    report.always("seed", str(number))
    begin = time.perf_counter()
    node2vec = Node2Vec(
        read, dimensions, num_walks=repeat, workers=threads, app=made, resample=resample, seed=number,
        device=devices(device),
    )  # fmt: skip
    model = node2vec.fit(**training)
    took = duration(time.perf_counter() - begin)
    report.line("app", repr(made))
    report.line("vectors", f"{count(read.num_vertices, 'vector')} of {dimensions} components, trained in {took}")
    write(read, model.wv)
    report.line("wrote", f"{output} ({size(Path(output).stat().st_size)})")


def _writer(path: str) -> Callable[[Any, Any], None]:
    """The function that writes vectors; refuses a path that cannot be written before any work."""
    file = Path(path)
    kind = Path(file.stem).suffix.lower() if file.suffix.lower() in PACKED else file.suffix.lower()
    if kind not in WRITERS or (kind == ".npy" and file.suffix.lower() in PACKED):
        text = f"{path!r}: expected a name that ends in .txt, .vec, .emb, .bin (each also with .gz or .zst) or .npy"
        raise click.BadParameter(text, param_hint="-o")
    check_folder(path, "-o")
    try:
        compressor(path)
        import gensim  # noqa: F401
    except ImportError as missing:
        hint = str(missing) if missing.name is None else f"pip install {missing.name}"
        raise click.UsageError(f"embed needs a library: {hint}") from missing

    def write(graph: Any, vectors: Any) -> None:
        names = line_names(graph.vertex_names) or [str(v) for v in range(graph.num_vertices)]
        with replacing_text(path) as out:
            WRITERS[kind](out, names, vectors[names])

    return write


def _text(file: IO[bytes], names: list[str], vectors: Any) -> None:
    file.write(f"{vectors.shape[0]} {vectors.shape[1]}\n".encode())
    for name, vector in zip(names, vectors, strict=True):
        file.write(f"{name} {' '.join(vector.astype(str))}\n".encode())


def _binary(file: IO[bytes], names: list[str], vectors: Any) -> None:
    file.write(f"{vectors.shape[0]} {vectors.shape[1]}\n".encode())
    for name, vector in zip(names, vectors.astype("<f4"), strict=True):
        file.write(name.encode() + b" " + vector.tobytes())


def _npy(file: IO[bytes], _names: list[str], vectors: Any) -> None:
    write_array(file, vectors)


WRITERS = {".txt": _text, ".vec": _text, ".emb": _text, ".bin": _binary, ".npy": _npy}
