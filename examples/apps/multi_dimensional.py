"""Multi-dimensional random walk, or frontier sampling (Ribeiro and Towsley, IMC'10): a vertex of the pool is drawn
by its degree, and the neighbour that it chooses takes its place."""

import numpy as np

import gonextdoor as gnd


def by_degree(ctx, v):
    return ctx.degree(v)


def multi_dimensional(length):
    return gnd.App(vertex_bias=by_degree, steps=length, weighted=False)


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    pools = np.random.default_rng(1).integers(0, graph.num_vertices, (3, 100))
    print(gnd.sample(graph, multi_dimensional(10), pools, seed=7).numpy()[:, 100:])
