"""Labelled: the graphs with labels of convergence.py and embeddings.py, planted and real.

The real graph is that of OpenFlights (https://openflights.org/data, Open Database License): airports, and routes by
airline. The recipe:

- The vertices are the airports that occur in a route, in the order of their ids. Two have an edge if a route connects
  them, in either direction, by any airline.
- The label of an airport is the region of its time zone: the part of the zone's name before the slash, such as Europe
  in Europe/Oslo. That is roughly a continent, but the tz database divides them: Hawaii is in Pacific, and Russia is in
  Europe and Asia. The label is not derived from the graph. Regions with fewer than 100 airports and unknown zones give
  no label (-1); their airports remain in the graph.
- The features of an airport are its logarithmic degree and height, and for each of the 62 airlines that serve most
  airports, whether the airline serves it. Neither place nor country is a feature.
- With types, all airlines are vertices. An airline serves the airports of its routes. Its features are 64 normal
  numbers, which identify it.
- With the label "country", airports are labelled by country, if at least 30 airports are in the country.
"""

from __future__ import annotations

import collections
import csv
import dataclasses
import gzip
import pathlib
from typing import Any

import numpy as np
import numpy.typing as npt

import gonextdoor as gnd

Array = npt.NDArray[Any]
Relation = tuple[str, str, str]

NODE = "node"  # the type of the vertices of a graph with one type
TO = (NODE, "to", NODE)
SIZES = {"region": 100, "country": 30}  # the least number of airports of a label
AIRLINES = 62  # that are features of airports


@dataclasses.dataclass
class Labelled:
    """A graph with features, by type, and labels of one type.

    Attributes:
        name: of the graph.
        edges: (2, E) ids of sources and destinations, by relation; both directions of each edge are there.
        features: (V, F) float32 by type.
        target: the type that has labels.
        labels: (V,) int64, -1 without a label.
        bounds: the accuracies that are known: "features" and "best".
    """

    name: str
    edges: dict[Relation, Array]
    features: dict[str, Array]
    target: str
    labels: Array
    bounds: dict[str, float]

    @property
    def classes(self) -> int:
        return int(self.labels.max()) + 1

    def graph(self) -> gnd.Graph:
        """The graph of the only relation."""
        (edges,) = self.edges.values()
        return gnd.Graph.from_edges(edges, num_vertices=len(self.labels))

    def split(self, seed: int, train: float = 0.5, valid: float = 0.2) -> tuple[Array, Array, Array]:
        """The vertices with labels, divided at random: those of training, validation and test."""
        known = np.random.default_rng([seed, 7]).permutation(np.flatnonzero(self.labels >= 0))
        first, second = round(train * len(known)), round((train + valid) * len(known))
        return np.sort(known[:first]), np.sort(known[first:second]), np.sort(known[second:])


def planted(vertices: int, seed: int, *, classes: int = 8, separation: float = 1.5) -> Labelled:
    """A planted partition with mean degree 12, of which 6 edges are within the class; 32 features."""
    made = gnd.planted_partition(
        vertices,
        classes,
        p_in=6 * classes / vertices,
        p_out=6 * classes / (vertices * (classes - 1)),
        num_features=max(32, classes),
        separation=separation,
        seed=seed,
    )
    bounds = {"features": made.feature_accuracy, "best": made.best_accuracy}
    edges = np.stack([np.repeat(np.arange(vertices), made.graph.degrees()), made.graph.indices]).astype(np.int64)
    return Labelled("planted partition", {TO: edges}, {NODE: made.features}, NODE, made.labels, bounds)


def planted_types(vertices: int, seed: int) -> Labelled:
    """Papers that cite each other, and half as many authors: 6 citations and 4 authors of a paper in the mean, half of
    them within the class. Authors have no informative features."""
    n, classes = {"paper": vertices, "author": vertices // 2}, 8
    cites, writes = ("paper", "cites", "paper"), ("author", "writes", "paper")
    within = {cites: 3 * classes / n["paper"], writes: 2 * classes / n["author"]}
    made = gnd.planted_partition(
        n,
        classes,
        p_in=within,
        p_out={relation: p / (classes - 1) for relation, p in within.items()},
        num_features=32,
        separation={"paper": 1.5, "author": 0.0},
        seed=seed,
    )
    edges = {}
    for relation, graph in made.graph.relations.items():  # row: destination, end point: source
        rows = np.repeat(np.arange(graph.num_vertices), graph.degrees())
        edges[relation] = np.stack([graph.indices, rows]).astype(np.int64)
    bounds = {"features": made.feature_accuracy["paper"], "best": made.best_accuracy["paper"]}
    return Labelled("planted partition, types", edges, made.features, "paper", made.labels["paper"], bounds)


def airports(folder: pathlib.Path, *, types: bool = False, label: str = "region") -> Labelled:
    """OpenFlights by the recipe above; label: "region" or "country"."""
    place = {"region": lambda row: row[11].split("/")[0], "country": lambda row: row[3]}[label]
    with gzip.open(folder / "airports.dat.gz", "rt", encoding="utf-8") as file:
        rows = {int(row[0]): row for row in csv.reader(file)}
    known = {str(id) for id in rows}
    with gzip.open(folder / "routes.dat.gz", "rt", encoding="utf-8") as file:
        routes = [row for row in csv.reader(file) if row[3] in known and row[5] in known]
    ends = np.array([[int(row[3]), int(row[5])] for row in routes])
    ids, numbers = np.unique(ends, return_inverse=True)
    pairs = numbers.reshape(ends.shape)
    flights = _both(pairs)
    names = [place(rows[id]) for id in ids.tolist()]
    counts = collections.Counter(names)
    kept = sorted(name for name, count in counts.items() if count >= SIZES[label] and name != "\\N")
    labels = np.array([kept.index(name) if name in kept else -1 for name in names])
    heights = np.log1p(np.maximum([float(rows[id][8]) for id in ids.tolist()], 0)) / 8
    degrees = np.log1p(np.bincount(flights[0], minlength=len(ids)))
    airlines, number = np.unique([row[0] for row in routes], return_inverse=True)
    serves = np.unique(np.stack([np.repeat(number, 2), numbers.ravel()]), axis=1)
    common = np.argsort(-np.bincount(serves[0]), kind="stable")[:AIRLINES]
    served = np.zeros((len(ids), len(airlines)), bool)
    served[serves[1], serves[0]] = True
    features = np.column_stack([degrees, heights, served[:, common]]).astype(np.float32)
    if not types:
        return Labelled(f"airports, {label}", {TO: flights}, {NODE: features}, NODE, labels, {})
    identities = np.random.default_rng(0).standard_normal((len(airlines), features.shape[1])).astype(np.float32)
    return Labelled(
        f"airports and airlines, {label}",
        {
            ("airport", "route", "airport"): flights,
            ("airline", "serves", "airport"): serves,
            ("airport", "rev_serves", "airline"): serves[::-1].copy(),
        },
        {
            "airport": features,
            "airline": identities,
        },
        "airport",
        labels,
        {},
    )


def _both(pairs: Array) -> Array:
    """(2, E): the different edges in both directions, without self-loops."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    return np.unique(both[both[:, 0] != both[:, 1]], axis=0).T.copy()
