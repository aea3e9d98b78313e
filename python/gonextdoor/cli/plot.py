"""gonextdoor plot: pictures of a graph and of samples."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import Any, NamedTuple

import click
import cloup

import gonextdoor as gnd
from gonextdoor._core.atomic import replacing
from gonextdoor._core.seeds import entropy
from gonextdoor.sampling.roots import drawn

from . import options
from . import roots as roots_option
from .command import Command
from .graphinput import GraphInput, graph_input
from .parameters import app_named, build, parse, weighted_words
from .report import Report, count, size
from .request import Request
from .target import check_folder

SUFFIXES = (".png", ".svg", ".pdf")


class _Kind(NamedTuple):
    """The kind of picture if no app is given.

    Attributes:
        app, parameters: the app and its parameters; None for pictures without samples.
        roots: the roots that are drawn at random if none are given; None: every vertex is a root.
    """

    app: str | None
    parameters: tuple[str, ...] = ()
    roots: int | None = None


KINDS: dict[str, _Kind] = {
    "degrees": _Kind(None),
    "graph": _Kind(None),
    "visits": _Kind("DeepWalk"),
    "lengths": _Kind("PPR", ("stop=0.15",)),
    "walk": _Kind("DeepWalk", ("length=10",), 1),
    "tree": _Kind("KHop", ("fanouts=4,3",), 1),
    "layers": _Kind("LADIES", ("sizes=8,8",), 1),
    "subgraph": _Kind("GraphSAINT", ("method=walk", "roots=8", "length=4"), 1),
    "timeline": _Kind("DeepWalk", ("length=6",), 12),
    "batch": _Kind(None, ("fanouts=3,2",), 3),
}


@click.command(
    cls=Command,
    short_help="Draw a picture of a graph or of samples.",
    example="gonextdoor plot wiki-Vote.txt.gz degrees -o degrees.svg\n"
    "gonextdoor plot wiki-Vote.txt.gz visits Node2Vec p=0.5 q=2 -o visits.png --seed 1\n"
    "gonextdoor plot wiki-Vote.txt.gz tree fanouts=4,3 -o tree.svg --seed 1",
)
@graph_input
@cloup.argument("kind", metavar="KIND", type=click.Choice(list(KINDS)), help="The picture: " + ", ".join(KINDS) + ".")
@cloup.argument("words", metavar="[APP] [KEY=VALUE]…", nargs=-1, help="The app and its parameters.")
@cloup.option("--app", "named", metavar="APP", help="The same as APP.")
@cloup.option(
    "-o",
    "--output",
    required=True,
    metavar="OUT",
    help="File to write: a name that ends in .png, .svg or .pdf.",
)
@cloup.option(
    "--dpi", type=options.WholeNumber(20, 1200), default=150, show_default=True, help="Pixels per inch of .png."
)
@options.repeat
@options.roots
@options.seed
@options.device
@options.threads
def plot(
    graph: GraphInput,
    kind: str,
    words: tuple[str, ...],
    named: str | None,
    output: str,
    dpi: int,
    quiet: bool,
    **rest: Any,
) -> None:
    """Draw a picture of the graph in FILE, or of samples of it.

    KIND is one of: degrees and graph, of the graph; visits (against degrees) and lengths, of all samples; walk, tree,
    layers and subgraph, of one sample; timeline, of walks on a graph with times; batch, of a GNN mini-batch.

    Pictures of samples take an app and its parameters as `gonextdoor sample` does; without an app, a usual one for the
    kind. Of a large graph, only the sample is drawn. Needs matplotlib: pip install 'gonextdoor[plot]'.
    """
    check_folder(output, "-o")
    if Path(output).suffix.lower() not in SUFFIXES:
        raise click.BadParameter(f"{output!r}: expected a name that ends in {', '.join(SUFFIXES)}", param_hint="-o")
    chosen = KINDS[kind]
    if named is not None:
        words = (named, *words)
    if chosen.app is None:
        app, fanouts = None, _fanouts(kind, words)
    else:
        app, fanouts = _app(kind, words, graph.weighted), []
    request = Request(graph=graph, output=output, edges=kind == "timeline", quiet=quiet, **rest)
    if app is not None:
        roots_option.check(request, app)
    _check_matplotlib()
    report = Report(quiet)
    held = request.graph.read(report)
    if fanouts:
        axes = _batch(held, fanouts, request, report)
    elif app is None:
        axes = getattr(gnd.plot, kind)(held)
    else:
        axes = getattr(gnd.plot, kind)(_samples(held, app, chosen, request, report))
    _save(axes, output, dpi)
    report.line("wrote", f"{output} ({size(Path(output).stat().st_size)}): {axes.get_title()}")


def _app(kind: str, words: tuple[str, ...], weighted: bool | None) -> Any:
    """The app and its parameters, or those usual for the kind."""
    named = app_named(words[0]) if words and "=" not in words[0] else None
    usual = app_named(KINDS[kind].app or "")
    if named is None:
        given = {word.partition("=")[0] for word in words}
        words = (*words, *(word for word in KINDS[kind].parameters if word.partition("=")[0] not in given))
    else:
        words = words[1:]
    app = named or usual
    return build(app, (*words, *weighted_words(app, weighted)))


def _fanouts(kind: str, words: tuple[str, ...]) -> list[int]:
    """The fan-outs of a mini-batch; none for other pictures, which take no words."""
    if kind != "batch":
        if words:
            raise click.UsageError(f"{words[0]!r}: {kind} draws the graph and takes no app")
        return []
    values = {"fanouts": parse(KINDS[kind].parameters[0].partition("=")[2])}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key != "fanouts":
            raise click.UsageError(f"{word!r}: expected fanouts=F1,F2,… for batch, which takes no app")
        values[key] = parse(text)
    fanouts = values["fanouts"] if isinstance(values["fanouts"], list) else [values["fanouts"]]
    if not fanouts or not all(type(fanout) is int for fanout in fanouts):
        raise click.UsageError(f"fanouts={words[-1].partition('=')[2]}: expected whole numbers, such as fanouts=3,2")
    return fanouts


def _samples(graph: Any, app: Any, kind: _Kind, request: Request, report: Report) -> Any:
    """The samples to draw."""
    if request.roots is None and kind.roots is not None:
        request = dataclasses.replace(request, roots=str(kind.roots))
    seed = entropy(request.seed)
    roots = roots_option.parse(request, graph, app, seed=seed, report=report)
    samples = gnd.sample(
        graph,
        app,
        roots,
        repeat=request.repeat,
        seed=seed,
        device=options.devices(request.device),
        threads=request.threads,
        edges=request.edges,
        progress=False if request.quiet else None,
    )
    report.line("app", repr(samples.app))
    report.always("seed", str(samples.seed))
    return samples


def _batch(graph: Any, fanouts: list[int], request: Request, report: Report) -> Any:
    """The axes of a mini-batch."""
    seed = entropy(request.seed)
    text = request.roots or str(KINDS["batch"].roots)
    request = dataclasses.replace(request, roots=text)
    nodes = roots_option.parse(request, graph, gnd.apps.DeepWalk(1), seed=seed, report=report)
    if isinstance(nodes, int):
        nodes = drawn(graph, nodes, 1, seed=seed, repeat=1).reshape(-1)
    batch = gnd.NeighborSampler(graph, fanouts, direction="in").sample(
        list(dict.fromkeys(nodes.tolist())), batch_seed=seed
    )
    report.line("batch", f"{count(len(nodes), 'seed node')}, fan-outs {', '.join(map(str, fanouts))}")
    report.always("seed", str(seed))
    return gnd.plot.batch(batch, graph=graph)


def _check_matplotlib() -> None:
    """Refuses before any work if matplotlib is missing; otherwise, chooses drawing without a display."""
    try:
        import matplotlib
    except ImportError as missing:
        raise ImportError("gonextdoor plot needs matplotlib: pip install 'gonextdoor[plot]'") from missing
    matplotlib.use("Agg")


def _save(axes: Any, output: str, dpi: int) -> None:
    """Writes the picture. Equal pictures are equal bytes: no date is written, and ids in .svg are not random."""
    import matplotlib
    from matplotlib import pyplot

    suffix = Path(output).suffix.lower()
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    held = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "gonextdoor"}):
        axes.figure.savefig(held, format=suffix[1:], dpi=dpi, metadata=metadata)
    pyplot.close(axes.figure)
    with replacing(output) as file:
        file.write(held.getvalue())
