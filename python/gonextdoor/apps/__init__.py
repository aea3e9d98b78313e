"""Sampling algorithms with their parameters: small immutable descriptions, checked when they are made.

An app holds parameters and nothing else, so one app serves any number of graphs. Each class cites its paper.

Examples:
    >>> app = gnd.apps.Node2Vec(p=0.5, q=2.0, length=40)
    >>> app
    Node2Vec(p=0.5, q=2.0, length=40, weighted='auto')
    >>> gnd.sample(gnd.rmat(8, seed=1), app, 3, seed=1).numpy().shape
    (3, 41)
"""

from typing import TYPE_CHECKING

from .._core import advice
from . import layers, moves, negatives, subgraphs, temporal, trees, walks
from .app import SamplingApp
from .layers import *  # noqa: F403
from .moves import *  # noqa: F403
from .negatives import *  # noqa: F403
from .parameters import Weighted
from .subgraphs import *  # noqa: F403
from .temporal import *  # noqa: F403
from .trees import *  # noqa: F403
from .walks import *  # noqa: F403

__all__ = ["SamplingApp", "Weighted"]
__all__ += walks.__all__
__all__ += moves.__all__
__all__ += temporal.__all__
__all__ += trees.__all__
__all__ += layers.__all__
__all__ += subgraphs.__all__
__all__ += negatives.__all__


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:  # type checkers know the names above and no others

    def __getattr__(name: str) -> None:
        """Names the app that was probably meant."""
        raise advice.attribute_error(__name__, name, "" if name.startswith("_") else advice.meant(name, __all__))
