"""How a sample grows from its roots: small immutable descriptions, checked when they are made.

An app holds parameters and nothing else; the same one serves any number of graphs. The paper stands with each.
"""

from .app import SamplingApp
from .layers import LADIES, MVS, FastGCN, Layer
from .moves import Jump, MetaPath, MetropolisHastings, MultiDimensionalWalk, MultiIndependent, Restart, Walk
from .parameters import Weighted
from .subgraphs import ClusterGCN, GraphSAINT, RandomEdge, RandomNode
from .trees import ForestFire, KHop, Neighbor, Snowball
from .walks import PPR, DeepWalk, Node2Vec

__all__ = [
    "LADIES",
    "MVS",
    "PPR",
    "ClusterGCN",
    "DeepWalk",
    "FastGCN",
    "ForestFire",
    "GraphSAINT",
    "Jump",
    "KHop",
    "Layer",
    "MetaPath",
    "MetropolisHastings",
    "MultiDimensionalWalk",
    "MultiIndependent",
    "Neighbor",
    "Node2Vec",
    "RandomEdge",
    "RandomNode",
    "Restart",
    "SamplingApp",
    "Snowball",
    "Walk",
    "Weighted",
]
