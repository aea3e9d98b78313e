"""gonextdoor in DGL: its samplers, walks and GraphBolt, by changing one import.

from gonextdoor.dgl import PGSampler          # in place of dgl.dataloading.NeighborSampler

sampler = PGSampler([15, 10, 5])
loader = dgl.dataloading.DataLoader(g, train_nid, sampler, batch_size=1024, shuffle=True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .dataloader import DataLoader
from .features import FeatureStorage, with_features
from .graphs import from_dgl
from .install import install
from .loader import prepare_before_workers
from .negatives import global_uniform_negative_sampling
from .partitions import read_partition
from .pinsage import PinSAGESampler, RandomWalkNeighborSampler
from .sampler import PGSampler
from .walks import node2vec_random_walk, random_walk

if TYPE_CHECKING:
    from .graphbolt import PGNeighborSampler
    from .graphboltfeature import GraphBoltFeature

__all__ = [
    "DataLoader",
    "FeatureStorage",
    "GraphBoltFeature",
    "PGNeighborSampler",
    "PGSampler",
    "PinSAGESampler",
    "RandomWalkNeighborSampler",
    "from_dgl",
    "global_uniform_negative_sampling",
    "install",
    "node2vec_random_walk",
    "random_walk",
    "read_partition",
    "with_features",
]


def __dir__() -> list[str]:
    return sorted(__all__)


prepare_before_workers(PGSampler)


def __getattr__(name: str) -> Any:
    """Imports the GraphBolt part on first access, because DGL does not have GraphBolt for every version of PyTorch."""
    if name == "PGNeighborSampler":
        from .graphbolt import PGNeighborSampler

        return PGNeighborSampler
    if name == "GraphBoltFeature":
        from .graphboltfeature import GraphBoltFeature

        return GraphBoltFeature
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
