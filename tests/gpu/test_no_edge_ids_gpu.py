"""Graphs without edge ids on GPUs: the samples of the CPU, or its refusal, for every app, whole and split."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

NEEDS = "needs the ids of edges"


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> gnd.Graph:
    folder: pathlib.Path = tmp_path_factory.mktemp("graphs") / "without"
    corpus.graph(weighted=True).save(folder, edge_ids=False)
    return gnd.Graph.open(folder)


@pytest.fixture(params=["one", "split"])
def graph(request: pytest.FixtureRequest, without: gnd.Graph, gpu: None) -> Iterator[gnd.Graph]:
    """The graph without ids, on one GPU, and with its rows on two."""
    if request.param == "split":
        request.getfixturevalue("two_gpus")
        without.place(["cuda:0", "cuda:1"])
    yield without
    without.place(None)


def outcome(graph: gnd.Graph, app: gnd.apps.SamplingApp, **options: object) -> tuple[object, ...]:
    """The samples of a call as lists, or the text of its error."""
    try:
        made = gnd.sample(graph, app, corpus.roots(app, 0, 30), seed=5, **options)
    except ValueError as refused:
        return (str(refused),)
    return np.asarray(made.values).tolist(), np.asarray(made.offsets).tolist()


@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_samples_are_those_of_the_cpu(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    want = outcome(graph, app, device="cpu")
    assert outcome(graph, app, device="cuda") == want
    if len(want) == 1:
        assert NEEDS in str(want[0])


@pytest.mark.parametrize("app", [gnd.apps.DeepWalk(6), gnd.apps.Node2Vec(2, 0.5, 6), gnd.apps.KHop([3, 2])], ids=repr)
def test_edges_are_refused(graph: gnd.Graph, app: gnd.apps.SamplingApp) -> None:
    with pytest.raises(ValueError, match=f"edges = True {NEEDS}"):
        gnd.sample(graph, app, seed=1, edges=True, device="cuda")


@pytest.mark.parametrize("layout", ["coo", "csc"])
@pytest.mark.parametrize("weighted", [False, True])
def test_mini_batches(graph: gnd.Graph, layout: str, weighted: bool) -> None:
    there, here = (
        gnd.NeighborSampler(graph, [4, 3], layout=layout, weighted=weighted, device=device)
        for device in ("cuda", "cpu")
    )
    got, want = there.sample([3, 7], 1), here.sample([3, 7], 1)
    assert np.array_equal(np.asarray(got.nodes), want.nodes)
    for mine, theirs in zip(got.split(got.arena).hops, want.split(want.arena).hops, strict=True):
        assert np.array_equal(np.asarray(mine[0][1]), theirs[0][1])
        assert mine[0][2] is None
    if layout == "coo":
        with pytest.raises(ValueError, match=rf"batch\.edges {NEEDS}"):
            got.edges  # noqa: B018
    with pytest.raises(ValueError, match=rf"exclude\[0\] = 5 {NEEDS}"):
        there.sample([3, 7], 1, exclude=[5])
