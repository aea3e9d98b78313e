"""Random walk with jump (C-SAW, SC'20; Ribeiro et al.): with a probability the walk continues at a random vertex."""

import gonextdoor as gnd


def anywhere_or_on(ctx, edge, dst):
    if ctx.chance(0) < ctx.leap:
        return ctx.below(1, ctx.num_vertices)
    return dst


def jump(length, probability):
    return gnd.App(update=anywhere_or_on, steps=length, params={"leap": round(probability * 2**32)})


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    print(gnd.sample(graph, jump(10, 0.3), roots=3, seed=7).numpy())
