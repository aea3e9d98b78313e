"""Constructors: the class methods that make a Graph from arrays and from other libraries' objects."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt

from .._core.arguments import Arguments
from .._core.checks import check_size

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas

    from .graph import Graph
    from .hetero import HeteroGraph

__all__ = ["Constructors"]

Column = str | int  # a column or attribute: its name or position
Weight = Literal["auto"] | bool | Column | None
Attribute = Literal[False] | Column | None

# The modules with the conversions from other frameworks. They import this package and the framework, so the graph
# imports them at the first call.
_ADAPTERS = {"from_pyg": "gonextdoor.pyg.graphs", "from_dgl": "gonextdoor.dgl.graphs"}


def _adapter(name: str) -> Any:
    """Returns the conversion of that name from its adapter.

    Raises:
        ImportError: the framework is missing.
    """
    return getattr(importlib.import_module(_ADAPTERS[name]), name)


class Constructors:
    """The constructors of ``Graph``.

    Constructors that take arrays have ``weights=``, ``labels=`` and ``times=``. Those that take tables or graphs of
    other libraries have ``weight=``, ``time=`` and ``label=``, which name columns or attributes.
    """

    __slots__ = ()

    @classmethod
    def from_csr(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        *,
        weights: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
        edge_ids: npt.ArrayLike | None = None,
        num_vertices: int | None = None,
    ) -> Graph:
        """A graph from compressed sparse rows, which need not be sorted.

        Args:
            indptr: (V + 1,) ints: where each row begins in indices, and the end.
            indices: (E,) ints: the end point of each edge.
            weights: (E,) non-negative finite numbers; None: unweighted.
            labels: (E,) ints of 32 bits. times: (E,) ints.
            edge_ids: (E,) ints: the id of each edge; None: its position in indices.
            num_vertices: V, at least len(indptr) - 1; vertices after those rows have no edges. None: len(indptr) - 1.

        Raises:
            TypeError, ValueError: an array is of the wrong type, rank or length, indptr decreases or does not end at E,
                an end point is no vertex, or a weight is negative or not finite; the text names array, index and value.

        Example:
            >>> gnd.Graph.from_csr([0, 2, 2, 3], [1, 2, 0], weights=[0.5, 2.0, 1.0])
            Graph(num_vertices=3, num_edges=3, weighted)
        """
        from .graph import Graph

        spec = Arguments(indptr=indptr, indices=indices)
        spec.optional(weights=weights, labels=labels, times=times, edge_ids=edge_ids)
        if num_vertices is not None:
            spec.options(num_vertices=check_size("num_vertices", num_vertices))
        return Graph._of(spec.run("GraphFromCSR", "indices"))

    @classmethod
    def from_edges(
        cls,
        src: Any,
        dst: Any = None,
        *,
        weights: npt.ArrayLike | None = None,
        labels: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
        num_vertices: int | None = None,
        symmetric: bool = False,
        deduplicate: bool = False,
        drop_self_loops: bool = False,
        relabel: bool = False,
    ) -> Graph:
        """A graph from a list of edges. The id of an edge is its position in the list.

        Args:
            src, dst: (E,) ints or text: the vertex that each edge leaves, and the one that it leads to; anything that
                ``numpy.asarray`` takes, e.g. a torch tensor. Without dst, src holds both: (2, E), like PyG's
                edge_index, (E, 2), or any iterable of pairs. An array of shape (2, 2) is read as (2, E), with an
                ``InputWarning`` if the other reading differs; a list of two tuples is two pairs.
            weights: (E,) non-negative finite numbers; None: unweighted.
            labels: (E,) ints of 32 bits. times: (E,) ints.
            num_vertices: V, at most 2^32 - 2; None: one more than the largest id.
            symmetric: hold every edge in both directions, both with its id; self-loops once.
            deduplicate: keep only the first of equal edges.
            drop_self_loops: leave out edges from a vertex to itself.
            relabel: number the ids that occur in ascending order, and keep them as ``vertex_names``. Text is always
                numbered so. False: an int is the number of its vertex, so 4,000,000,000 needs 32 GB; from 2^27 on, ids
                that are far larger than the number of edges are refused unless num_vertices is given.

        Raises:
            TypeError, ValueError: an array is of the wrong type, rank or length, an id is negative or too large, or a
                weight is negative or not finite; the text names array, position and value.

        Example:
            >>> gnd.Graph.from_edges([0, 0, 1], [1, 2, 2])
            Graph(num_vertices=3, num_edges=3)
            >>> gnd.Graph.from_edges([("bob", "alice"), ("alice", "carol")], symmetric=True).vertex_names
            array(['alice', 'bob', 'carol'], dtype=object)
            >>> gnd.Graph.from_edges(data.edge_index)  # of a torch_geometric Data
            Graph(num_vertices=2708, num_edges=10556)
        """
        from . import edgelist

        attributes = {"weights": weights, "labels": labels, "times": times}
        flags = {"symmetric": symmetric, "deduplicate": deduplicate, "drop_self_loops": drop_self_loops}
        return edgelist.from_edges(src, dst, attributes, num_vertices, flags, relabel)

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, weight: Literal["auto"] | bool | None = "auto", symmetric: bool = False
    ) -> Graph:
        """A graph from a square SciPy sparse matrix or array: entry (u, v) is an edge from u to v.

        Args:
            matrix: (V, V), of any sparse format. Duplicate entries of a CSR or CSC matrix are parallel edges; those of
                other formats are added up by ``tocsr``.
            weight: "auto": the entries are weights, unless they are booleans or all 1; True: they are, in any case;
                False or None: the graph is unweighted.
            symmetric: hold every edge in both directions, for a matrix that has each edge once, e.g. a triangular one.

        The id of an edge is the position of its entry in the CSR form, ``matrix.tocsr()``.

        Raises:
            TypeError, ValueError: it is not sparse, not square, or has an entry that is no weight.

        Example:
            >>> gnd.Graph.from_scipy(scipy.sparse.csr_array([[0, 2], [1, 0]])).weights
            array([2., 1.])
        """
        from . import convert

        return convert.from_scipy(matrix, weight=weight, symmetric=symmetric)

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.Graph[Any],
        weight: Weight = "auto",
        *,
        time: Attribute = None,
        label: Attribute = None,
        symmetric: bool | Literal["auto"] = "auto",
    ) -> Graph:
        """A graph from a NetworkX graph. The id of an edge is its position in ``list(graph.edges)``; nodes other than
        0 ... n-1 in order are kept as ``vertex_names``.

        Args:
            graph: any NetworkX graph; its nodes in their order are the vertices.
            weight: the edge attribute with the weights, which count as 1 for edges without it. "auto": an attribute
                with a known name (``weight``, ...), if there is one; True: the same, and refuse a graph without; False
                or None: unweighted.
            time, label: the edge attribute with the times (ints) and the labels (ints of 32 bits), which every edge
                must have. None: an attribute with a known name (``time``, ``label``, ...), if there is one; False:
                none.
            symmetric: hold every edge in both directions; "auto": if the graph is undirected.

        Raises:
            TypeError, ValueError: it is no NetworkX graph, there is no such attribute, or an edge has no time or label.

        Example:
            >>> gnd.Graph.from_networkx(networkx.karate_club_graph())
            Graph(num_vertices=34, num_edges=156, weighted)
        """
        from . import networks

        return networks.from_networkx(graph, weight, time, label, symmetric)

    @classmethod
    def from_igraph(
        cls,
        graph: igraph.Graph,
        weight: Weight = "auto",
        *,
        time: Attribute = None,
        label: Attribute = None,
        symmetric: bool | Literal["auto"] = "auto",
    ) -> Graph:
        """A graph from a python-igraph graph. The id of an edge is its index in igraph; the vertex attribute ``name``
        becomes ``vertex_names``.

        Args:
            graph: any ``igraph.Graph``.
            weight, time, label: names of edge attributes, as for ``from_networkx``. igraph gives every edge every
                attribute: a weight that is None counts as 1, and a time or label that is None is refused.
            symmetric: hold every edge in both directions; "auto": if the graph is undirected.

        Raises:
            TypeError, ValueError: it is no igraph graph, there is no such attribute, or an edge has no time or label.

        Example:
            >>> gnd.Graph.from_igraph(igraph.Graph.Famous("Zachary"))
            Graph(num_vertices=34, num_edges=156)
        """
        from . import networks

        return networks.from_igraph(graph, weight, time, label, symmetric)

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
    ) -> Graph:
        """A graph from a pandas frame with one row per edge. The id of an edge is the position of its row; vertices
        that are not 0 ... n-1 are numbered in ascending order and kept as ``vertex_names``.

        Args:
            frame: columns of ids are integers or text, without missing values.
            source, target: the columns with the vertices that each edge leaves and leads to. None: columns with known
                names (``source``, ``target``, ...), or else the first two.
            weight: the column with the weights. "auto": one with a known name (``weight``, ...), if there is one; True:
                the same, and refuse a frame without; False or None: unweighted.
            time, label: the columns with the times (ints) and the labels (ints of 32 bits). None: one with a known name
                (``time``, ``label``, ...), if there is one; False: none.
            symmetric: hold every edge in both directions.

        Raises:
            TypeError, ValueError: there is no such column, an id is missing or neither an integer nor text, or a
                weight, time or label is not valid; the text names column, position and value.

        Example:
            >>> frame = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 2.5]})
            >>> gnd.Graph.from_pandas(frame)
            Graph(num_vertices=3, num_edges=2, weighted)
        """
        from . import tables

        return tables.from_pandas(frame, source, target, weight, time, label, symmetric)

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
    ) -> Graph:
        """A graph from any object with the Arrow C stream interface (``__arrow_c_stream__``) and one row per edge: a
        pyarrow Table or RecordBatchReader, a Polars DataFrame, a DuckDB relation, a pandas DataFrame (2.2 or later).

        Args:
            table: columns of ids are integers or text (string, large_string, string_view, or a dictionary of them),
                without nulls. A stream is read once, and only the columns that are used are kept.
            source, target, weight, time, label, symmetric: as for ``from_pandas``.

        Raises:
            ImportError: pyarrow 15 or later, which imports the stream, is not installed.
            TypeError, ValueError: it has no such interface, or as ``from_pandas``.

        Example:
            >>> frame = polars.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 2.5]})
            >>> gnd.Graph.from_arrow(frame, symmetric=True)
            Graph(num_vertices=3, num_edges=4, weighted)
        """
        from . import tables

        return tables.from_arrow(table, source, target, weight, time, label, symmetric)

    @classmethod
    def from_pyg(cls, data: Any, edge_dir: str = "in", *, weight_attr: str | None = None) -> Graph | HeteroGraph:
        """A graph from a torch_geometric Data, or a HeteroGraph from a HeteroData or a (FeatureStore, GraphStore). Ids
        of edges are positions in ``edge_index``; weight_attr names the edges' attribute with their weights.

        Args:
            edge_dir: "in": row v lists the edges that lead to v, along which mini-batches are sampled; "out": those
                that leave it.
        """
        made: Graph | HeteroGraph = _adapter("from_pyg")(data, edge_dir, weight_attr)
        return made

    @classmethod
    def from_dgl(
        cls, g: Any, edge_dir: str = "in", *, prob: str | None = None, mask: str | None = None
    ) -> Graph | HeteroGraph:
        """A graph from a ``dgl.DGLGraph``; a ``HeteroGraph`` where it has several types of vertices or edges. Ids of
        edges are DGL's. ``gonextdoor.dgl.from_dgl`` has the arguments.

        Args:
            edge_dir: "in": row v lists the edges that lead to v, as message passing needs them; "out": those from v.
            prob, mask: names of edge features: weights; which edges to keep.
        """
        made: Graph | HeteroGraph = _adapter("from_dgl")(g, edge_dir, prob=prob, mask=mask)
        return made
