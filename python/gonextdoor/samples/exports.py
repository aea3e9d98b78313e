"""SampleExports: the methods of Samples that write files or create objects of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core.adapters import adapter
from .._core.binding import advised
from . import export, lines
from .arrays import SampleArrays

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from typing_extensions import Self

    from .._core.arguments import PathLike
    from ..graph.graph import Graph
    from .export import Sentences

__all__ = ["SampleExports"]


@advised
class SampleExports(SampleArrays):
    """The methods of ``Samples`` that write files and create objects of other libraries."""

    __slots__ = ()

    def sentences(self) -> Sentences:
        """Returns the samples as a re-iterable of lists of str, for gensim:
        ``gensim.models.Word2Vec(sentences=samples.sentences())``.

        Examples:
            >>> samples = gnd.sample(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(3), [0, 1], seed=1)
            >>> list(samples.sentences())
            [['0', '232', '176', '222'], ['1', '123', '168', '215']]
        """
        return export.sentences(self)

    def to_linesentence(self, path: PathLike) -> None:
        """Writes one line per sample, vertex names separated by spaces: gensim's LineSentence format.

        Args:
            path: the file. A path that ends in .gz or .zst is compressed.

        Raises:
            ValueError: a vertex name is empty or contains white space.
            OSError: the file cannot be written.

        Examples:
            >>> samples = gnd.sample(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(3), [0, 1], seed=1)
            >>> samples.to_linesentence("walks.txt")
            >>> print(open("walks.txt").read(), end="")
            0 232 176 222
            1 123 168 215
        """
        lines.to_linesentence(self, path)

    def to_parquet(self, path: PathLike, **options: Any) -> None:
        """Writes a Parquet table with one row per sample.

        Args:
            path: the file.
            options: of ``pyarrow.parquet.ParquetWriter``, such as ``compression`` (default "zstd").

        Raises:
            ImportError: pyarrow is not installed.
            OSError: the file cannot be written.

        Examples:
            >>> import pyarrow.parquet
            >>> samples = gnd.sample(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(3), [0, 1], seed=1)
            >>> samples.to_parquet("walks.parquet")
            >>> pyarrow.parquet.read_table("walks.parquet").column_names
            ['id', 'root', 'walk']
        """
        export.to_parquet(self, path, **options)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a pandas frame with one row per vertex of each sample.

        Raises:
            ImportError: pandas is not installed.

        Examples:
            >>> import pandas
            >>> samples = gnd.sample(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(3), [0, 1], seed=1)
            >>> samples.to_pandas().groupby("id")["vertex"].nunique().tolist()
            [4, 4]
        """
        return export.to_pandas(self)

    def plot(self, kind: str = "visits", **options: Any) -> Axes:
        """Draws the samples with matplotlib and returns the Axes.

        Args:
            kind: the picture, named after a function of ``gonextdoor.plot``: "visits", "lengths", "walk", "tree",
                "layers", "subgraph" or "timeline".
            options: of that function; also ``ax``.

        Raises:
            ImportError: matplotlib is missing.
            ValueError: kind is none of these, or the samples cannot be drawn in this way.

        Examples:
            >>> samples = gnd.sample(gnd.rmat(8, seed=1), gnd.apps.PPR(0.2), seed=1)
            >>> axes = samples.plot("lengths")
        """
        axes: Axes = adapter("plot")(self, kind, **options)
        return axes

    def save(self, path: PathLike) -> None:
        """Writes the samples and all their data, except the graph, to a file that ``Samples.load`` reads.

        The file is an .npz archive, which appears when it is complete. Samples on a GPU are copied to the host.

        Args:
            path: the file.

        Raises:
            OSError: the file cannot be written.

        Examples:
            >>> samples = gnd.sample(gnd.rmat(8, seed=1), gnd.apps.DeepWalk(3), [0, 1], seed=1)
            >>> samples.save("walks.npz")
            >>> np.array_equal(gnd.Samples.load("walks.npz").numpy(), samples.numpy())
            True
        """
        from . import file

        file.save(self, path)

    @classmethod
    def load(cls, path: PathLike, *, graph: Graph | None = None) -> Self:
        """Reads samples that ``save`` wrote. The whole file is checked.

        Args:
            path: the file.
            graph: the graph that was sampled; None (default): ``samples.graph`` and plots of visits are not available.

        Returns:
            The samples.

        Raises:
            OSError: the file cannot be read.
            FormatError: the file is damaged, or ``save`` did not write it.
            ValueError: the graph has another number of vertices or edges than the one that was sampled.

        Examples:
            >>> graph = gnd.rmat(8, seed=1)
            >>> gnd.sample(graph, gnd.apps.DeepWalk(3), [0, 1], seed=1).save("walks.npz")
            >>> gnd.Samples.load("walks.npz", graph=graph).graph is graph
            True
        """
        from . import file

        return file.load(cls, path, graph)
