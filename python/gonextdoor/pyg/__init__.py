"""PyTorch Geometric: samplers and loaders that take its arguments, and need neither pyg-lib nor torch-sparse."""

try:
    import torch_geometric  # noqa: F401
except ImportError as why:
    raise ImportError(
        f"gonextdoor.pyg needs PyTorch and PyTorch Geometric ({why}): pip install torch torch-geometric"
    ) from why

from .encodings import AddRandomWalkPE
from .featurestore import FeatureStore
from .install import install
from .khop import k_hop_subgraph
from .loader import LinkNeighborLoader, NeighborLoader
from .metapath import metapath_walks
from .metapathedges import AddMetaPaths
from .models import MetaPath2Vec, Node2Vec
from .ppr import get_ppr
from .sampler import NeighborSampler
from .walks import random_walk

__all__ = [
    "AddMetaPaths",
    "AddRandomWalkPE",
    "FeatureStore",
    "LinkNeighborLoader",
    "MetaPath2Vec",
    "NeighborLoader",
    "NeighborSampler",
    "Node2Vec",
    "get_ppr",
    "install",
    "k_hop_subgraph",
    "metapath_walks",
    "random_walk",
]


def __dir__() -> list[str]:
    return sorted(__all__)
