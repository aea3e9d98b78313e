"""Biases that papers publish, as users' hooks: their bounds, and the steps per second of walks on a CPU core or a GPU.

    python benchmarks/biases.py [--scale 20] [--device cpu] [--only NAME]

The graph is an R-MAT graph whose edges have weights, times and labels. TemporalWalk is measured for comparison. Each
figure is the best of some runs, of walks that remain on their device; slow hooks have fewer walks and runs. On a CPU,
the table of edges that has_edge reads is built before, by walks of Node2Vec.
"""

from __future__ import annotations

import argparse
import functools
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gonextdoor as gnd

STEPS = 40

# ---- biases of the edge and its ends


def time_decay(ctx, edge, dst):  # the decay of CTDNE: Nguyen et al., WWW'18 companion
    return ctx.weight(edge) * ctx.decay[1000 - ctx.time(edge)]


def over_degree(ctx, edge, dst):  # resource allocation: Zhou et al., EPJ B 71 (2009)
    return ctx.weight(edge) / ctx.degree(dst)


def metapath(ctx, edge, dst):  # metapath2vec: Dong et al., KDD'17
    return 1.0 if ctx.kind[dst] == (ctx.step + 1) % 3 else 0.0


def crosswalk(ctx, edge, dst):  # CrossWalk: Khajehnejad et al., AAAI'22
    return ctx.weight(edge) * (0.3 if ctx.kind[dst] == ctx.kind[ctx.transit] else 0.7)


def distance(ctx, edge, dst):  # proximity in space
    a = ctx.x[dst] - ctx.x[ctx.transit]
    b = ctx.y[dst] - ctx.y[ctx.transit]
    return 1.0 / (1.0 + a * a + b * b)


def popularity(ctx, edge, dst):  # preference for popular vertices
    return ctx.pop[dst] * ctx.weight(edge)


def fairwalk(ctx, edge, dst):  # Fairwalk: Rahman et al., IJCAI'19: groups of neighbours are equally likely
    return 1.0 / ctx.of_kind[3 * ctx.transit + ctx.kind[dst]]


def max_entropy(ctx, edge, dst):  # Burda et al., PRL 102 (2009), with any vector as the eigenvector
    return ctx.pop[dst]


def degree_biased(ctx, edge, dst):  # Gomez-Gardenes and Latora, PRE 78 (2008), exponent -1/2
    return 1.0 / math.sqrt(ctx.degree(dst))


def levy(ctx, edge, dst):  # after Riascos and Mateos, PRE 86 (2012): Levy flights, here in space
    a = ctx.x[dst] - ctx.x[ctx.transit]
    b = ctx.y[dst] - ctx.y[ctx.transit]
    return ctx.power(math.sqrt(a * a + b * b))


def struc2vec(ctx, edge, dst):  # struc2vec: Ribeiro et al., KDD'17, with the degree as structure
    return ctx.closeness(abs(ctx.log(ctx.degree(dst)) - ctx.log(ctx.degree(ctx.transit))))


def similar(ctx, edge, dst):  # after GraphRNA: Huang et al., KDD'19: similar attributes
    total = 0.0
    for i in range(8):
        total += ctx.emb[8 * dst + i] * ctx.emb[8 * ctx.transit + i]
    return total


# ---- biases that read the walk's past


def node2vec(ctx, edge, dst):  # Grover and Leskovec, KDD'16
    if ctx.prev == gnd.NULL or ctx.has_edge(ctx.prev, dst):
        return 1.0
    return 0.5 if dst == ctx.prev else 2.0


def node2vec_plus(ctx, edge, dst):  # node2vec+: Liu et al., Bioinformatics 39 (2023)
    w = ctx.weight(edge)
    if ctx.prev == gnd.NULL:
        return w
    if dst == ctx.prev:
        return w * 0.5
    if ctx.has_edge(ctx.prev, dst) and w >= ctx.mean[dst]:
        return w
    return w * 2.0


def ctdne(ctx, edge, dst):  # CTDNE: Nguyen et al., WWW'18 companion
    return 1.0 if ctx.step == 0 or ctx.time(edge) > ctx.time(ctx.prev_edge) else 0.0


def avoid(ctx, edge, dst):  # tabu lists: Altisen et al., SIROCCO'12
    for i in range(1, 6):
        if i <= ctx.step and ctx.count(i) > 0 and ctx.previous(i, 0) == dst:
            return 0.0
    return 1.0


def change_label(ctx, edge, dst):  # a walk that rarely stays in a layer
    return 1.0 if ctx.step == 0 or ctx.label(edge) != ctx.label(ctx.prev_edge) else 0.1


def other_label(ctx, edge, dst):  # the same without staying
    return ctx.step == 0 or ctx.label(edge) != ctx.label(ctx.prev_edge)


def near_root(ctx, edge, dst):  # a walk that stays near its root
    return 2.0 if ctx.has_edge(ctx.root(0), dst) else 1.0


def non_backtracking(ctx, edge, dst):  # Alon et al., Commun. Contemp. Math. 9 (2007)
    return 0 if dst == ctx.prev and ctx.degree(ctx.transit) > 1 else 1


def autoregressive(ctx, edge, dst):  # Wu et al., "Remember where you came from", VLDB'16
    return 1.0 if ctx.prev != gnd.NULL and ctx.has_edge(ctx.prev, dst) else 0.8


def self_avoiding(ctx, edge, dst):  # the true self-avoiding walk: Amit et al., PRB 27 (1983), of the last 8 vertices
    n = 0
    for i in range(1, 9):
        if i <= ctx.step and ctx.previous(i, 0) == dst:
            n += 1
    return ctx.exp(-0.7 * n)


