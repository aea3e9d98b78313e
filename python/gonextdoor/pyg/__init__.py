"""PyTorch Geometric: samplers and loaders that take its arguments, and need neither pyg-lib nor torch-sparse."""

try:
    import torch_geometric  # noqa: F401
except ImportError as why:
    raise ImportError(
        f"gonextdoor.pyg needs PyTorch and PyTorch Geometric ({why}): pip install torch torch-geometric"
    ) from why

from .bipartite import BipartiteLoader
from .clusters import ClusterData, ClusterLoader
from .encodings import AddRandomWalkPE
from .exact import ExactNegativeSampling, negative_sampling, structured_negative_sampling
from .featurestore import FeatureStore
from .hgtloader import HGTLoader
from .install import install
from .khop import k_hop_subgraph
from .loader import LinkNeighborLoader, NeighborLoader
from .metapath import metapath_walks
from .metapathedges import AddMetaPaths
from .models import MetaPath2Vec, Node2Vec
from .pinsage import PinSAGESampler
from .ppr import get_ppr
from .randomnode import RandomNodeLoader
from .recent import LastNeighborLoader
from .saint import GraphSAINTEdgeSampler, GraphSAINTNodeSampler, GraphSAINTRandomWalkSampler
from .sampler import NeighborSampler
from .shadow import ShaDowKHopSampler
from .walks import random_walk

__all__ = [
    "AddMetaPaths",
    "AddRandomWalkPE",
    "BipartiteLoader",
    "ClusterData",
    "ClusterLoader",
    "ExactNegativeSampling",
    "FeatureStore",
    "GraphSAINTEdgeSampler",
    "GraphSAINTNodeSampler",
    "GraphSAINTRandomWalkSampler",
    "HGTLoader",
    "LastNeighborLoader",
    "LinkNeighborLoader",
    "MetaPath2Vec",
    "NeighborLoader",
    "NeighborSampler",
    "Node2Vec",
    "PinSAGESampler",
    "RandomNodeLoader",
    "ShaDowKHopSampler",
    "get_ppr",
    "install",
    "k_hop_subgraph",
    "metapath_walks",
    "negative_sampling",
    "random_walk",
    "structured_negative_sampling",
]


def __dir__() -> list[str]:
    return sorted(__all__)
