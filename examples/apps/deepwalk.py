"""DeepWalk (Perozzi et al., KDD'14), twice: with no hook at all, and with a ``next`` that makes the choice itself.

An App without hooks chooses among the edges by their weights, or equally, as the built-in walks do: so ``plain``
gives the very samples of ``gnd.apps.DeepWalk``. ``by_next`` draws its own number, so it gives others of the same
distribution.
"""

import gonextdoor as gnd


def uniform(ctx):
    degree = ctx.degree(ctx.transit)
    if degree == 0:
        return gnd.NULL
    return ctx.neighbor(ctx.transit, ctx.below(0, degree))


def plain(length=80, weighted="auto"):
    return gnd.App(steps=length, weighted=weighted)


def by_next(length=80):
    return gnd.App(next=uniform, steps=length)


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    ours = gnd.sample(graph, plain(20), seed=7).numpy()
    assert (ours == gnd.sample(graph, gnd.apps.DeepWalk(20), seed=7).numpy()).all()
    print(gnd.sample(graph, by_next(20), roots=3, seed=7).numpy())
