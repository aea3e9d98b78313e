"""SampleExports: the methods of Samples that write files or create objects of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from . import export, lines

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from .._core.arguments import PathLike
    from ..graph.graph import Graph
    from .export import Sentences
    from .samples import Samples

__all__ = ["SampleExports"]


class SampleExports:
    """The methods of ``Samples`` that write files and create objects of other libraries."""

    __slots__ = ()

    def _whole(self) -> Samples:
        return cast("Samples", self)

    def sentences(self) -> Sentences:
        """The samples as a re-iterable of lists of str, for gensim.

        >>> gensim.models.Word2Vec(sentences=samples.sentences())
        """
        return export.sentences(self._whole())

    def to_linesentence(self, path: PathLike) -> None:
        """Writes one line per sample, vertex names separated by spaces: gensim's LineSentence format. A path that ends
        in .gz or .zst is compressed.

        >>> samples.to_linesentence("walks.txt.gz")

        Raises:
            ValueError: a vertex name is empty or contains white space.
            OSError: the file cannot be written.
        """
        lines.to_linesentence(self._whole(), path)

    def to_parquet(self, path: PathLike, **options: Any) -> None:
        """Writes a Parquet table with one row per sample; ``compression`` is pyarrow's (default "zstd").

        >>> samples.to_parquet("walks.parquet")
        """
        export.to_parquet(self._whole(), path, **options)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame with one row per vertex of each sample.

        >>> samples.to_pandas().groupby("id")["vertex"].nunique()
        """
        return export.to_pandas(self._whole())

    def plot(self, kind: str = "visits", **options: Any) -> Axes:
        """Draws the samples with matplotlib and returns the Axes.

        >>> samples.plot("lengths")
        >>> samples.plot("walk", sample=3)

        Args:
            kind: the picture, named after a function of ``gonextdoor.plot``: "visits", "lengths", "walk", "tree",
                "layers", "subgraph" or "timeline".
            options: of that function; also ``ax``.

        Raises:
            ImportError: matplotlib is missing.
            ValueError: kind is none of these, or the samples cannot be drawn in this way.
        """
        from ..plot import plot

        return plot(self._whole(), kind, **options)

    def save(self, path: PathLike) -> None:
        """Writes the samples and all their data, except the graph, to a file that ``Samples.load`` reads: an .npz
        archive, which appears when it is complete. Samples on a GPU are copied to the host.

        >>> samples.save("walks.npz")
        >>> gnd.Samples.load("walks.npz")

        Raises:
            OSError: the file cannot be written.
        """
        from . import file

        file.save(self._whole(), path)

    @staticmethod
    def load(path: PathLike, *, graph: Graph | None = None) -> Samples:
        """Reads samples that ``save`` wrote. The file is checked in full.

        >>> samples = gnd.Samples.load("walks.npz", graph=graph)

        Args:
            path: the file.
            graph: the graph that was sampled; None: ``samples.graph`` and plots of visits are not available.

        Raises:
            OSError: the file cannot be read.
            FormatError: the file is damaged, or ``save`` did not write it.
            ValueError: the graph has another number of vertices or edges than the one that was sampled.
        """
        from . import file

        return file.load(path, graph)
