"""A user's program for type checkers: mypy --strict (``make lint``) and pyright (``make pyright``) read it.

Calls in ``right`` pass. Each call in ``wrong`` is refused: its ignore comment would be unused otherwise, which both
report.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import gonextdoor as gnd


def cheap(ctx: Any, edge: Any, dst: Any) -> Any:
    return 1.0 / ctx.toll[dst]


def apps(graph: gnd.Graph) -> list[gnd.apps.SamplingApp]:
    """One of each app, with lists, tuples and ranges as users pass them."""
    return [
        gnd.apps.DeepWalk(4),
        gnd.apps.PPR(0.2, max_length=8),
        gnd.apps.Node2Vec(p=2, q=0.5, length=4),
        gnd.apps.NonBacktracking(4, weighted="auto"),
        gnd.apps.Walk(bias="degree", length=4),
        gnd.apps.MetropolisHastings(4),
        gnd.apps.Jump(4, probability=0.2),
        gnd.apps.Restart(4, 0.2),
        gnd.apps.MultiIndependent(4),
        gnd.apps.MultiDimensionalWalk(4, dimension=2),
        gnd.apps.MetaPath([0, 0], length=4),
        gnd.apps.TemporalWalk(4, direction="backward", bias="linear"),
        gnd.apps.Negatives(candidates=[1, 2]),
        gnd.apps.NegativePairs(loops=True),
        gnd.apps.KHop([5, 3]),
        gnd.apps.KHop(range(2, 4), weighted=True),
        gnd.apps.Neighbor((5, 3)),
        gnd.apps.Neighbor(2, depth=3, bias=None),
        gnd.apps.Snowball(2, fanout=3),
        gnd.apps.ForestFire(0.5, depth=2),
        gnd.apps.Layer(step_size=3, max_size=5, bias="weight"),
        gnd.apps.FastGCN([5]),
        gnd.apps.LADIES(sizes=[4, 2], normalization="row"),
        gnd.apps.MVS(2, [2, 1], scores=np.ones(graph.num_vertices)),
        gnd.apps.RandomNode(n=5),
        gnd.apps.RandomEdge(5, replace=True),
        gnd.apps.ClusterGCN(np.zeros(graph.num_vertices, np.int64)),
        gnd.apps.GraphSAINT("node", budget=5),
        gnd.App(edge_bias=cheap, steps=4, params={"quit": 1}, arrays={"toll": [1] * graph.num_vertices}),
    ]


def graphs() -> gnd.Graph:
    """The constructors, whose results are graphs."""
    named: gnd.Graph = gnd.Graph.from_edges([("ann", "bob"), ("bob", "cid")], symmetric=True)
    numbers: int | npt.NDArray[Any] = named.ids(["cid", "ann"])
    one: int = named.ids("bob")
    assert one == 1 and isinstance(numbers, np.ndarray)
    made: list[gnd.Graph] = [
        gnd.Graph.from_edges(np.array([0, 1]), np.array([1, 2]), weights=[0.5, 1.0], times=[3, 4]),
        gnd.Graph.from_csr([0, 1, 2], [1, 0], labels=[0, 1]),
        gnd.rmat(6, 8, seed=1, weights=(1, 2), symmetric=True),
        named.reverse(),
    ]
    return made[2]


def right() -> None:
    """Programs of the README and of the tutorials."""
    graph = graphs()
    walks = gnd.sample(graph, gnd.apps.Node2Vec(p=2, q=0.5, length=4), [1, 2], repeat=2, seed=42, device="cpu")
    matrix: npt.NDArray[Any] = walks.numpy()
    words: list[list[str]] = list(walks.sentences())
    assert matrix.shape == (4, 5) and len(words) == len(walks) == 4
    for walk in walks:
        assert walk.size > 0
    everywhere = gnd.sample(graph, gnd.apps.KHop([5, 3]), seed=np.random.default_rng(1), edges=True)
    assert everywhere.edges.shape == (graph.num_vertices, 20) and len(everywhere.steps) == 2
    assert gnd.explain(graph, gnd.apps.PPR(0.2)).selector
    assert gnd.visit_counts(graph, gnd.apps.DeepWalk(3), range(4), seed=1).sum() > 0
    assert gnd.end_points(graph, gnd.apps.PPR(0.5), [3], repeat=10, seed=1).size > 0

    sampler = gnd.PGSampler([5, 10], seed=42, direction="in")
    inputs, outputs, blocks = sampler.sample(graph, range(8))
    assert len(inputs) >= len(outputs) == 8 and [len(block.indices) for block in blocks]
    drawn = gnd.NeighborSampler(graph, [5, -1], replace=True).draw(np.arange(4), batch_seed=7)
    assert drawn.num_nodes[0][0] == 4
    for batch in gnd.loader(graph, [5, 5], batch_size=32, shuffle=True, seed=1, replace=True):
        assert len(batch.num_edges[0]) == 2

    scores = gnd.personalized_pagerank(graph, [{5: 2.0, 9: 1.0}, {3: 1.0}], top_k=4, walks=100, seed=1)
    vertices, values = scores[0]
    assert len(vertices) == len(values)
    rows = gnd.features.open(np.ones((3, 2)))[[2, 0]]
    assert rows.shape == (2, 2)
    hetero = gnd.HeteroGraph(
        {("user", "buys", "item"): gnd.Graph.from_edges([0], [0], num_vertices=2)}, {"user": 2, "item": 1}
    )
    whole, first = hetero.to_homogeneous()
    assert whole.num_vertices == 3 and first["item"] == 2


def wrong(graph: gnd.Graph) -> None:
    """Mistakes that a type checker finds."""
    gnd.apps.KHop("53")  # type: ignore[arg-type]
    gnd.apps.KHop(5)  # type: ignore[arg-type]
    gnd.apps.FastGCN([0.5])  # type: ignore[list-item]
    gnd.apps.MetaPath([0.5])  # type: ignore[arg-type]
    gnd.apps.DeepWalk("80")  # type: ignore[arg-type]
    gnd.apps.DeepWalk(lenght=80)  # type: ignore[call-arg]
    gnd.apps.Node2Vec(p="2")  # type: ignore[arg-type]
    gnd.apps.LADIES([4], normalization="rows")  # type: ignore[arg-type]
    gnd.apps.TemporalWalk(4, direction="out")  # type: ignore[arg-type]
    gnd.apps.DeepWolk(4)  # type: ignore[attr-defined]
    gnd.sample(graph, gnd.apps.DeepWalk)  # type: ignore[arg-type]
    gnd.sample(gnd.apps.DeepWalk(4), graph)  # type: ignore[arg-type]
    gnd.sample(graph, gnd.apps.DeepWalk(4), repeat="2")  # type: ignore[arg-type]
    gnd.sample(graph, gnd.apps.DeepWalk(4), repeats=2)  # type: ignore[arg-type]
    gnd.PGSampler([5], direction="inwards")  # type: ignore[arg-type]
    gnd.PGSampler(["all"])  # type: ignore[list-item]
    gnd.loader(graph, [5], batch_size="32")  # type: ignore[arg-type]
    gnd.Graph.from_edges([0], [1], weight=[1.0])  # type: ignore[call-arg]
    gnd.Graph.from_csr([0, 1], [0], symmetric=True)  # type: ignore[call-arg]
    graph.neighbors([1])  # type: ignore[arg-type]
    graph.ids(1.5).bit_length()  # type: ignore[attr-defined]
    gnd.rmat("10")  # type: ignore[arg-type]
