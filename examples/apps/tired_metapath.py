"""An app that no library has: labels, weights, an attribute of the vertices and one of the edges, and a walk that
tires.

An array that is indexed by an edge has the order of the user's input, whatever the order inside the graph.
"""

import numpy as np

import gonextdoor as gnd


def edge_bias(ctx, edge, dst):
    if ctx.label(edge) != ctx.path[ctx.step % ctx.period]:
        return 0.0
    return ctx.weight(edge) * (1.0 + ctx.alpha * ctx.age[dst]) * ctx.trust[edge]


def tired(ctx):
    return ctx.step > 0 and ctx.chance(0) < ctx.quit


def tired_metapath(path, age, trust, alpha=0.5, stop=0.1, steps=20):
    return gnd.App(
        edge_bias=edge_bias,
        stop=tired,
        steps=steps,
        params={"alpha": float(alpha), "period": len(path), "quit": round(stop * 2**32)},
        arrays={"path": np.asarray(path, np.uint8), "age": age, "trust": trust},
    )


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    n, m = 1000, 20000
    src, dst = rng.integers(0, n, (2, m))
    graph = gnd.Graph.from_edges(src, dst, weights=rng.random(m), labels=rng.integers(0, 3, m))
    app = tired_metapath([0, 1, 2, 1], rng.random(n), rng.random(m))
    print(gnd.sample(graph, app, roots=3, seed=7).numpy())
