"""Samples that grow layer by layer: each step chooses its vertices for all of the sample together."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable
from typing import Any, Literal, SupportsIndex

from .app import SamplingApp
from .parameters import MAX_WIDTH, checked_flag, put

__all__ = ["LADIES", "FastGCN", "Normalization"]

Normalization = Literal["symmetric", "row"]


class _Layered(SamplingApp):
    """An app whose samples are layered, whatever their roots."""

    def layered(self, roots: int = 1) -> bool:
        return True

    def per_step(self) -> bool:
        return True


@dataclasses.dataclass(frozen=True)
class FastGCN(_Layered):
    """Layers drawn from the whole graph, each for itself, in proportion to the importance of vertices:
    the squared norm of their column of the normalised adjacency (FastGCN: Chen, Ma and Xiao, ICLR'18).

    A is the adjacency, an edge that is there twice counting twice, with one loop added at each vertex; D(v) is the sum
    of its row v; weights do not count. A sample grows from a batch: roots of shape (n, r).
    ``samples.adjacency(l)`` is the matrix between layer l and the one before (the batch, for l = 0), with the values
    A_hat(v, u) / (size * q(u)): with replacement, its product with the features of the layer is an unbiased estimate of
    the product with all.

    Args:
        sizes: vertices drawn for each layer, the one next to the batch first; at least 1 each.
        replace: whether a layer may have a vertex several times. Without, the estimate is biased.
        normalization: "symmetric": A(v, u) / sqrt(D(v) D(u)); "row": A(v, u) / D(v).

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    sizes: tuple[int, ...]
    replace: bool = True
    normalization: Normalization = "symmetric"

    def __post_init__(self) -> None:
        put(
            self,
            sizes=checked_sizes(self.sizes),
            replace=checked_flag("replace", self.replace),
            normalization=checked_normalization(self.normalization),
        )

    def steps_expected(self) -> float:
        return float(sum(self.sizes))


@dataclasses.dataclass(frozen=True)
class LADIES(_Layered):
    """Layers drawn among the vertices of the layer before and their neighbours, in proportion to their importance for
    that layer: the sum of A_hat(v, u)^2 over its vertices v (LADIES: Zou et al., NeurIPS'19).

    A is the adjacency, an edge that is there twice counting twice, with one loop added at each vertex; D(v) is the sum
    of its row v; weights do not count. A sample grows from a batch: roots of shape (n, r). A layer does not contain the
    one before, unless its vertices are drawn again. Where there are no more candidates than are wanted, all are taken;
    a batch without neighbours is followed by itself.
    ``samples.adjacency(l)`` is the matrix between layer l and the one before (the batch, for l = 0), with the values
    A_hat(v, u) / (s * p(u)), s being the vertices that were drawn.

    Args:
        sizes: vertices drawn for each layer, the one next to the batch first; at least 1 each.
        replace: whether a layer may have a vertex several times.
        normalize: whether the values of each row are divided by their sum, as the paper does. Without, and with
            replacement, the matrix times the layer's features is an unbiased estimate of the product with all.
        normalization: "symmetric": A(v, u) / sqrt(D(v) D(u)), the paper's; "row": A(v, u) / D(v), the authors' code's.

    Raises:
        TypeError, ValueError: a parameter is of the wrong type or out of range.
    """

    sizes: tuple[int, ...]
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

    def steps_expected(self) -> float:
        return float(sum(self.sizes))


def checked_sizes(values: Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Sizes of layers as integers."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"sizes = {values!r}: expected a sequence of ints, one a layer")
    sizes = []
    for i, value in enumerate(values):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"sizes[{i}] = {value!r}: expected an int, at least 1")
        number = operator.index(value)
        if number < 1:
            raise ValueError(f"sizes[{i}] = {number}: expected at least 1")
        sizes.append(number)
    if sum(sizes) >= MAX_WIDTH:
        raise ValueError(f"sizes = {sizes}: expected less than 2^28 vertices a sample")
    return tuple(sizes)


def checked_normalization(value: Any) -> Normalization:
    if isinstance(value, str) and value == "symmetric":
        return "symmetric"
    if isinstance(value, str) and value == "row":
        return "row"
    raise ValueError(f'normalization = {value!r}: expected "symmetric" or "row"')
