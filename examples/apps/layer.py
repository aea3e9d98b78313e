"""Layer sampling (Gao et al., KDD'18; NextDoor, EuroSys'21): each step takes some vertices of the combined
neighbourhood of all those that it expands, no vertex twice in a step, until the sample is full."""

import gonextdoor as gnd


def up_to(ctx):
    return min(ctx.step_size, ctx.max_size - ctx.size)


def layer(step_size=1000, max_size=2000):
    return gnd.App(
        sample_size=up_to,
        steps=gnd.INF,
        scope="collective",
        unique="step",
        weighted=False,
        params={"step_size": step_size, "max_size": max_size},
    )


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    samples = gnd.sample(graph, layer(50, 100), [[0, 1, 2]], seed=7)
    print([step.shape for step in samples.steps])
