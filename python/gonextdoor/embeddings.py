"""Embeddings of vertices: random walks as sentences for gensim's Word2Vec.

``Node2Vec`` has the form of the node2vec package. ``Walks`` makes sentences of the walks of any app.

Examples:
    >>> graph = gnd.rmat(6, seed=1)
    >>> model = gnd.embeddings.Node2Vec(graph, dimensions=16, walk_length=20, q=0.5, seed=1).fit(window=5)
    >>> model.wv["0"].shape
    (16,)
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._core.binding import advised
from ._core.checks import checked_count, checked_flag
from ._core.seeds import entropy
from .apps import Node2Vec as Node2VecWalk
from .apps import SamplingApp
from .graph.graph import Graph
from .neighbor.order import Positions
from .samples import export
from .sampling.sample import sample

if TYPE_CHECKING:
    import networkx
    from gensim.models import Word2Vec

    from ._core.seeds import Seed
    from .device.devices import Device
    from .samples.samples import Samples

__all__ = ["Node2Vec", "Walks"]

BLOCK = 1 << 22  # vertices of the walks that are in memory at once, about
LARGEST = (1 << 31) - 1


def __dir__() -> list[str]:
    return sorted(__all__)


@advised
class Walks:
    """The walks of an app from all vertices, as a re-iterable of lists of str for gensim. They are sampled while they
    are read, a block at a time.

    One round has a walk from each vertex, in an order that is shuffled by the seed. Iterating has ``num_walks`` rounds.

    Args:
        graph: the graph.
        app: an app whose samples are walks from one root, such as ``gonextdoor.apps.DeepWalk``.
        num_walks: rounds, at least 1 (default 10).
        resample: whether each iteration has new walks, which gensim then reads in each epoch (default False: the same).
        seed: an int from 0 to 2^64 - 1, a numpy Generator or None, as for ``gonextdoor.sample``.
        device, threads: as for ``gonextdoor.sample``.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range, or the samples of the app are no walks.

    Examples:
        >>> walks = gnd.embeddings.Walks(gnd.rmat(3, seed=1), gnd.apps.DeepWalk(3), num_walks=2, seed=1)
        >>> len(walks), len(list(walks)[0])
        (16, 4)
    """

    def __init__(
        self,
        graph: Graph,
        app: SamplingApp,
        num_walks: int = 10,
        *,
        resample: bool = False,
        seed: Seed = None,
        device: Device = "auto",
        threads: int | None = None,
    ) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(f"graph: expected a gonextdoor.Graph, got {type(graph).__name__}")
        if not graph.num_vertices:
            raise ValueError("graph has no vertices: expected at least one")
        self.graph, self.app = graph, app
        self.num_walks = checked_count("num_walks", num_walks, 1, LARGEST)
        self.resample, self.seed = checked_flag("resample", resample), entropy(seed)
        self._options: dict[str, Any] = {"seed": self.seed, "device": device, "threads": threads, "progress": False}
        self._passes = 0
        first = sample(graph, app, [0], names=False, **self._options)
        if not export.walks(first):
            raise ValueError(f"app = {app!r}: its samples are no walks from one root; expected one such as DeepWalk()")
        self._block = max(1, BLOCK // max(1, first.values.size))

    def __len__(self) -> int:
        """The number of walks of one iteration."""
        return self.num_walks * self.graph.num_vertices

    def __iter__(self) -> Iterator[list[str]]:
        number, self._passes = self._passes, self._passes + 1
        for samples in self._blocks(number):
            yield from export.Sentences(samples, self._words)

    @functools.cached_property
    def _words(self) -> npt.NDArray[Any]:
        """The name of each vertex, as str."""
        return export.vertex_words(self.graph.num_vertices, self.graph._name_table())

    def __repr__(self) -> str:
        return f"Walks({self.graph!r}, {self.app!r}, num_walks={self.num_walks})"

    def counts(self) -> npt.NDArray[np.int64]:
        """How often each vertex occurs in the next iteration.

        Returns:
            (num_vertices,) int64.

        Examples:
            >>> graph = gnd.Graph.from_edges([0, 1], [1, 0])
            >>> gnd.embeddings.Walks(graph, gnd.apps.DeepWalk(3), num_walks=2, seed=1).counts()
            array([8, 8])
        """
        total = np.zeros(self.graph.num_vertices, np.int64)
        for samples in self._blocks(self._passes):
            values = samples.values
            total += np.bincount(values[values >= 0], minlength=len(total))
        return total

    def _blocks(self, number: int) -> Iterator[Samples]:
        """The walks of an iteration. The id of a walk is its position among those of all iterations."""
        vertices = self.graph.num_vertices
        begin = number * self.num_walks if self.resample else 0
        for round in range(begin, begin + self.num_walks):
            roots = Positions(vertices, 1, True, False).order(self.seed, round)
            for first in range(0, vertices, self._block):
                some = roots[first : first + self._block]
                first_id = round * vertices + first
                yield sample(self.graph, self.app, some, names=False, first_id=first_id, **self._options)


@advised
class Node2Vec:
    """Embeddings of vertices by node2vec (Grover & Leskovec, KDD'16), in the form of the node2vec package.

    Args:
        graph: a ``Graph`` or a NetworkX graph.
        dimensions: components of a vector, at least 1 (default 128).
        walk_length: vertices of a walk, at least 1 (default 80): one more than ``length`` of the apps.
        num_walks: walks from each vertex, at least 1 (default 10).
        p: return parameter, positive (default 1).
        q: in-out parameter, positive (default 1).
        workers: threads of sampling and of gensim, at least 1 (default 1). With 1 the same seed gives the same vectors;
            with more, gensim's threads update them in any order. The walks are the same for any number.
        weighted: as for ``gonextdoor.apps.Node2Vec`` (default "auto").
        app: another app for the walks, in place of ``walk_length``, ``p``, ``q`` and ``weighted`` (default None).
        resample: whether each epoch has new walks (default False: the same walks in each).
        seed, device: as for ``gonextdoor.sample``.

    Attributes:
        walks: the walks, a ``Walks``.
        dimensions, workers: the arguments.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: an argument is out of range.

    Examples:
        >>> import networkx
        >>> node2vec = gnd.embeddings.Node2Vec(networkx.karate_club_graph(), dimensions=16, seed=1)
        >>> model = node2vec.fit(window=10, epochs=2)
        >>> len(model.wv.most_similar("33", topn=3))
        3
    """

    def __init__(
        self,
        graph: Graph | networkx.Graph[Any],
        dimensions: int = 128,
        walk_length: int = 80,
        num_walks: int = 10,
        p: float = 1,
        q: float = 1,
        workers: int = 1,
        *,
        weighted: bool | str = "auto",
        app: SamplingApp | None = None,
        resample: bool = False,
        seed: Seed = None,
        device: Device = "auto",
    ) -> None:
        self.dimensions = checked_count("dimensions", dimensions, 1, LARGEST)
        self.workers = checked_count("workers", workers, 1, LARGEST)
        if app is None:
            length = checked_count("walk_length", walk_length, 1, LARGEST) - 1
            app = Node2VecWalk(p=p, q=q, length=length, weighted=weighted)  # type: ignore[arg-type]
        elif (walk_length, p, q, weighted) != (80, 1, 1, "auto"):
            raise ValueError(f"app = {app!r} has its parameters: leave walk_length, p, q and weighted out")
        if not isinstance(graph, Graph):
            graph = Graph.from_networkx(graph)
        self.walks = Walks(graph, app, num_walks, resample=resample, seed=seed, device=device, threads=self.workers)

    def fit(self, **options: Any) -> Word2Vec:
        """Trains gensim's Word2Vec on the walks.

        The words are the original vertex names as str. The vocabulary is counted without reading the walks as text.

        Args:
            options: of ``gensim.models.Word2Vec``, such as ``window`` and ``epochs`` (default 5). Defaults that differ
                from gensim's: ``vector_size`` and ``workers`` as given before, ``sg=1`` (skip-gram), ``min_count=1``
                (every vertex has a vector), and ``seed`` from the seed of the walks.

        Returns:
            The model; ``model.wv`` has the vectors.

        Raises:
            ImportError: gensim is not installed.
            TypeError: there is no such option.

        Examples:
            >>> node2vec = gnd.embeddings.Node2Vec(gnd.rmat(4, seed=1), 8, walk_length=10, seed=1)
            >>> node2vec.fit(epochs=1).wv.vectors.shape
            (16, 8)
        """
        try:
            from gensim.models import Word2Vec
        except ImportError as missing:
            raise ImportError("gonextdoor.embeddings needs gensim: pip install gensim") from missing
        for name in ("sentences", "corpus_file"):
            if name in options:
                raise TypeError(f"fit got {name}=: the walks are the sentences; use gensim.models.Word2Vec for others")
        walks = self.walks
        defaults = {
            "vector_size": self.dimensions, "workers": self.workers, "sg": 1, "min_count": 1,
            "seed": walks.seed & 0xFFFFFFFF,
        }  # fmt: skip
        model = Word2Vec(**(defaults | options))
        counts = walks.counts()
        model.build_vocab_from_freq(
            dict(zip(walks._words.tolist(), counts.tolist(), strict=True)),
            corpus_count=len(walks),
            trim_rule=options.get("trim_rule"),
        )
        model.train(
            walks,
            total_examples=len(walks),
            total_words=int(counts.sum()),
            epochs=model.epochs,
            start_alpha=model.alpha,
            end_alpha=model.min_alpha,
            compute_loss=model.compute_loss,
            callbacks=options.get("callbacks") or (),
        )
        return model
