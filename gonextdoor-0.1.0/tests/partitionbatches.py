"""What the tests of mini-batches on partitioned graphs have in common."""

import numpy as np

import gonextdoor as gnd


def graph_of(*, times=False, weights=True, vertices=310, edges=4000):
    """A graph with parallel edges, sinks and a hub."""
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 300, (2, edges))
    src[: edges // 8] = 7
    return gnd.Graph.from_edges(
        src,
        dst,
        num_vertices=vertices,
        weights=rng.integers(0, 5, edges) if weights else None,
        times=rng.integers(0, 50, edges) if times else None,
    )


def same_batch(got, want):
    """Compares two mini-batches, whose arenas may have gaps of different sizes."""
    assert got.num_nodes == want.num_nodes and got.num_edges == want.num_edges
    ours, theirs = got.split(got.arena), want.split(want.arena)
    for name in ("nodes", "trees", "row", "col", "edges"):
        for a, b in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            np.testing.assert_array_equal(a, b, err_msg=name)
    for a, b in zip(ours.hops, theirs.hops, strict=True):
        for along, expected in zip(a, b, strict=True):  # by relation
            for x, y in zip(along, expected, strict=True):
                np.testing.assert_array_equal(x, y)


class Losing(gnd.partition.InProcess):
    """A transport whose parts are lost at some calls, counted from 0."""

    def __init__(self, graph, lost):
        super().__init__(graph, threads=1)
        self.lost, self.calls, self.restarts = set(lost), 0, []

    def result(self, ticket):
        call, self.calls = self.calls, self.calls + 1
        if call in self.lost:
            raise gnd.partition.PartLostError(1, "a test")
        return super().result(ticket)

    def restart(self, part):
        self.restarts.append(part)
        super().restart(part)
