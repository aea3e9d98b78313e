"""Link prediction: seconds from an edge list to vectors, and the AUC, for gonextdoor, PecanPy and the node2vec package.

    pip install pecanpy node2vec gensim scikit-learn
    python benchmarks/linkprediction.py --graph ../shared/data/wiki-Vote.txt.gz

A tenth of the undirected edges are removed; each side reads the others from a text file, makes the same number of walks
of the same length, and trains gensim's Word2Vec with the same options. Logistic regression on the products of the two
vectors (Hadamard) learns half of the removed edges and as many random pairs that are no edges; the AUC is that of the
other half. Seed s determines the edges, the walks and the first vectors. The sides take turns. It prints the CPU
seconds from the file to the vectors, those of the walks, and the AUC: mean and standard deviation over the
seeds.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gonextdoor as gnd

try:
    import networkx
    from gensim.models import Word2Vec
    from node2vec import Node2Vec
    from pecanpy.pecanpy import SparseOTF
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
except ImportError as error:
    sys.exit(f"this benchmark needs PecanPy, node2vec, gensim and scikit-learn ({error.name} is missing)")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graph", default="../shared/data/wiki-Vote.txt.gz", help="an edge list")
    options.add_argument("--seeds", type=int, default=10, help="runs of each side (default %(default)s)")
    options.add_argument("--first", type=int, default=0, help="the first seed (default %(default)s)")
    options.add_argument("--sides", nargs="+", choices=list(SIDES), default=list(SIDES), help="default: all")
    options.add_argument("--walks", type=int, default=10, help="per vertex (default %(default)s)")
    options.add_argument("--length", type=int, default=40, help="steps of a walk (default %(default)s)")
    options.add_argument("--size", type=int, default=64, help="of a vector (default %(default)s)")
    options.add_argument("--p", type=float, default=1.0)
    options.add_argument("--q", type=float, default=0.5)
    given = options.parse_args()
    training = {"vector_size": given.size, "window": 5, "sg": 1, "min_count": 1, "epochs": 1, "workers": 1}
    sides = {name: SIDES[name] for name in given.sides}
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in sides}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "edges.tsv")
        warm(sides, file, given, training)
        for seed in range(given.first, given.first + given.seeds):
            kept, removed, others = divided(given.graph, seed)
            np.savetxt(file, kept, fmt="%d", delimiter="\t")
            for name, side in sides.items():
                vectors, whole, before = side(str(file), given, training, seed)
                found[name].append((whole, before, auc(vectors, removed, others, seed)))
                print(name, seed, *(f"{value:.3f}" for value in found[name][-1]), file=sys.stderr, flush=True)
    print("| side | seeds | CPU s of all | of reading and walks | AUC |\n|---|---|---|---|---|")
    for name, runs in found.items():
        if runs:
            print(f"| {name} | {len(runs)} | {' | '.join(spread(values) for values in zip(*runs, strict=True))} |")


def divided(path: str, seed: int) -> tuple[Any, Any, Any]:
    """The edges that are kept, a tenth that are removed, and as many pairs that are no edges, as (n, 2) arrays.

    A vertex keeps at least one edge.
    """
    graph = gnd.read(path)
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    pairs = np.unique(np.sort(np.column_stack([sources, graph.indices]), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    rng = np.random.default_rng(seed)
    pairs = pairs[rng.permutation(len(pairs))]
    needed = np.zeros(len(pairs), bool)
    for column in (0, 1):
        needed[np.unique(pairs[:, column], return_index=True)[1]] = True
    removed = np.flatnonzero(~needed)[: len(pairs) // 10]
    known = {tuple(pair) for pair in pairs.tolist()}
    others: list[tuple[int, int]] = []
    while len(others) < len(removed):
        u, v = sorted(rng.integers(0, graph.num_vertices, 2).tolist())
        if u != v and (u, v) not in known:
            others.append((u, v))
    return np.delete(pairs, removed, axis=0), pairs[removed], np.array(others)


def warm(sides: dict[str, Callable[..., Any]], file: pathlib.Path, given: Any, training: Any) -> None:
    """Compiles what numba and the imports of each side compile."""
    np.savetxt(file, [(0, 1), (1, 2), (2, 0)], fmt="%d", delimiter="\t")
    for side in sides.values():
        side(str(file), given, training, 0)


def trained(sentences: Any, training: Any, seed: int, begin: float) -> tuple[Any, float, float]:
    before = time.process_time() - begin
    vectors = Word2Vec(sentences, seed=seed, **training).wv
    return vectors, time.process_time() - begin, before


def ours(file: str, given: Any, training: Any, seed: int) -> tuple[Any, float, float]:
    begin = time.process_time()
    graph = gnd.read(file, symmetric=True, ids="text")
    node2vec = gnd.embeddings.Node2Vec(
        graph, given.size, given.length + 1, given.walks, given.p, given.q, seed=seed, device="cpu"
    )
    vectors = node2vec.fit(**training).wv
    end = time.process_time()
    for _ in node2vec.walks:  # fit samples the walks while gensim reads them: their part of the time
        pass
    return vectors, end - begin, time.process_time() - end


def pecanpy(file: str, given: Any, training: Any, seed: int) -> tuple[Any, float, float]:
    begin = time.process_time()
    peer = SparseOTF(p=given.p, q=given.q, workers=1, verbose=False, random_state=seed)
    peer.read_edg(file, weighted=False, directed=False)
    return trained(peer.simulate_walks(given.walks, given.length), training, seed, begin)


def package(file: str, given: Any, training: Any, seed: int) -> tuple[Any, float, float]:
    begin = time.process_time()
    graph = networkx.read_edgelist(file)
    peer = Node2Vec(graph, given.size, given.length + 1, given.walks, given.p, given.q, seed=seed, quiet=True)
    return trained(peer.walks, training, seed, begin)


def auc(vectors: Any, removed: Any, others: Any, seed: int) -> float:
    pairs, labels = np.concatenate([removed, others]), np.repeat([1, 0], [len(removed), len(others)])
    features = vectors[list(map(str, pairs[:, 0]))] * vectors[list(map(str, pairs[:, 1]))]
    train = np.random.default_rng([seed, 1]).random(len(labels)) < 0.5
    classifier: Any = LogisticRegression(max_iter=1000).fit(features[train], labels[train])
    return float(roc_auc_score(labels[~train], classifier.decision_function(features[~train])))


def spread(values: Any) -> str:
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.3f} ± {deviation:.3f}"


SIDES: dict[str, Callable[..., Any]] = {"gonextdoor": ours, "PecanPy": pecanpy, "node2vec": package}


if __name__ == "__main__":
    main()
