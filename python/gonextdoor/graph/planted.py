"""planted_partition: random graphs with labels and features, and the best accuracy of a classifier."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core.binding import advised
from .._core.checks import check_int, checked_number, checked_probability
from .._core.seeds import entropy
from .blockmodel import BlockModel
from .graph import Graph
from .hetero import HeteroGraph, RelationType

if TYPE_CHECKING:
    from .._core.seeds import Seed

__all__ = ["PlantedPartition", "planted_partition"]

Array = npt.NDArray[Any]
Probabilities = float | Mapping[RelationType, float]

MOST_VERTICES = 1 << 31
MOST_CLASSES = 256
MOST_SEPARATION = 1000
MOST_FEATURES = 1 << 16
REVERSE = "rev_"  # of a relation's name, as in PyG's ToUndirected
ONLY = ""  # the type of the vertices of a Graph
HOMOGENEOUS = (ONLY, "", ONLY)


@dataclasses.dataclass(frozen=True, repr=False)
class PlantedPartition:
    """A random graph with labels and features, as ``planted_partition`` returns it. *Experimental.*

    Attributes:
        graph: the Graph, or the HeteroGraph if there are several types. Each edge is held in both directions.
        labels: (V,) int64: the class of each vertex; by type for a HeteroGraph.
        features: (V, num_features) float32; by type for a HeteroGraph.

    Examples:
        >>> planted = gnd.planted_partition(1000, 4, p_in=0.05, p_out=0.005, seed=1)
        >>> planted
        PlantedPartition(num_vertices=1000, num_edges=16432, num_classes=4)
        >>> round(planted.feature_accuracy, 3), round(planted.best_accuracy, 3)
        (0.552, 0.999)
    """

    graph: Graph | HeteroGraph
    labels: Any
    features: Any
    _model: BlockModel

    @functools.cached_property
    def best_accuracy(self) -> Any:
        """The expected accuracy of Bayes' rule for a vertex if all other labels are known; by type for a HeteroGraph.

        The rule knows the parameters of the generator, the graph, the vertex's features and all other labels. So this
        is an upper bound of the expected accuracy of every classifier that does not see the vertex's label. A GNN sees
        fewer labels, and may be unable to reach it. The bound is computed for the numbers of vertices per class in
        ``labels``, from below, within about 1e-4.
        """
        return self._accuracy(edges=True)

    @functools.cached_property
    def feature_accuracy(self) -> Any:
        """The expected accuracy of Bayes' rule that sees only the features of the vertex; by type for a HeteroGraph.

        It is the best accuracy without the graph.
        """
        return self._accuracy(edges=False)

    def _accuracy(self, *, edges: bool) -> Any:
        found = {kind: self._model.accuracy(kind, self._labels(), edges=edges) for kind in self._model.num_vertices}
        return found if isinstance(self.graph, HeteroGraph) else found[ONLY]

    def _labels(self) -> dict[str, Array]:
        labels: dict[str, Array] = self.labels if isinstance(self.graph, HeteroGraph) else {ONLY: self.labels}
        return labels

    def __repr__(self) -> str:
        inside = repr(self.graph).partition("(")[2][:-1]
        return f"PlantedPartition({inside}, num_classes={len(self._model.shares)})"


@advised
def planted_partition(
    num_vertices: int | Mapping[str, int],
    num_classes: int,
    *,
    p_in: Probabilities,
    p_out: Probabilities,
    shares: npt.ArrayLike | None = None,
    num_features: int | None = None,
    separation: float | Mapping[str, float] = 1.0,
    seed: Seed = 0,
) -> PlantedPartition:
    """A random graph whose edges and features depend on the classes of its vertices (planted partition, or stochastic
    block model), with the best accuracy of a classifier. *Experimental.*

    Each vertex has a class, drawn independently. Two vertices have an edge with probability p_in if their classes are
    equal, and p_out otherwise, independently of all other pairs. Feature c of a vertex is normal with variance 1; its
    mean is ``separation`` if c is the vertex's class, and 0 otherwise. Features from num_classes on are noise.

    With num_vertices by type, p_in and p_out are by relation, and all types have the same classes. A relation between
    two types is also held reversed, as ("item", "rev_buys", "user") for ("user", "buys", "item"). A relation within a
    type is symmetric.

    The same arguments give the same graph, labels and features, in all versions of NumPy.

    Args:
        num_vertices: the number of vertices, or a dict with one for each type.
        num_classes: the number of classes, from 1 to 256.
        p_in: the probability of an edge between two vertices of the same class; by relation for several types.
        p_out: the probability of an edge between two vertices of different classes; by relation for several types.
        shares: (num_classes,) positive numbers: the probabilities of the classes, up to a factor. None (default): all
            equal.
        num_features: the number of features, at least num_classes. None (default): num_classes.
        separation: the mean of feature c in class c, from 0; for several types also a dict with one for each type.
        seed: the random seed, as for ``gonextdoor.sample`` (default 0).

    Returns:
        The graph, the labels and the features. ``best_accuracy`` is an upper bound of the accuracy of every classifier;
        ``feature_accuracy`` is the best accuracy without the graph.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the arguments name different types or relations.
        MemoryError: the graph does not fit in memory.

    Examples:
        >>> planted = gnd.planted_partition(1000, 4, p_in=0.05, p_out=0.005, seed=1)
        >>> planted.graph, planted.labels.shape, planted.features.shape
        (Graph(num_vertices=1000, num_edges=16432), (1000,), (1000, 4))
        >>> buys = ("user", "buys", "item")
        >>> shop = gnd.planted_partition(
        ...     {"user": 300, "item": 200}, 3, p_in={buys: 0.05}, p_out={buys: 0.01},
        ...     separation={"user": 1, "item": 0},
        ... )
        >>> shop.graph.num_vertices, list(shop.graph.relations)
        ({'user': 300, 'item': 200}, [('user', 'buys', 'item'), ('item', 'rev_buys', 'user')])
        >>> {kind: round(value, 3) for kind, value in shop.best_accuracy.items()}
        {'user': 0.908, 'item': 0.934}
    """
    classes = check_int("num_classes", num_classes, 1, MOST_CLASSES)
    typed = isinstance(num_vertices, Mapping)
    sizes = num_vertices if isinstance(num_vertices, Mapping) else {ONLY: num_vertices}
    if not sizes:
        raise ValueError("num_vertices is empty: expected at least one type")
    for kind in sizes:
        if typed and (not isinstance(kind, str) or not kind):
            raise TypeError(f"num_vertices: expected types as non-empty str, got {kind!r}")
    counts = {
        kind: check_int(f"num_vertices[{kind!r}]" if typed else "num_vertices", n, 1, MOST_VERTICES)
        for kind, n in sizes.items()
    }
    model = BlockModel(
        counts,
        _relations(counts, p_in, p_out) if typed else {HOMOGENEOUS: _chances(p_in, p_out, "")},
        _shares(shares, classes),
        classes if num_features is None else check_int("num_features", num_features, classes, MOST_FEATURES),
        _separations(separation, counts),
        entropy(seed),
    )
    labels = model.labels()
    features, graph = model.features(labels), _graph(model, labels)
    return (
        PlantedPartition(graph, labels, features, model)
        if typed
        else PlantedPartition(graph, labels[ONLY], features[ONLY], model)
    )


def _graph(model: BlockModel, labels: dict[str, Array]) -> Graph | HeteroGraph:
    graphs = {}
    for relation, first, second in model.edges(labels):
        source, name, target = relation
        if relation == HOMOGENEOUS:
            return Graph.from_edges(first, second, num_vertices=model.num_vertices[ONLY], symmetric=True)
        n = max(model.num_vertices[source], model.num_vertices[target])
        if source == target:
            graphs[relation] = Graph.from_edges(first, second, num_vertices=n, symmetric=True)
        else:
            graphs[relation] = Graph.from_edges(second, first, num_vertices=n)
            graphs[target, REVERSE + name, source] = Graph.from_edges(first, second, num_vertices=n)
    return HeteroGraph(graphs, model.num_vertices)


def _relations(sizes: dict[str, int], p_in: Any, p_out: Any) -> dict[RelationType, tuple[float, float]]:
    """Checks p_in and p_out by relation."""
    for name, chances in (("p_in", p_in), ("p_out", p_out)):
        if not isinstance(chances, Mapping):
            raise TypeError(f"{name} = {chances!r}: expected a dict by relation, as num_vertices is a dict by type")
        if not chances:
            raise ValueError(f"{name} is empty: expected at least one relation")
        for relation in chances:
            _check_relation(name, relation, sizes, chances)
    for relation in {**p_in, **p_out}:
        for name, chances in (("p_in", p_in), ("p_out", p_out)):
            if relation not in chances:
                raise ValueError(f"{name} has no relation {relation!r}: expected the same relations in p_in and p_out")
    return {relation: _chances(p_in[relation], p_out[relation], f"[{relation!r}]") for relation in p_in}


def _check_relation(name: str, relation: Any, sizes: dict[str, int], chances: Mapping[Any, Any]) -> None:
    if not (isinstance(relation, tuple) and len(relation) == 3 and all(isinstance(part, str) for part in relation)):
        raise TypeError(f"{name}: expected keys (source type, name, destination type), got {relation!r}")
    source, kind, target = relation
    for vertex_type in (source, target):
        if vertex_type not in sizes:
            raise ValueError(f"{name}[{relation!r}]: num_vertices has no type {vertex_type!r}")
    if source != target and (target, REVERSE + kind, source) in chances:
        raise ValueError(
            f"{name}: ({target!r}, {REVERSE + kind!r}, {source!r}) is the reverse of {relation!r}, which is added; "
            "choose another name"
        )


def _chances(p_in: Any, p_out: Any, at: str) -> tuple[float, float]:
    return checked_probability(f"p_in{at}", p_in), checked_probability(f"p_out{at}", p_out)


def _shares(shares: Any, classes: int) -> Array:
    """The probabilities of the classes."""
    if shares is None:
        return np.full(classes, 1 / classes)
    try:
        given = np.asarray(shares, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"shares = {shares!r}: expected {classes} numbers") from None
    if given.shape != (classes,):
        raise ValueError(f"shares has shape {given.shape}: expected one number per class, ({classes},)")
    for c in np.flatnonzero(~((given > 0) & (given < np.inf))).tolist():
        raise ValueError(f"shares[{c}] = {given[c]}: expected a positive finite number")
    normalized: Array = given / given.sum()
    return normalized


def _separations(separation: Any, sizes: dict[str, int]) -> dict[str, float]:
    """The separations by type."""
    by_type = separation if isinstance(separation, Mapping) else dict.fromkeys(sizes, separation)
    for kind in by_type:
        if kind not in sizes:
            raise ValueError(f"separation: num_vertices has no type {kind!r}")
    checked = {}
    for kind in sizes:
        if kind not in by_type:
            raise ValueError(f"separation has no type {kind!r}: expected one number per type")
        name = f"separation[{kind!r}]" if isinstance(separation, Mapping) else "separation"
        checked[kind] = checked_number(name, by_type[kind])
        if not 0 <= checked[kind] <= MOST_SEPARATION:
            raise ValueError(f"{name} = {by_type[kind]!r}: expected from 0 to {MOST_SEPARATION}")
    return checked
