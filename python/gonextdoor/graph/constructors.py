"""Constructors: the class methods that make a Graph from tables and from graphs of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .._core.adapters import adapter
from .._core.binding import advised
from . import networks, tables
from .fromarrays import FromArrays

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas
    from typing_extensions import Self

__all__ = ["Constructors"]

Column = str | int  # a column or attribute: its name or position
Weight = Literal["auto"] | bool | Column | None
Attribute = Literal[False] | Column | None


@advised
class Constructors(FromArrays):
    """The constructors of ``Graph``.

    Constructors that take arrays have ``weights=``, ``labels=`` and ``times=``. Those that take tables or graphs of
    other libraries have ``weight=``, ``time=`` and ``label=``, which name columns or attributes.
    """

    __slots__ = ()

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.Graph[Any],
        weight: Weight = "auto",
        *,
        time: Attribute = None,
        label: Attribute = None,
        symmetric: bool | Literal["auto"] = "auto",
    ) -> Self:
        """A graph from a NetworkX graph.

        The id of an edge is its position in ``list(graph.edges)``. Nodes other than 0 ... n-1 in order are kept as
        ``vertex_names``.

        Args:
            graph: any NetworkX graph; its nodes in their order are the vertices.
            weight: the edge attribute with the weights, which count as 1 for edges without it. "auto" (default): an
                attribute with a known name (``weight``, ...), if there is one; True: the same, and refuse a graph
                without; False or None: unweighted.
            time: the edge attribute with the times (ints or dates), which every edge must have. None (default): an
                attribute with a known name (``time``, ...), if there is one; False: no times.
            label: the edge attribute with the labels (ints of 32 bits), likewise.
            symmetric: hold every edge in both directions; "auto" (default): if the graph is undirected.

        Returns:
            The graph.

        Raises:
            TypeError: the argument is not a NetworkX graph.
            ValueError: there is no such attribute, or an edge has no time or label.

        Examples:
            >>> import networkx
            >>> gnd.Graph.from_networkx(networkx.karate_club_graph())
            Graph(num_vertices=34, num_edges=156, weighted)
        """
        return cls._of(networks.from_networkx(graph, weight, time, label, symmetric))

    @classmethod
    def from_igraph(
        cls,
        graph: igraph.Graph,
        weight: Weight = "auto",
        *,
        time: Attribute = None,
        label: Attribute = None,
        symmetric: bool | Literal["auto"] = "auto",
    ) -> Self:
        """A graph from a python-igraph graph.

        The id of an edge is its index in igraph. The vertex attribute ``name`` becomes ``vertex_names``.

        Args:
            graph: any ``igraph.Graph``.
            weight: the edge attribute with the weights, as for ``from_networkx``. igraph gives every edge every
                attribute: a weight that is None counts as 1.
            time: the edge attribute with the times, as for ``from_networkx``. A time that is None is refused.
            label: the edge attribute with the labels, likewise.
            symmetric: hold every edge in both directions; "auto" (default): if the graph is undirected.

        Returns:
            The graph.

        Raises:
            TypeError: the argument is not an igraph graph.
            ValueError: there is no such attribute, or an edge has no time or label.

        Examples:
            >>> import igraph
            >>> gnd.Graph.from_igraph(igraph.Graph.Famous("Zachary"))
            Graph(num_vertices=34, num_edges=156)
        """
        return cls._of(networks.from_igraph(graph, weight, time, label, symmetric))

    @classmethod
    def from_pandas(
        cls,
        frame: pandas.DataFrame,
        source: Column | None = None,
        target: Column | None = None,
        weight: Weight = "auto",
        *,
        time: Attribute = None,
        label: Attribute = None,
        symmetric: bool = False,
        bipartite: bool | Literal["auto"] = "auto",
    ) -> Self:
        """A graph from a pandas frame with one row per edge.

        The id of an edge is the position of its row. Vertices that are not 0 ... n-1 are numbered in ascending order
        and kept as ``vertex_names``.

        Args:
            frame: the frame. Columns of ids are integers or text, without missing values.
            source: the column with the vertices that the edges leave. None (default): a column with a known name
                (``source``, ...), or else the first.
            target: the column with the vertices that the edges lead to. None (default): a column with a known name
                (``target``, ...), or else the second.
            weight: the column with the weights. "auto" (default): one with a known name (``weight``, ...), if there is
                one; True: the same, and refuse a frame without; False or None: unweighted.
            time: the column with the times (ints or dates). None (default): one with a known name (``time``, ...), if
                there is one; False: no times.
            label: the column with the labels (ints of 32 bits), likewise.
            symmetric: hold every edge in both directions.
            bipartite: whether a source and a target of one id are different vertices, named such as ``"user:1"`` and
                ``"item:1"``; sources come first. "auto" (default): if the names of the columns are of different kinds
                of vertices, and an id occurs in both.

        Returns:
            The graph.

        Raises:
            TypeError: an argument is of the wrong type, or an id is neither an integer nor text.
            ValueError: there is no such column, an id is missing, or a weight, time or label is not valid. The text
                names column, position and value.

        Examples:
            >>> import pandas
            >>> frame = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 2.5]})
            >>> gnd.Graph.from_pandas(frame)
            Graph(num_vertices=3, num_edges=2, weighted)
        """
        number, said = tables.from_pandas(frame, source, target, weight, time, label, symmetric, bipartite)
        return cls._of(number, source=said)

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        source: Column | None = None,
        target: Column | None = None,
        weight: Weight = "auto",
        *,
        time: Attribute = None,
        label: Attribute = None,
        symmetric: bool = False,
        bipartite: bool | Literal["auto"] = "auto",
    ) -> Self:
        """A graph from any object with the Arrow C stream interface (``__arrow_c_stream__``) and one row per edge.

        Such objects are a pyarrow Table or RecordBatchReader, a Polars DataFrame, a DuckDB relation, or a pandas
        DataFrame (2.2 or later).

        Args:
            table: the object. Columns of ids are integers or text (string, large_string, string_view, or a dictionary
                of them), without nulls. A stream is read once, and only the columns that are used are kept.
            source: the column with the vertices that the edges leave, as for ``from_pandas``.
            target: the column with the vertices that the edges lead to, as for ``from_pandas``.
            weight: the column with the weights, as for ``from_pandas``.
            time: the column with the times, as for ``from_pandas``.
            label: the column with the labels, as for ``from_pandas``.
            symmetric: hold every edge in both directions.
            bipartite: whether a source and a target of one id are different vertices, named such as ``"user:1"`` and
                ``"item:1"``; sources come first. "auto" (default): if the names of the columns are of different kinds
                of vertices, and an id occurs in both.

        Returns:
            The graph.

        Raises:
            ImportError: pyarrow 18 or later, which imports the stream, is not installed.
            TypeError: the object has no such interface, or as for ``from_pandas``.
            ValueError: as for ``from_pandas``.

        Examples:
            >>> import polars
            >>> frame = polars.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 2.5]})
            >>> gnd.Graph.from_arrow(frame, symmetric=True)
            Graph(num_vertices=3, num_edges=4, weighted)
        """
        number, said = tables.from_arrow(table, source, target, weight, time, label, symmetric, bipartite)
        return cls._of(number, source=said)

    @classmethod
    def from_pyg(cls, data: Any, edge_dir: str = "in", *, weight_attr: str | None = None) -> Self | Any:
        """A graph from a torch_geometric Data, or a HeteroGraph from a HeteroData or a (FeatureStore, GraphStore).

        Ids of edges are positions in ``edge_index``.

        Args:
            data: the Data, HeteroData or pair of stores.
            edge_dir: "in" (default): row v lists the edges that lead to v, along which mini-batches are sampled; "out":
                those that leave it.
            weight_attr: the edge attribute with the weights; None: unweighted.

        Returns:
            A Graph for a Data, otherwise a HeteroGraph.

        Raises:
            ImportError: PyTorch or PyTorch Geometric is not installed.
        """
        return adapter("from_pyg")(data, edge_dir, weight_attr)

    @classmethod
    def from_dgl(cls, g: Any, edge_dir: str = "in", *, prob: str | None = None, mask: str | None = None) -> Self | Any:
        """A graph from a ``dgl.DGLGraph``; a ``HeteroGraph`` if it has several types of vertices or edges.

        Ids of edges are DGL's. ``gonextdoor.dgl.from_dgl`` documents the arguments.

        Args:
            g: the graph.
            edge_dir: "in" (default): row v lists the edges that lead to v, as message passing needs them; "out": those
                that leave it.
            prob: the edge feature with the weights; None: unweighted.
            mask: the edge feature that selects the edges to keep; None: all.

        Returns:
            A Graph for one type of vertices and edges, otherwise a HeteroGraph.

        Raises:
            ImportError: PyTorch or DGL is not installed.
        """
        return adapter("from_dgl")(g, edge_dir, prob=prob, mask=mask)
