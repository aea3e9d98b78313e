"""Random walk with restart (C-SAW, SC'20; Tong et al., ICDM'06): with a probability the walk returns to its root."""

import gonextdoor as gnd


def again_or_on(ctx, edge, dst):
    if ctx.chance(0) < ctx.again:
        return ctx.root(0)
    return dst


def restart(length, probability):
    return gnd.App(update=again_or_on, steps=length, params={"again": round(probability * 2**32)})


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    print(gnd.sample(graph, restart(10, 0.3), roots=3, seed=7).numpy())
