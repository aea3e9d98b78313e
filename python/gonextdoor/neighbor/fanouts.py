"""Fan-outs: how many edges each vertex takes, by hop and relation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, SupportsIndex

from .._core.checks import checked_int
from ..apps.parameters import MAX_WIDTH
from ..graph.hetero import RelationType

__all__ = ["Fanouts", "by_relation", "fanout_of"]

Fanouts = Iterable[SupportsIndex | Mapping[RelationType, SupportsIndex]]


def by_relation(fanouts: Any, relations: list[RelationType] | None) -> list[list[int]]:
    """Fan-outs by hop and relation."""
    if isinstance(fanouts, (str, bytes)) or not isinstance(fanouts, Iterable):
        raise TypeError(f"fanouts = {fanouts!r}: expected a sequence, one number or dict per hop")
    hops = []
    for i, hop in enumerate(fanouts):
        name = f"fanouts[{i}]"
        if not isinstance(hop, Mapping):
            hops.append([fanout_of(name, hop)] * (1 if relations is None else len(relations)))
            continue
        if relations is None:
            raise TypeError(f"{name}: expected an int, since the graph has one relation")
        for relation in hop:
            if relation not in relations:
                raise ValueError(
                    f"{name}[{relation!r}]: expected one of the relations {', '.join(map(repr, relations))}"
                )
        for relation in relations:
            if relation not in hop:
                raise ValueError(f"{name} has no number for {relation!r}: expected one for each relation")
        hops.append([fanout_of(f"{name}[{relation!r}]", hop[relation]) for relation in relations])
    if not hops:
        raise ValueError("fanouts is empty: expected one number per hop")
    return hops


def fanout_of(name: str, value: Any) -> int:
    """A number of edges that each vertex takes: from 0, or -1 for all."""
    number = checked_int(name, value, ", at least 0, or -1 for all")
    if not -1 <= number <= MAX_WIDTH:
        raise ValueError(f"{name} = {number}: expected from 0 to 2^28, or -1 for all")
    return number
