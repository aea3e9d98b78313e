"""MetaPath walks (metapath2vec: Dong et al., KDD'17): at each step only edges with one label lead on."""

import numpy as np

import gonextdoor as gnd


def on_path(ctx, edge, dst):
    if ctx.label(edge) == ctx.path[ctx.step % ctx.period]:
        return 1
    return 0


def one(ctx):
    return 1


def metapath(labels, length=None):
    path = np.asarray(labels, np.int32)
    steps = len(path) if length is None else length
    return gnd.App(edge_bias=on_path, bound=one, steps=steps, params={"period": len(path)}, arrays={"path": path})


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, 1000, (2, 20000))
    graph = gnd.Graph.from_edges(src, dst, labels=rng.integers(0, 3, 20000))
    print(gnd.sample(graph, metapath([0, 1, 2], 9), roots=3, seed=7).numpy())
