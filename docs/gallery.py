"""Makes docs/gallery.md and its pictures: python docs/gallery.py [FOLDER]

Runs the code of each picture, and writes the picture to assets/gallery and the page to gallery.md, both in FOLDER. The
default is the folder of this file. The same versions of gonextdoor and matplotlib write the same bytes.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import svgfile

matplotlib.use("Agg")

from matplotlib import pyplot


class Picture(NamedTuple):
    """A picture of the page.

    Attributes:
        name: of its file, without .svg.
        title: the heading.
        text: what it shows.
        code: Python whose last line binds ``axes``.
    """

    name: str
    title: str
    text: str
    code: str


BEGIN = """\
# Gallery

`gonextdoor.plot` draws graphs, samples and mini-batches with Matplotlib (the [extra](install.md#extras) `plot`). Each
function returns Matplotlib's `Axes`, and draws on those given as `ax=`. The pictures are deterministic: equal
arguments give equal pictures, and positions of vertices are computed without random numbers.

Drawings of vertices and edges show at most 200 vertices and 2,000 edges, and raise a `ValueError` beyond that. A
sample of a large graph is drawn without the rest of the graph. `gonextdoor plot` draws the same pictures from the
[command line](cli.md#pictures). The blocks of code on this page are one program;
`axes.figure.savefig("picture.svg")` writes a picture to a file.

The small graph has four communities of eight vertices. The large graph is an R-MAT graph with 512 vertices.

```python
import numpy as np
import gonextdoor as gnd

community = np.repeat(np.arange(4), 8)
ring = np.arange(32) % 8
source = np.concatenate([np.arange(32), np.arange(32), [3, 11, 19, 27, 5, 13]])
near, far = 8 * community + (ring + 1) % 8, 8 * community + (ring + 2) % 8
target = np.concatenate([near, far, [14, 22, 30, 6, 21, 29]])
small = gnd.Graph.from_edges(source, target, symmetric=True)
large = gnd.rmat(9, 8, seed=1)
```
"""

PICTURES = [
    Picture(
        "graph",
        "A graph",
        "The distances in the picture are close to the distances in the graph. Edges that are present in both "
        "directions are lines, others are arrows.",
        "axes = gnd.plot.graph(small)",
    ),
    Picture(
        "walk",
        "A walk",
        "The root is red. The numbers on the arrows are the steps that took the edge. A step that follows no "
        "edge, such as a restart, has a dashed arrow.",
        "walks = gnd.sample(small, gnd.apps.Node2Vec(p=4, q=0.5, length=10), [0], seed=6)\naxes = gnd.plot.walk(walks)",
    ),
    Picture(
        "tree",
        "A k-hop tree",
        "Each vertex is below the one whose edge led to it. A vertex that was reached along several edges is "
        "drawn once per edge.",
        "trees = gnd.sample(large, gnd.apps.KHop([4, 3]), [5], seed=4)\naxes = gnd.plot.tree(trees)",
    ),
    Picture(
        "batch",
        "A mini-batch",
        "A `NeighborBatch` has each vertex once, in the column of the hop that discovered it. Features flow "
        "along the arrows, to the seed nodes on the right. Edges between other columns are counted in the "
        "title.",
        'sampler = gnd.NeighborSampler(large, [3, 2], direction="in")\n'
        "axes = gnd.plot.batch(sampler.sample([3, 7, 11], batch_seed=1))",
    ),
    Picture(
        "blocks",
        "The blocks of a mini-batch",
        "`PGSampler` returns one `Block` per hop. The inputs of a block contain its outputs, so a vertex can "
        "be in several columns.",
        'sampler = gnd.PGSampler([2, 2], seed=1, direction="in")\naxes = gnd.plot.batch(sampler.sample(large, [3, 7]))',
    ),
    Picture(
        "layers",
        "A layered sample",
        "There is a column per step. Lines are the edges that the app recorded between successive steps.",
        "layers = gnd.sample(large, gnd.apps.LADIES([8, 8]), [[1, 2, 3]], seed=4)\naxes = gnd.plot.layers(layers)",
    ),
    Picture(
        "subgraph",
        "An induced subgraph",
        "The sampled vertices and the edges that the app recorded between them are blue, the rest of the "
        "small graph is grey.",
        'saint = gnd.sample(small, gnd.apps.GraphSAINT("walk", roots=4, length=3), seed=4)\n'
        "axes = gnd.plot.subgraph(saint)",
    ),
    Picture(
        "degrees",
        "The distribution of degrees",
        "Vertices of degree 0 have no place on a logarithmic axis; their number is below it.",
        "axes = gnd.plot.degrees(large)",
    ),
    Picture(
        "visits",
        "Visits and degrees",
        "On an undirected, unweighted, connected graph, long walks visit vertices in proportion to their "
        "degrees. The dashed line is this proportion. `gnd.plot.visits(graph, counts)` draws the counts of "
        "`gnd.visit_counts`.",
        'graph = gnd.rmat(8, 8, seed=1)\naxes = gnd.sample(graph, gnd.apps.DeepWalk(80), seed=1).plot("visits")',
    ),
    Picture(
        "lengths",
        "The lengths of walks",
        "There is one bar per length, or one per range of lengths if there are more than 60.",
        'axes = gnd.sample(small, gnd.apps.PPR(0.15), repeat=30, seed=1).plot("lengths")',
    ),
    Picture(
        "timeline",
        "The times of a temporal mini-batch",
        "There is a row per seed node. A disc is an edge that was taken, at its time, with the number of its "
        "hop. No edge is later than its seed node. The rows of walks on a graph with times are drawn in the "
        "same way. The durations of the stages of a call are not drawn, since samples know their total time "
        "only.",
        "random = np.random.default_rng(1)\n"
        "source, target = random.integers(0, 30, (2, 240))\n"
        "timed = gnd.Graph.from_edges(source, target, times=random.integers(0, 1000, 240))\n"
        'given = dict(temporal="uniform", disjoint=True, direction="in")\n'
        "sampler = gnd.NeighborSampler(timed, [2, 2], **given)\n"
        "times = [400, 600, 800, 950]\n"
        "batch = sampler.sample([1, 2, 3, 4], batch_seed=1, times=times)\n"
        "axes = gnd.plot.timeline(batch, graph=timed, times=times)",
    ),
]

END = """\
## In notebooks

A notebook shows graphs, samples, blocks, mini-batches, `PGSampler` and apps as a table with a small picture. These
pictures need no Matplotlib, and have the colours of the page around them, light or dark.

![A graph as a notebook shows it: a histogram of its degrees](assets/gallery/notebook-graph.svg)
![A mini-batch as a notebook shows it: a column of discs per hop](assets/gallery/notebook-batch.svg)
![An app as a notebook shows it: the tree that a sample is](assets/gallery/notebook-app.svg)
"""

IN_NOTEBOOKS = {
    "graph": "large",
    "batch": 'gnd.NeighborSampler(large, [3, 2], direction="in").sample([3, 7, 11], batch_seed=1)',
    "app": "gnd.apps.KHop([3, 2])",
}


def draw(picture: Picture, names: dict[str, Any], folder: Path) -> None:
    """Runs the code of a picture and writes it."""
    exec(picture.code, names)
    figure = names["axes"].figure
    svgfile.write(folder / f"{picture.name}.svg", figure, facecolor="white")
    pyplot.close(figure)


def page() -> str:
    """The text of the page."""
    parts = [BEGIN]
    for picture in PICTURES:
        image = f"![{picture.title}](assets/gallery/{picture.name}.svg)"
        parts.append(
            f"## {picture.title}\n\n{textwrap.fill(picture.text, 120)}\n\n```python\n{picture.code}\n```\n\n{image}\n"
        )
    return "\n".join([*parts, END])


def main(folder: Path) -> None:
    """Writes the page and its pictures."""
    pictures = folder / "assets" / "gallery"
    pictures.mkdir(parents=True, exist_ok=True)
    names: dict[str, Any] = {}
    exec(BEGIN.partition("```python\n")[2].partition("```")[0], names)
    for picture in PICTURES:
        draw(picture, names, pictures)
    for name, thing in IN_NOTEBOOKS.items():
        html = eval(thing, names)._repr_html_()
        image = html[html.index("<svg") : html.index("</svg>")] + "</svg>\n"
        (pictures / f"notebook-{name}.svg").write_text(image, encoding="utf-8")
    (folder / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent)
