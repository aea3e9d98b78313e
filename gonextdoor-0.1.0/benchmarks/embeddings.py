"""Embeddings: micro-F1 of labels from DeepWalk and node2vec, with walks of gonextdoor and of PecanPy.

    pip install pecanpy gensim scikit-learn
    python benchmarks/embeddings.py --data ../shared/data/openflights

Both sides take the same number of walks of the same length from each vertex, with the same p and q. gensim's Word2Vec
(skip-gram with 5 negative samples, one thread) learns vectors from them. Logistic regression learns the labels of half
of the vertices with labels, and predicts those of the other half. A vertex has one label, so the micro-F1 is the
accuracy. Seed s determines the walks, the first vectors and the division. On planted partitions without informative
features, "best" is the accuracy of Bayes' rule that knows all other labels. It prints rows of a Markdown table.

The graphs are a planted partition and OpenFlights with countries as labels, by labelled.py. BlogCatalog, for which the
authors of node2vec published micro-F1, is not among the data, so these figures cannot be compared with published ones.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import tempfile
import time
from typing import Any

import numpy as np
from labelled import Labelled, airports, planted

import gonextdoor as gnd

try:
    from gensim.models import Word2Vec
    from pecanpy.pecanpy import SparseOTF
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import f1_score
except ImportError as error:
    sys.exit(f"this benchmark needs PecanPy, gensim and scikit-learn ({error.name} is missing)")

SETTINGS = [("DeepWalk", 1.0, 1.0), ("node2vec", 0.25, 0.25), ("node2vec", 4.0, 1.0)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data/openflights"))
    options.add_argument("--seeds", type=int, default=5, help="runs of each row (default %(default)s)")
    options.add_argument("--vertices", type=int, default=2000, help="of the planted graph (default %(default)s)")
    options.add_argument("--walks", type=int, default=10, help="per vertex (default %(default)s)")
    options.add_argument("--length", type=int, default=40, help="steps of a walk (default %(default)s)")
    options.add_argument("--size", type=int, default=64, help="of a vector (default %(default)s)")
    given = options.parse_args()
    print("| graph | walks | seeds | best | gonextdoor | PecanPy | difference | within |")
    print("|---" * 8 + "|")
    begin = time.perf_counter()
    for task in tasks(given):
        for name, p, q in SETTINGS:
            ours, theirs = [], []
            for seed in range(given.seeds):
                ours.append(micro_f1(task, our_walks(task, p, q, given, seed), given, seed))
                theirs.append(micro_f1(task, peer_walks(task, p, q, given, seed), given, seed))
            difference = [a - b for a, b in zip(ours, theirs, strict=True)]
            within = abs(statistics.mean(difference)) <= statistics.stdev(theirs)
            title = name if name == "DeepWalk" else f"{name}, p = {p:g}, q = {q:g}"
            best = f"{100 * task.bounds['best']:.1f}" if task.bounds else ""
            cells = [task.name, title, str(given.seeds), best, spread(ours), spread(theirs), spread(difference, "+")]
            print(f"| {' | '.join(cells)} | {'yes' if within else 'no'} |", flush=True)
    print(f"{time.perf_counter() - begin:.0f} s")


def tasks(given: argparse.Namespace) -> list[Labelled]:
    """The planted graph without informative features, and the real one if its files are there."""
    found = [planted(given.vertices, 1, separation=0)]
    if given.data.is_dir():
        found.append(airports(given.data, label="country"))
    else:
        print(f"{given.data} is not a folder: without the graph of airports", file=sys.stderr)
    return found


def our_walks(task: Labelled, p: float, q: float, given: argparse.Namespace, seed: int) -> list[list[str]]:
    graph = task.graph()
    app = gnd.apps.Node2Vec(p, q, given.length) if (p, q) != (1, 1) else gnd.apps.DeepWalk(given.length)
    roots = np.random.default_rng([seed, 1]).permutation(np.tile(np.flatnonzero(graph.degrees()), given.walks))
    return list(gnd.sample(graph, app, roots, seed=seed, progress=False).sentences())


def peer_walks(task: Labelled, p: float, q: float, given: argparse.Namespace, seed: int) -> list[list[str]]:
    graph = task.graph()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "edges.tsv")
        sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
        np.savetxt(file, np.column_stack([sources, graph.indices]), fmt="%d", delimiter="\t")
        peer = SparseOTF(p=p, q=q, workers=1, verbose=False, random_state=seed)
        peer.read_edg(str(file), weighted=False, directed=True)  # both directions are in the file
        walks: list[list[str]] = peer.simulate_walks(given.walks, given.length)
    return walks


def micro_f1(task: Labelled, walks: list[list[str]], given: argparse.Namespace, seed: int) -> float:
    """Vectors of the walks, and logistic regression from half of the labels."""
    model = Word2Vec(
        walks, vector_size=given.size, window=5, min_count=0, sg=1, negative=5, epochs=1, workers=1, seed=seed
    )
    vectors = np.zeros((len(task.labels), given.size), np.float32)
    for v in range(len(vectors)):
        if str(v) in model.wv:
            vectors[v] = model.wv[str(v)]
    train, _, test = task.split(seed, train=0.5, valid=0.0)
    classifier: Any = LogisticRegression(max_iter=300).fit(vectors[train], task.labels[train])
    return float(f1_score(task.labels[test], classifier.predict(vectors[test]), average="micro"))


def spread(values: list[float], sign: str = "") -> str:
    return f"{100 * statistics.mean(values):{sign}.1f} ± {100 * statistics.stdev(values):.1f}"


if __name__ == "__main__":
    main()
