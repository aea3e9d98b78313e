"""node2vec+ (Liu, Hirn and Krishnan, Bioinformatics 2023): node2vec that reads the weights of the previous vertex.

The noise threshold of a vertex is the mean weight of its edges plus ``gamma`` standard deviations. An edge from the
previous vertex to a candidate counts only if its weight reaches the candidate's threshold; below it, the bias changes
linearly from 1/q to 1. PecanPy has it as ``extend=True``. The graph has weights, both directions of each edge, and no
parallel edges.
"""

import numpy as np

import gonextdoor as gnd


def edge_bias(ctx, edge, dst):
    weight = ctx.weight(edge)
    if ctx.prev == gnd.NULL:
        return weight
    if dst == ctx.prev:
        return weight * ctx.back
    # The edge from the previous vertex to the candidate, by binary search: rows are sorted by end point.
    low = 0
    high = ctx.degree(ctx.prev)
    for _ in range(32):
        if low < high:
            middle = (low + high) // 2
            if ctx.neighbor(ctx.prev, middle) < dst:
                low = middle + 1
            else:
                high = middle
    linked = 0.0
    if low < ctx.degree(ctx.prev) and ctx.neighbor(ctx.prev, low) == dst:
        linked = ctx.weight(ctx.edge(ctx.prev, low))
    if linked >= ctx.noise[dst]:
        return weight
    if weight < ctx.noise[ctx.transit]:
        return weight * min(1.0, ctx.away)
    return weight * (ctx.away + (1.0 - ctx.away) * (linked / ctx.noise[dst]))


def bound(ctx):
    return ctx.most * ctx.max_weight(ctx.transit)


def noise_thresholds(graph, gamma=0.0):
    """The mean weight of each row plus gamma standard deviations, at least 0."""
    rows = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    weights = np.asarray(graph.weights, np.float64)
    count = np.maximum(graph.degrees(), 1)
    mean = np.bincount(rows, weights, graph.num_vertices) / count
    square = np.bincount(rows, (weights - mean[rows]) ** 2, graph.num_vertices) / count
    return np.maximum(mean + gamma * np.sqrt(square), 0.0)


def node2vec_plus(graph, p=1.0, q=1.0, length=80, gamma=0.0):
    params = {"back": 1 / p, "away": 1 / q, "most": max(1 / p, 1.0, 1 / q)}
    arrays = {"noise": noise_thresholds(graph, gamma)}
    return gnd.App(edge_bias=edge_bias, bound=bound, steps=length, params=params, arrays=arrays)


if __name__ == "__main__":
    graph = gnd.rmat(10, 8, weights=(1, 5), seed=1)
    app = node2vec_plus(graph, p=2, q=0.5, length=10, gamma=0.5)
    print(gnd.sample(graph, app, roots=3, seed=7).numpy())
