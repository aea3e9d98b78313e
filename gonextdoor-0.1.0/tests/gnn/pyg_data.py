"""Graphs of PyG that the tests share."""

import numpy as np
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import NodeSamplerInput


def flat(n=300, m=3000, seed=1):
    """A homogeneous graph with features that say which node and edge they belong to."""
    draws = np.random.default_rng(seed)
    edges = torch.from_numpy(draws.integers(0, n, (2, m)))
    data = Data(x=torch.arange(n).float().view(-1, 1), edge_index=edges, edge_attr=torch.arange(m))
    data.y = (torch.arange(n) * 7 % 3).long()
    return data


def typed(seed=2):
    """Authors write papers, papers cite papers."""
    draws = np.random.default_rng(seed)
    data = HeteroData()
    data["paper"].x = torch.arange(200).float().view(-1, 1)
    data["author"].x = torch.arange(90).float().view(-1, 1)
    data["author", "writes", "paper"].edge_index = torch.from_numpy(
        np.stack([draws.integers(0, 90, 900), draws.integers(0, 200, 900)])
    )
    data["paper", "cites", "paper"].edge_index = torch.from_numpy(draws.integers(0, 200, (2, 1500)))
    data["paper", "rev_writes", "author"].edge_index = data["author", "writes", "paper"].edge_index.flip(0)
    return data


def asked(nodes, time=None, kind=None):
    """A batch of nodes as a sampler gets it."""
    time = None if time is None else torch.as_tensor(time)
    return NodeSamplerInput(None, torch.as_tensor(nodes), time, kind)
