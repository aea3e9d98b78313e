"""Personalised PageRank walks (Page et al., 1999): a walk stops with a probability after each step.

Steps have no limit (``gnd.INF``): a sample ends when no transit is left. The built-in PPR decides by another word, so
it gives other samples of the same distribution.
"""

import gonextdoor as gnd


def tired(ctx):
    return ctx.step > 0 and ctx.chance(0) < ctx.quit


def ppr(stop=0.15):
    return gnd.App(stop=tired, steps=gnd.INF, params={"quit": round(stop * 2**32)})


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    walks = gnd.sample(graph, ppr(0.2), repeat=10, seed=7)
    print(walks.lengths.mean() - 1, "steps on average; 5 where no vertex is a sink")
