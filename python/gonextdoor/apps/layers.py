"""Samples that grow layer by layer: each step chooses its vertices for the whole sample at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from .._core.checks import checked_count, checked_flag, checked_ints
from .app import SamplingApp
from .arrays import ArrayApp
from .parameters import MAX_WIDTH, Bias, checked_bias, checked_fanouts, put

__all__ = ["LADIES", "MVS", "FastGCN", "Layer"]

Normalization = Literal["symmetric", "row"]


@dataclasses.dataclass(frozen=True)
class Layer(SamplingApp):
    """Layers chosen from the combined neighbourhood of the previous layer (Gao, Wang and Ji, KDD'18; layer sampling of
    NextDoor, EuroSys'21, and of C-SAW, SC'20).

    Each step takes ``step_size`` edges of all the sample's transits together. It ends when the sample has ``max_size``
    vertices after its roots, or when no edge is left. A sample grows from one root, or from a batch: roots of shape (n,
    r). Each array of ``samples.steps`` has shape (n, m).

    Args:
        step_size: vertices per layer, at least 1 (default 1000); all neighbours if the neighbourhood has no more edges
            than that.
        max_size: vertices of a sample after its roots, at least 1 (default 2000). The last layer is cut to it.
        unique: whether a layer has every vertex at most once (default True). Different layers may share vertices.
        bias: how edges are chosen: ``"uniform"`` (default) chooses them uniformly at random; ``"weight"`` in proportion
            to their weights; ``"degree"`` in proportion to the number of edges of their end points. Parallel edges
            count separately in any case.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.Layer(step_size=3, max_size=5), [[0, 1]], seed=1)
        >>> samples.steps
        [array([[ 24, 123,  79]], dtype=int32), array([[139,  87]], dtype=int32)]
    """

    step_size: int = 1000
    max_size: int = 2000
    unique: bool = True
    bias: Bias = "uniform"

    def __post_init__(self) -> None:
        put(
            self,
            step_size=checked_count("step_size", self.step_size, 1, MAX_WIDTH - 1),
            max_size=checked_count("max_size", self.max_size, 1, MAX_WIDTH - 1),
            unique=checked_flag("unique", self.unique),
            bias=checked_bias(self.bias),
        )


@dataclasses.dataclass(frozen=True)
class FastGCN(SamplingApp):
    """Layers drawn independently from the whole graph, in proportion to the importance of vertices (FastGCN: Chen, Ma
    and Xiao, ICLR'18).

    The importance q(u) is the squared norm of column u of the normalised adjacency matrix A_hat. A is the adjacency
    matrix, in which parallel edges add up, with one self-loop added at each vertex; D(v) is the sum of its row v;
    weights are ignored. A sample grows from a batch: roots of shape (n, r). ``samples.adjacency(l)`` is the matrix
    between layer l and the previous one (the batch, for l = 0), with the values A_hat(v, u) / (size * q(u)). With
    replacement, its product with the features of the layer is an unbiased estimate of the product with those of all
    vertices.

    Args:
        sizes: vertices drawn for each layer, at least 1 each, the layer next to the batch first.
        replace: whether a layer may have a vertex several times (default True). Without replacement, the estimate is
            biased.
        normalization: ``"symmetric"`` (default): A(v, u) / sqrt(D(v) D(u)); ``"row"``: A(v, u) / D(v).

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.FastGCN(sizes=[3, 4]), [[0, 1]], seed=1)
        >>> samples.steps
        [array([[38, 98, 61]], dtype=int32), array([[ 38,  93, 156, 240]], dtype=int32)]
        >>> samples.adjacency(0).shapes
        array([[2, 3]])
    """

    sizes: Sequence[int]
    replace: bool = True
    normalization: Normalization = "symmetric"

    def __post_init__(self) -> None:
        put(
            self,
            sizes=checked_sizes(self.sizes),
            replace=checked_flag("replace", self.replace),
            normalization=checked_normalization(self.normalization),
        )


@dataclasses.dataclass(frozen=True)
class LADIES(SamplingApp):
    """Layers drawn among the vertices of the previous layer and their neighbours, in proportion to their importance for
    that layer (LADIES: Zou et al., NeurIPS'19).

    The importance of u is the sum of A_hat(v, u)^2 over the vertices v of the previous layer. A is the adjacency
    matrix, in which parallel edges add up, with one self-loop added at each vertex; D(v) is the sum of its row v;
    weights are ignored. A sample grows from a batch: roots of shape (n, r). A layer does not contain the previous one,
    unless its vertices are drawn again. If there are no more candidates than the layer's size, all are taken; a batch
    without neighbours is followed by itself. ``samples.adjacency(l)`` is the matrix between layer l and the previous
    one (the batch, for l = 0), with the values A_hat(v, u) / (s * p(u)), s being the number of vertices drawn.

    Args:
        sizes: vertices drawn for each layer, at least 1 each, the layer next to the batch first.
        replace: whether a layer may have a vertex several times (default False).
        normalize: whether the values of each row are divided by their sum, as in the paper (default True). If False,
            and with replacement, the matrix times the layer's features is an unbiased estimate of that for all
            vertices.
        normalization: ``"symmetric"`` (default, as in the paper): A(v, u) / sqrt(D(v) D(u)); ``"row"`` (as in the
            authors' code): A(v, u) / D(v).

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.LADIES(sizes=[3, 4]), [[0, 1]], seed=1)
        >>> samples.steps
        [array([[ 43, 205, 107]], dtype=int32), array([[  0, 107, 244, 121]], dtype=int32)]
        >>> samples.adjacency(0).values.round(2)
        array([0.42, 0.25, 0.32])
    """

    sizes: Sequence[int]
    replace: bool = False
    normalize: bool = True
    normalization: Normalization = "symmetric"

    def __post_init__(self) -> None:
        put(
            self,
            sizes=checked_sizes(self.sizes),
            replace=checked_flag("replace", self.replace),
            normalize=checked_flag("normalize", self.normalize),
            normalization=checked_normalization(self.normalization),
        )


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class MVS(ArrayApp):
    """A batch of vertices drawn without replacement in proportion to their scores, and its neighbourhoods (minimal
    variance sampling: Cong et al., KDD'20; as in NextDoor, EuroSys'21).

    Scores are meant to be the norms of the vertices' gradients. For independent draws, such as batches of one, they
    give the estimate of the mean gradient its least variance if each gradient is divided by the probability of its
    draw. Larger batches are drawn without replacement: the probability that a vertex is in the batch is not
    proportional to its score, so other scores can have a smaller variance.

    Samples have no roots: ``roots`` is the number of samples. The first step is the batch, the next ones are the hops:
    ``samples.steps[0]`` has shape (n, batch).

    Args:
        batch: vertices of a batch, at least 1; if no more vertices have a positive score, all of them.
        fanouts: edges that each vertex of a hop takes, without replacement; -1: all. ``[-1]`` gives NextDoor's one-hop
            neighbourhoods.
        scores: (num_vertices,) non-negative numbers, of which at least one is positive. They are copied. A vertex of
            score 0 is in no batch, but may be a neighbour. None (default): uniform.

    Raises:
        TypeError: a parameter is of the wrong type.
        ValueError: a parameter is out of range.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.MVS(batch=3, fanouts=[2]), 1, seed=1)
        >>> samples.steps
        [array([[ 19, 112,  56]], dtype=int32), array([[150, 176, 150,  60]], dtype=int32)]
    """

    batch: int
    fanouts: Sequence[int]
    scores: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        put(
            self,
            batch=checked_count("batch", self.batch, 1, MAX_WIDTH),
            fanouts=checked_fanouts(self.fanouts, all_edges=True),
            scores=checked_scores(self.scores),
        )


def checked_scores(values: Any, name: str = "scores") -> npt.NDArray[np.float64] | None:
    """Scores, or other weights of vertices, as a read-only float64 copy."""
    if values is None:
        return None
    try:
        scores = np.array(values, np.float64)
    except OverflowError:
        raise ValueError(f"{name}: expected numbers that fit in a float") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected an array of numbers, got {type(values).__name__}") from None
    if scores.ndim != 1:
        raise ValueError(f"{name}: expected shape (num_vertices,), got {scores.shape}")
    wrong = np.flatnonzero(~((scores >= 0) & np.isfinite(scores)))
    if wrong.size:
        at = int(wrong[0])
        raise ValueError(f"{name}[{at}] = {float(scores[at])}: expected a finite number of at least 0")
    if not scores.any():
        raise ValueError(f"{name}: expected at least one positive {name[:-1].replace('_', ' ')}")
    scores.flags.writeable = False
    return scores


def checked_sizes(values: Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Sizes of layers as integers."""
    sizes = checked_ints("sizes", values, "one per layer", ", at least 1")
    for i, number in enumerate(sizes):
        if number < 1:
            raise ValueError(f"sizes[{i}] = {number}: expected at least 1")
    if sum(sizes) >= MAX_WIDTH:
        raise ValueError(f"sizes = {sizes}: expected fewer than 2^28 vertices per sample")
    return tuple(sizes)


def checked_normalization(value: Any) -> Normalization:
    if isinstance(value, str) and value == "symmetric":
        return "symmetric"
    if isinstance(value, str) and value == "row":
        return "row"
    raise ValueError(f'normalization = {value!r}: expected "symmetric" or "row"')