def reinforced(ctx, edge, dst):  # the vertex-reinforced walk: Pemantle, PTRF 92 (1992), of the last 6 vertices
    n = 1
    for i in range(1, 7):
        if i <= ctx.step and ctx.previous(i, 0) == dst:
            n += 1
    return n


def just(ctx, edge, dst):  # JUST: Hussein et al., CIKM'18: the longer a walk stayed among a kind, the likelier it jumps
    stayed = 0
    for i in range(1, 5):
        if i > ctx.step or ctx.kind[ctx.previous(i, 0)] != ctx.kind[ctx.transit]:
            break
        stayed += 1
    stay = ctx.exp(-0.7 * stayed)
    return stay if ctx.kind[dst] == ctx.kind[ctx.transit] else 1.05 - stay


def ehna(ctx, edge, dst):  # EHNA: Huang et al., ICDE'20: back in time, recent edges first
    if ctx.step == 0:
        return ctx.weight(edge)
    ago = ctx.time(ctx.prev_edge) - ctx.time(edge)
    return ctx.weight(edge) * ctx.exp(-0.002 * ago) if ago >= 0 else 0.0


HOOKS = [
    time_decay, over_degree, metapath, ctdne, avoid, crosswalk, distance, popularity, change_label, node2vec_plus,
    node2vec, other_label, near_root,
]  # fmt: skip
MORE = [
    fairwalk, max_entropy, degree_biased, levy, struc2vec, similar, non_backtracking, autoregressive, self_avoiding,
    reinforced, just, ehna,
]  # fmt: skip


def inputs(scale: int) -> tuple[gnd.Graph, dict[str, Callable[[], Any]]]:
    """The graph, and the arrays of the hooks."""
    random = np.random.default_rng(1)
    base = gnd.rmat(scale, 16, seed=3).to_scipy().tocoo()
    n, m = base.shape[0], base.nnz
    graph = gnd.Graph.from_edges(
        base.row, base.col, weights=random.uniform(1, 5, m).astype(np.float32), times=random.integers(0, 1000, m),
        labels=random.integers(0, 4, m), num_vertices=n, symmetric=True,
    )  # fmt: skip
    kind, (x, y) = random.integers(0, 3, n), random.normal(size=(2, n))

    def of_kind() -> Any:
        source = np.repeat(np.arange(n), graph.degrees())
        return np.bincount(3 * source + kind[graph.indices], minlength=3 * n).astype(np.float64)

    return graph, {
        "kind": lambda: kind, "x": lambda: x, "y": lambda: y, "of_kind": functools.cache(of_kind),
        "decay": lambda: np.exp(-np.arange(1001) / 100.0), "mean": lambda: random.uniform(1, 5, n),
        "pop": lambda: random.uniform(0.1, 9, n), "exp": lambda: gnd.table(math.exp, -6, 0, 4097),
        "log": lambda: gnd.table(math.log, 1, 65536, 65536), "power": lambda: gnd.table(power, 0, 8, 4097),
        "emb": lambda: np.abs(random.normal(size=8 * n)),
        "closeness": lambda: gnd.table(lambda d: math.exp(-d), 0, 12, 4097),
    }  # fmt: skip


def power(x: float) -> float:
    return max(x, 0.25) ** -1.5


def rate(graph: gnd.Graph, app: Any, device: str) -> float:
    """Steps per second of the best run."""
    few, many = (1 << 9, 1 << 17) if device == "cpu" else (1 << 12, graph.num_vertices)
    clock = time.process_time if device == "cpu" else time.perf_counter
    rest = {"threads": 1} if device == "cpu" else {}
    best = 0.0
    for run, roots in enumerate((few, few, many, many, many)):
        begin = clock()
        lengths = gnd.sample(graph, app, roots, seed=run, device=device, **rest).lengths
        seconds = clock() - begin
        figure = (int(np.asarray(lengths).sum()) - roots) / seconds
        best = max(best, figure if run > 1 else 0.0)
        if run == 1 and figure < (7e5 if device == "cpu" else 5e6):
            many = 4 * few
        if run > 1 and seconds > 1.0:
            break
    return best


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--scale", type=int, default=20)
    options.add_argument("--device", default="cpu")
    options.add_argument("--only", default="", help="measure these hooks, with commas between")
    given = options.parse_args()
    graph, arrays = inputs(given.scale)
    if given.device == "cpu":
        second_order = gnd.apps.Node2Vec(p=2, q=0.5, length=STEPS, weighted=False)
        gnd.sample(graph, second_order, graph.num_edges // STEPS, seed=0, device="cpu", threads=1)
    walks = rate(graph, gnd.apps.TemporalWalk(STEPS), given.device)
    print(f"{'TemporalWalk':18s} {walks / 1e6:10.1f} M steps/s", flush=True)
    for hook in [*HOOKS, *MORE]:
        if not given.only or hook.__name__ in given.only.split(","):
            try:
                read = {name: make() for name, make in arrays.items() if name in hook.__code__.co_names}
                app = gnd.App(edge_bias=hook, steps=STEPS, arrays=read)
                figure, bound = rate(graph, app, given.device), gnd.explain(graph, app, device=given.device).bound
                print(f"{hook.__name__:18s} {figure / 1e6:10.1f} M steps/s  {(bound or '')[:90]}", flush=True)
            except (AttributeError, gnd.AppError) as error:  # an older version has no tables
                print(f"{hook.__name__:18s} {error}"[:100], flush=True)


if __name__ == "__main__":
    main()
