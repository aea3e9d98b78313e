"""How a sample grows from its roots: small immutable descriptions, checked when they are made.

An app holds parameters and nothing else, so one app serves any number of graphs. Each class cites its paper.
"""

from typing import TYPE_CHECKING

from .._core import advice
from .app import SamplingApp
from .layers import LADIES, MVS, FastGCN, Layer
from .moves import Jump, MetaPath, MetropolisHastings, MultiDimensionalWalk, MultiIndependent, Restart, Walk
from .parameters import Weighted
from .subgraphs import ClusterGCN, GraphSAINT, RandomEdge, RandomNode
from .trees import ForestFire, KHop, Neighbor, Snowball
from .walks import PPR, DeepWalk, Node2Vec, NonBacktracking

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
    "NonBacktracking",
    "RandomEdge",
    "RandomNode",
    "Restart",
    "SamplingApp",
    "Snowball",
    "Walk",
    "Weighted",
]

if not TYPE_CHECKING:  # type checkers know the names above and no others

    def __getattr__(name: str) -> None:
        """Names the app that was probably meant."""
        raise advice.attribute_error(__name__, name, "" if name.startswith("_") else advice.meant(name, __all__))
