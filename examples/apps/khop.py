"""k-hop neighbourhoods (GraphSAGE: Hamilton et al., NIPS'17): every vertex takes some of its edges, without
replacement."""

import gonextdoor as gnd


def khop(fanouts, replace=False):
    return gnd.App(sample_size=fanouts, steps=len(fanouts), replace=replace, weighted=False)


if __name__ == "__main__":
    graph = gnd.rmat(12, seed=1)
    print(gnd.sample(graph, khop([4, 2]), roots=3, seed=7).numpy())
