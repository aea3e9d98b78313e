"""Snowball sampling (Goodman, 1961; C-SAW, SC'20): all neighbours of all vertices found so far, each vertex once."""

import gonextdoor as gnd


def snowball(depth):
    return gnd.App(sample_size="all", steps=depth, unique="sample", weighted=False)


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    print(gnd.sample(graph, snowball(2), roots=3, seed=7).lengths)
