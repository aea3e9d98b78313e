"""Attributes: which attributes of PyG's data have a row per node or per edge."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Attributes"]


class StoreAttributes(NamedTuple):
    """The attributes of a store of PyG's data.

    Attributes:
        nodes, edges: those with a row per node, and per edge, each as (name, values, axis of the rows).
        values: the values of all attributes. They are kept alive, so that no other object can get one of their ids.
        names, ids: the names and ids of the values, in the order of the store.
    """

    nodes: list[tuple[str, Any, Any]]
    edges: list[tuple[str, Any, Any]]
    values: dict[str, Any]
    names: list[str]
    ids: list[int]


class Attributes:
    """The attributes of the stores of a Data or HeteroData.

    PyG decides by some ten functions of Python per attribute, which take longer than gathering the rows of a small
    batch. Here the decisions are kept until an attribute of the store is added, removed or replaced.
    """

    def __init__(self) -> None:
        self._known: dict[Any, StoreAttributes] = {}

    def of(self, key: Any, store: Any) -> StoreAttributes:
        """The attributes of a store. key: its type; None in a Data."""
        mapping, known = store._mapping, self._known.get(key)
        if known is not None and known.ids == [*map(id, mapping.values())] and known.names == [*mapping]:
            return known
        values, data = dict(mapping), store._parent()
        nodes, edges = (
            [(name, value, data.__cat_dim__(name, value, store)) for name, value in values.items() if has_rows(name)]
            for has_rows in (store.is_node_attr, store.is_edge_attr)
        )
        known = StoreAttributes(nodes, edges, values, [*values], [*map(id, values.values())])
        self._known[key] = known
        return known

    def __reduce__(self) -> tuple[type[Attributes], tuple[()]]:
        return Attributes, ()  # a copy has other data
