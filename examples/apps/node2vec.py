"""node2vec (Grover and Leskovec, KDD'16): an edge's bias depends on the vertex before.

With ``bound`` a neighbour is proposed and accepted with probability bias/bound; without, the whole row is weighed in
one pass. Both draw from the same distribution; which one is used is part of the app's meaning. If the argument is left
out, the library infers this bound.
"""

import gonextdoor as gnd


def edge_bias(ctx, edge, dst):
    weight = ctx.weight(edge)
    if ctx.prev == gnd.NULL:
        return weight
    if dst == ctx.prev:
        return weight * ctx.back
    if ctx.has_edge(ctx.prev, dst):
        return weight
    return weight * ctx.away


def bound(ctx):
    if ctx.prev == gnd.NULL:
        return ctx.max_weight(ctx.transit)
    return ctx.most * ctx.max_weight(ctx.transit)


def node2vec(p, q, length=80, bounded=True):
    params = {"back": 1 / p, "away": 1 / q, "most": max(1 / p, 1.0, 1 / q)}
    if bounded:
        return gnd.App(edge_bias=edge_bias, bound=bound, steps=length, params=params)
    del params["most"]
    return gnd.App(edge_bias=edge_bias, bound=None, steps=length, params=params)


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    print(gnd.sample(graph, node2vec(2, 0.5, 10), roots=3, seed=7).numpy())
