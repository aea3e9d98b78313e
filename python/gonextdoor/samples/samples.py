"""Samples: the result of gnd.sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy.typing as npt

from .._core import advice
from .._core.adapters import adapter
from .._core.binding import advised
from .._core.htmltable import panel
from . import rows
from .exports import SampleExports
from .ondevice import SampleDevices
from .picture import samples_picture

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..graph.hetero import HeteroGraph

__all__ = ["Samples"]

Array = npt.NDArray[Any]


@advised
class Samples(SampleExports, SampleDevices):
    """Samples of a graph, one per row; returned by ``gonextdoor.sample``.

    ``numpy()``, or ``np.asarray(samples)``, returns them as (n, width): the roots first, then each step's vertices, and
    -1 if a sample has no vertex there. Samples that differ in length (PPR) are stored as ``values`` and ``offsets`` and
    padded on demand. So are layered samples, which also have ``steps``, ``parents`` and the edges that the app
    recorded.

    Samples on a GPU stay there until a host array is requested. ``on_device`` returns them, and PyTorch and CuPy read
    them there without a copy: ``torch.from_dlpack(samples)``. Samples on several GPUs are in ``shards``, one per GPU.

    Attributes:
        app: the app.
        seed: the seed, an int from 0 to 2^64 - 1; fresh entropy if none was given.
        first_id: the id of row 0.
        device: the device of the call: "cpu", a GPU as "cuda:0", or several as "cuda:0,cuda:1". ``drawn_on`` is the one
            that made the choices.

    Examples:
        >>> graph = gnd.rmat(8, seed=1)
        >>> samples = gnd.sample(graph, gnd.apps.DeepWalk(length=4), repeat=10, seed=1)
        >>> len(samples), samples.numpy().shape
        (2560, (2560, 5))
        >>> samples[0]  # the first walk, without padding
        array([  0, 232, 176, 222,  60], dtype=int32)
        >>> sum(len(walk) for walk in samples)  # iteration gives one walk at a time
        11680
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers know the attributes

        def __getattr__(self, name: str) -> Any:
            raise advice.missing(self, name)

    def names(self, sample: SupportsIndex | None = None) -> Array:
        """Returns the samples by the original names of their vertices.

        Args:
            sample: the row of one sample; None (default): all samples.

        Returns:
            All samples as (n, width): if names are text, an array of str objects with None for a missing vertex; if
                they are ints, a masked int64 array whose mask marks missing vertices, since -1 may be a name. One
                sample as a 1-D array of str objects or int64, without missing vertices.

        Examples:
            >>> graph = gnd.Graph.from_edges([("bob", "alice"), ("alice", "carol")])
            >>> gnd.sample(graph, gnd.apps.DeepWalk(3), ["bob"], seed=1).names()
            array([['bob', 'alice', 'carol', None]], dtype=object)
            >>> gnd.sample(graph, gnd.apps.DeepWalk(3), ["bob"], seed=1).names(0)
            array(['bob', 'alice', 'carol'], dtype=object)
        """
        return rows.named(self, sample)  # type: ignore[no-any-return]

    def updated(self, graph: Graph | HeteroGraph) -> Samples:
        """The samples that ``gonextdoor.sample`` returns for a later version of the graph, with the same app, roots,
        seed and other arguments.

        A sample depends on the rows of the vertices that it visits. So samples in host memory without a vertex whose
        row changed are kept, and only the others are made again, bit by bit as a call for the whole graph would make
        them. If they are more than half of the samples, all are made again. So are those on GPUs and those of other
        apps, which read more of the graph: ``gonextdoor.explain(graph, app, device="cpu").kept`` tells whether an app
        keeps samples. With roots=None, new vertices have samples, too.

        Args:
            graph: a version of ``samples.graph``, which ``Graph.updated`` returned; several updates may lie between. Of
                walks on a ``HeteroGraph``, a version of it, of which no type has more vertices than before.

        Returns:
            The samples of that version. These samples do not change.

        Raises:
            TypeError: it is no graph.
            ValueError: it is no version of the graph of the samples, or these were loaded from a file.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> walks = gnd.sample(graph, gnd.apps.DeepWalk(4), repeat=10, seed=1)
            >>> later = graph.updated([(7, 9), (3, 5)])
            >>> again = gnd.sample(later, gnd.apps.DeepWalk(4), repeat=10, seed=1)
            >>> np.array_equal(walks.updated(later), again)
            True
        """
        return adapter("updated")(self, graph)  # type: ignore[no-any-return]

    def __getitem__(self, key: Any) -> Array:
        """Returns samples by row: one without missing vertices, several as rows of ``numpy()``, padded with -1.

        Args:
            key: an int for one sample; a slice, a 1-D array of ints or a mask (n,) of bools for several.

        Returns:
            (length,) for one sample; (k, width) for several.

        Raises:
            IndexError: there is no such sample.
            TypeError: the key is of the wrong type.

        Examples:
            >>> samples = gnd.sample(gnd.rmat(8, seed=1), gnd.apps.PPR(0.5), [0, 1, 2], seed=1)
            >>> samples[0]
            array([  0, 232], dtype=int32)
            >>> samples[1:]
            array([[  1, 123],
                   [  2, 206]], dtype=int32)
            >>> samples[[2, 0]].shape
            (2, 2)
        """
        return rows.select(self, key)

    def __iter__(self) -> Iterator[Array]:
        """The samples in order, each as ``samples[i]``."""
        return rows.iterate(self)

    def __contains__(self, walk: object) -> bool:
        return rows.contains(self, walk)

    def __repr__(self) -> str:
        return f"Samples({len(self)} of {self.app!r}, {self._shape()}, seed={self.seed}, device={self.device!r})"

    def _repr_html_(self) -> str:
        shape = self._shape().removeprefix("shape ")
        facts = {
            "app": repr(self.app), "samples": f"{len(self):,}", "content" if self.ragged else "shape": shape,
            "selector": self.selector, "seed": str(self.seed), "device": self.device,
            "seconds": f"{self._result.seconds:.3g}",
        }  # fmt: skip
        return panel("Samples", facts, *samples_picture(self))
