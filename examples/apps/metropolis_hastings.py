"""Metropolis-Hastings walk (C-SAW, SC'20; Gjoka et al., INFOCOM'10): a neighbour is proposed and accepted with
probability min(1, degree here / degree there), so that on an undirected graph every vertex is visited equally
often in the end."""

import gonextdoor as gnd


def move_or_stay(ctx, edge, dst):
    if ctx.below(0, ctx.degree(dst)) < ctx.degree(ctx.transit):
        return dst
    return ctx.transit


def metropolis_hastings(length):
    return gnd.App(update=move_or_stay, steps=length, weighted=False)


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    print(gnd.sample(graph, metropolis_hastings(10), roots=3, seed=7).numpy())
