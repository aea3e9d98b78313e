"""Common mistakes are refused with what to type instead, and that works."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

GRAPH = corpus.graph()
HETERO = gnd.HeteroGraph({("a", "to", "a"): GRAPH}, {"a": GRAPH.num_vertices})
WALK = gnd.apps.DeepWalk(3)
ROOTS = np.array([1, 2, 3])
MASK = np.arange(GRAPH.num_vertices) < 3
LABELS = ["cites", "writes"]
DAYS = np.array(["2020-01-01", "2021-01-01"], "datetime64[D]")


def sample(roots: Any, **options: Any) -> Any:
    return gnd.sample(GRAPH, WALK, roots, seed=1, **options)


def batch(seed_nodes: Any) -> Any:
    return gnd.PGSampler([2], seed=1).sample(GRAPH, seed_nodes)


def draw(seed_nodes: Any) -> Any:
    return gnd.NeighborSampler(GRAPH, [2]).draw(seed_nodes, 1)


def edges(**options: Any) -> gnd.Graph:
    return gnd.Graph.from_edges([0, 1], [1, 0], **options)


NUMBER_THEM = "number them with np.unique(labels, return_inverse=True)[1]"

Case = tuple[Callable[[], Any], type[Exception], str]

GIVEN_AS_INTS: list[Case] = [
    (functools.partial(call, values), TypeError, f"{name}: expected an array of ints, got {text}")
    for name, call in (("roots", sample), ("seed_nodes", batch), ("seed_nodes", draw))
    for values, text in (
        (ROOTS.astype(float), f"float64 of shape (3,): pass {name}.astype(np.int64)"),
        ([1.0, 2.0], f"float64 of shape (2,): pass np.asarray({name}).astype(np.int64)"),
        ([1.0, 2.5], f"float64 of shape (2,): {name}[1] = 2.5 is not a whole number"),
        ([1.0, np.nan], f"float64 of shape (2,): {name}[1] = nan is not a whole number"),
        ([np.inf], f"float64 of shape (1,): {name}[0] = inf is not a whole number"),
        (MASK, f"bool of shape (200,): a mask selects by position, pass np.flatnonzero({name})"),
        (2.0, "float64 of shape ()"),
        ({1, 2, 3}, f"set: pass list({name})"),
        ((v for v in (1, 2)), f"generator: pass list({name})"),
    )
]

CASES: list[Case] = [
    *GIVEN_AS_INTS,
    # arrays of graphs
    (
        lambda: gnd.Graph.from_edges([0.0], [1]),
        TypeError,
        "src: dtype float64, expected an integer dtype of at most 64 bits; if all values are whole numbers, pass "
        "src.astype(np.int64)",
    ),
    (lambda: edges(labels=LABELS), TypeError, f"labels: expected an array of numbers, got dtype <U6: {NUMBER_THEM}"),
    (
        lambda: edges(labels=np.array(LABELS, object)),
        TypeError,
        f"labels[0] = 'cites': expected a number: {NUMBER_THEM}",
    ),
    (lambda: edges(weights=["1.5", "2"]), TypeError, "got dtype <U3: pass np.asarray(weights).astype(np.float64)"),
    (
        lambda: edges(weights={1.0, 2.0}),
        TypeError,
        "weights: expected an array of numbers, got set: pass list(weights)",
    ),
    (
        lambda: gnd.HeteroGraph(HETERO.relations, HETERO.num_vertices, times={"a": np.repeat(DAYS, 100)}),
        TypeError,
        "times['a'] has dates, but the times of this graph are integers without a unit",
    ),
    # apps
    (
        lambda: gnd.sample(GRAPH, gnd.apps.KHop),  # type: ignore[arg-type]
        TypeError,
        "app: expected one of gonextdoor.apps or a gonextdoor.App, got the class KHop: call it, KHop(fanouts=...)",
    ),
    (
        lambda: gnd.sample(GRAPH, type("Mine", (gnd.apps.KHop,), {})),
        TypeError,
        "the class test_advice.Mine: call it, Mine(fanouts=...)",
    ),  # type: ignore[arg-type]
    (lambda: gnd.sample(GRAPH, gnd.App), TypeError, "got the class App: call it, App("),  # type: ignore[arg-type]
    (
        lambda: gnd.NextDoor(GRAPH, gnd.apps.RandomEdge),  # type: ignore[arg-type]
        TypeError,
        "got the class RandomEdge: call it, RandomEdge(n=...)",
    ),
    (
        lambda: gnd.visit_counts(GRAPH, "deepwalk"),  # type: ignore[arg-type]
        TypeError,
        "got 'deepwalk': did you mean gonextdoor.apps.DeepWalk?",
    ),
    (
        lambda: gnd.sample(GRAPH, gnd.PGSampler([3])),  # type: ignore[arg-type]
        TypeError,
        "it draws mini-batches, call its method sample(graph, seed_nodes)",
    ),
    (
        lambda: gnd.sample(GRAPH, gnd.NeighborSampler(GRAPH, [3])),  # type: ignore[arg-type]
        TypeError,
        "it draws mini-batches, call its method draw(seed_nodes, batch_seed)",
    ),
    (
        lambda: gnd.sample(GRAPH, lambda ctx: 1),  # type: ignore[arg-type]
        TypeError,
        "functions are arguments of gonextdoor.App, such as edge_bias=",
    ),
    # names
    (
        lambda: gnd.apps.Deepwalk,
        AttributeError,
        "'gonextdoor.apps' has no attribute 'Deepwalk': did you mean DeepWalk?",
    ),
    (lambda: gnd.apps.GraphSage, AttributeError, "did you mean GraphSAINT?"),
    (lambda: gnd.apps.xyz, AttributeError, "module 'gonextdoor.apps' has no attribute 'xyz'"),
    (lambda: gnd.Sample, AttributeError, "module 'gonextdoor' has no attribute 'Sample': did you mean sample?"),
    (lambda: gnd.Node2vec, AttributeError, "did you mean gonextdoor.apps.Node2Vec?"),
    (lambda: gnd._xyz, AttributeError, "module 'gonextdoor' has no attribute '_xyz'"),
    # memory
    (
        lambda: sample(None, repeat=1 << 40),
        MemoryError,
        "ask for fewer roots or repeats at a time (first_id continues), or use visit_counts",
    ),
    (
        lambda: gnd.sample(GRAPH, gnd.apps.PPR(1e-15), [0]),
        MemoryError,
        "for 1 sample: ask for shorter samples, or use visit_counts",
    ),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_advice(case: int) -> None:
    call, kind, text = CASES[case]
    with pytest.raises(kind) as refusal:
        call()
    assert text in str(refusal.value)
    if text.endswith(("'xyz'", "'_xyz'", "of shape ()")):
        assert str(refusal.value) == text


def test_what_is_advised_works() -> None:
    for call in (sample, batch, draw):
        for values in (ROOTS.astype(float).astype(np.int64), np.flatnonzero(MASK), list({1, 2, 3})):
            call(values)
    labelled = edges(labels=np.unique(LABELS, return_inverse=True)[1]).labels
    assert labelled is not None and labelled.tolist() == [0, 1]
    whole = sample([3, 4, 5])
    parts = [sample([3, 4]), sample([5], first_id=2)]
    assert np.array_equal(whole.numpy(), np.concatenate([part.numpy() for part in parts]))


def stand_in(package: str, name: str, **attributes: Any) -> Any:
    """An object whose class has this name, of a package that need not be installed."""
    return type(name, (), {"__module__": f"{package}.inner", **attributes})()


NOT_GRAPHS: list[tuple[Any, str]] = [
    ("edges.txt", "str: load it with gonextdoor.read('edges.txt')"),
    (Path("edges.txt"), "gonextdoor.read('edges.txt')"),
    (stand_in("igraph", "Graph"), "igraph.Graph: use gonextdoor.Graph.from_igraph(graph)"),
    (stand_in("polars", "DataFrame"), "polars.DataFrame: use gonextdoor.Graph.from_arrow(graph)"),
    (np.eye(3), "numpy.ndarray: use gonextdoor.Graph.from_scipy(scipy.sparse.csr_array(graph))"),
    ([(0, 1)], "list: use gonextdoor.Graph.from_edges(src, dst)"),
    (gnd.Graph, "the class Graph: pass a graph, not a class"),
    (None, "got NoneType"),
]


def refused(given: Any) -> list[str]:
    """What the functions that take a graph say of something else."""
    calls: list[Callable[[], Any]] = [
        lambda: gnd.sample(given, WALK),
        lambda: gnd.visit_counts(given, WALK),
        lambda: gnd.NextDoor(given, WALK),
        lambda: gnd.PGSampler([2]).sample(given, [0]),
        lambda: gnd.NeighborSampler(given, [2]),
    ]
    texts = []
    for call in calls:
        with pytest.raises(TypeError, match=r"^graph: expected a gonextdoor\.Graph") as refusal:
            call()
        texts.append(str(refusal.value))
    return texts


@pytest.mark.parametrize(("given", "advice"), NOT_GRAPHS, ids=lambda x: type(x).__name__)
def test_something_else_as_graph(given: Any, advice: str) -> None:
    for text in refused(given):
        assert text.endswith(advice)


DIRECTED: list[tuple[Any, str, str]] = [  # for walks, for mini-batches
    (stand_in("dgl", "DGLGraph"), "Graph.from_dgl(graph, edge_dir='out')", "Graph.from_dgl(graph, edge_dir='in')"),
    (stand_in("torch_geometric", "BaseData"), "from_pyg(graph, edge_dir='out')", "from_pyg(graph, edge_dir='in')"),
    (
        stand_in("torch", "Tensor", shape=(2, 7)),
        "torch.Tensor: use gonextdoor.Graph.from_edges(graph[0], graph[1]), whose rows list out-edges",
        "torch.Tensor: use gonextdoor.Graph.from_edges(graph[1], graph[0]), whose rows list in-edges",
    ),
    (np.zeros((2, 7), int), "from_edges(graph[0], graph[1]), whose rows list out-edges", "rows list in-edges"),
]


@pytest.mark.parametrize(("given", "walks", "batches"), DIRECTED, ids=lambda x: type(x).__name__)
def test_edges_with_a_direction_as_graph(given: Any, walks: str, batches: str) -> None:
    texts = refused(given)
    assert all(text.endswith(walks) for text in texts[:3])
    assert all(text.endswith(batches) for text in texts[3:])


def test_a_graph_of_several_types_as_graph() -> None:
    with pytest.raises(TypeError, match=r"got HeteroGraph: pass one of graph\.relations, or sample batches with"):
        gnd.sample(HETERO, WALK)  # type: ignore[arg-type]


def test_a_folder_as_graph(tmp_path: Path) -> None:
    GRAPH.save(tmp_path / "graph")
    folder = str(tmp_path / "graph")
    assert all(text.endswith(f"load it with gonextdoor.Graph.open({folder!r})") for text in refused(folder))


def test_graphs_of_other_packages_as_graph() -> None:
    networkx = pytest.importorskip("networkx")
    for kind in (networkx.Graph, networkx.DiGraph, networkx.MultiGraph):
        for text in refused(kind([(0, 1)])):
            assert text.endswith(f"got networkx.{kind.__name__}: use gonextdoor.Graph.from_networkx(graph)")
    sparse = pytest.importorskip("scipy.sparse")
    for matrix in (sparse.csr_matrix((3, 3)), sparse.coo_array((3, 3)), sparse.lil_matrix((3, 3))):
        assert all(text.endswith(": use gonextdoor.Graph.from_scipy(graph)") for text in refused(matrix))
    pandas = pytest.importorskip("pandas")
    for text in refused(pandas.DataFrame({"a": [0], "b": [1]})):
        assert text.endswith("pandas.DataFrame: use gonextdoor.Graph.from_pandas(graph, source=..., target=...)")


@pytest.mark.parametrize("name", ["networkx", "igraph", "scipy", "pandas", "arrow", "dgl", "pyg", "edges"])
def test_the_constructors_that_are_advised_exist(name: str) -> None:
    if name in ("igraph", "arrow") and not hasattr(gnd.Graph, f"from_{name}"):
        pytest.skip(f"Graph.from_{name} is not there yet")
    assert callable(getattr(gnd.Graph, f"from_{name}"))


def test_names_of_ctx() -> None:
    pytest.importorskip("llvmlite")

    def heavier(ctx: Any, edge: int, dst: int) -> float:
        return ctx.weigth(edge)  # type: ignore[no-any-return]

    def farther(ctx: Any, edge: int, dst: int) -> int:
        return ctx.steps + 1  # type: ignore[no-any-return]

    for hook, text in ((heavier, "ctx has no method 'weigth': did you mean ctx.weight?"), (farther, "ctx.step?")):
        with pytest.raises((gnd.AppError, TypeError, ValueError, SyntaxError)) as refusal:
            gnd.sample(GRAPH, gnd.App(edge_bias=hook, steps=3), [0])
        assert text in str(refusal.value)
