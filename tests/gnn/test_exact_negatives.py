"""Exact negative links: PyG's functions, their distribution, and the option of the loader."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
import torch
import torch_geometric.utils as pyg_utils
from gonextdoor.pyg import (
    ExactNegativeSampling,
    LinkNeighborLoader,
    NeighborSampler,
    negative_sampling,
    structured_negative_sampling,
)
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import LinkLoader


def pairs(index: torch.Tensor) -> list[tuple[int, ...]]:
    return [tuple(pair) for pair in index.t().tolist()]


def edges(n: int, count: int) -> torch.Tensor:
    return torch.randint(n, (2, count), generator=torch.Generator().manual_seed(n))


@pytest.mark.parametrize("wanted", [None, 3, 0.5, 10**6])
@pytest.mark.parametrize(("n", "count"), [(5, 8), (30, 400), (100, 300)])
def test_pairs_are_different_and_no_edges_as_in_pyg(n: int, count: int, wanted: Any) -> None:
    torch.manual_seed(1)
    index = edges(n, count)
    both = torch.cat([index, index.flip(0)], dim=1)
    two = torch.stack([index[0] // 2, index[1]])
    for given, options in (
        (index, {"num_nodes": n}),
        (two, {"num_nodes": (n // 2 + 1, n)}),
        (both, {"num_nodes": n, "force_undirected": True}),
    ):
        drawn = pairs(negative_sampling(given, num_neg_samples=wanted, **options))  # type: ignore[arg-type]
        assert len(set(drawn)) == len(drawn)
        assert not set(drawn) & set(pairs(given))
        assert given is two or all(u != v for u, v in drawn)
        assert given is not both or {(v, u) for u, v in drawn} == set(drawn)
        if wanted == 10**6:  # all there are
            assert len(drawn) == pyg_utils.negative_sampling(given, num_neg_samples=wanted, **options).size(1)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"force_undirected": True}, {"num_nodes": (40, 40)}])
def test_pairs_are_uniform(options: dict[str, Any]) -> None:
    """By Pearson's statistic, whose mean and variance under the exact distribution are those of a multinomial."""
    index = edges(40, 200)
    torch.manual_seed(7)
    counts: Counter[tuple[int, ...]] = Counter()
    draws, each = 300, 200
    for _ in range(draws):
        counts.update(
            pair for pair in pairs(negative_sampling(index, num_neg_samples=each, **{"num_nodes": 40, **options}))
        )
    cells = negative_sampling(index, num_neg_samples=10**6, **{"num_nodes": 40, **options}).size(1)
    mean = draws * each / cells
    statistic = sum((counts[cell] - mean) ** 2 / mean for cell in counts) + (cells - len(counts)) * mean
    # Draws of one call differ, which lowers the variance of counts by the share that is drawn.
    expected = cells * (1 - each / cells)
    assert abs(statistic - expected) < 6 * math.sqrt(2 * expected) * (2 if "force_undirected" in options else 1)


def test_structured_negatives() -> None:
    torch.manual_seed(1)
    index = edges(30, 300)
    i, j, k = structured_negative_sampling(index, 30, contains_neg_self_loops=False)
    assert torch.equal(torch.stack([i, j]), index)
    assert not {(u, v) for u, v in zip(i.tolist(), k.tolist(), strict=True)} & (
        set(pairs(index)) | {(v, v) for v in range(30)}
    )
    complete = torch.tensor([[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]])
    assert torch.equal(structured_negative_sampling(complete)[2], complete[0])
    with pytest.raises(ValueError, match="node 0 has edges to all 3 nodes"):
        structured_negative_sampling(complete, contains_neg_self_loops=False)
    assert negative_sampling(complete).shape == (2, 0)


def test_a_changed_edge_index_is_read_again() -> None:
    index = torch.tensor([[0, 1, 2], [1, 2, 0]])
    negative_sampling(index)
    index[1] = torch.tensor([2, 0, 1])
    assert sorted(pairs(negative_sampling(index))) == [(0, 1), (1, 2), (2, 0)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("mode", ["binary", "triplet"])
def test_loaders_have_no_edges_as_negatives(mode: str, weighted: bool) -> None:
    data = Data(edge_index=edges(50, 900), num_nodes=50)
    known = set(pairs(data.edge_index))
    weights = {"dst_weight": torch.arange(50.0)} if weighted else {}
    loaded = []
    for workers in (0, 2):
        exact = ExactNegativeSampling(mode, 2, **weights)
        loader = LinkNeighborLoader(data, [2], batch_size=300, neg_sampling=exact, seed=1, num_workers=workers)
        loaded.append(list(loader))
    for batch, again in zip(*loaded, strict=True):
        assert torch.equal(batch.n_id, again.n_id)
        if mode == "binary":
            links = pairs(batch.n_id[batch.edge_label_index])
            assert [link in known for link in links] == (batch.edge_label > 0).tolist()
            assert len(links) == 900
        else:
            sources, ends = batch.n_id[batch.src_index], batch.n_id[batch.dst_neg_index]
            assert ends.shape == (300, 2)
            assert not any((u, v) in known for u, row in zip(sources.tolist(), ends.tolist(), strict=True) for v in row)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_typed_links(direction: str) -> None:
    data = HeteroData()
    data["a"].num_nodes, data["b"].num_nodes = 9, 20
    index = torch.stack([edges(9, 60)[0], edges(20, 60)[1]])
    data["a", "to", "b"].edge_index, data["b", "rev", "a"].edge_index = index, index.flip(0)
    sampler = NeighborSampler(data, [2], sample_direction=direction, seed=1)
    exact = ExactNegativeSampling("binary")
    loader = LinkLoader(data, sampler, edge_label_index=(("a", "to", "b"), None), batch_size=16, neg_sampling=exact)
    for batch in loader:
        link = batch["a", "to", "b"]
        sources, ends = batch["a"].n_id[link.edge_label_index[0]], batch["b"].n_id[link.edge_label_index[1]]
        drawn = list(zip(sources.tolist(), ends.tolist(), strict=True))
        assert [pair in set(pairs(index)) for pair in drawn] == (link.edge_label > 0).tolist()


def test_refusals_of_loaders() -> None:
    complete = torch.tensor([[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]])
    data = Data(edge_index=complete, num_nodes=3)
    for mode, text in (("triplet", "the source 0 has edges to all 3"), ("binary", "every pair of 3 sources")):
        with pytest.raises(ValueError, match=text):
            next(iter(LinkNeighborLoader(data, [2], batch_size=2, neg_sampling=ExactNegativeSampling(mode), seed=1)))
    data.time = torch.arange(3)
    loader = LinkNeighborLoader(
        data, [2], batch_size=2, neg_sampling=ExactNegativeSampling("binary"), time_attr="time",
        edge_label_time=torch.full((6,), 5), seed=1,
    )  # fmt: skip
    with pytest.raises(ValueError, match="exact negative links have no times"):
        next(iter(loader))
