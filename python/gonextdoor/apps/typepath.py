"""Paths of MetaPath by types of vertices or by relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["checked_path", "listed", "relation_between"]


def checked_path(values: Any) -> tuple[Any, ...] | None:
    """A path of types or of relations; None: values are none, but labels."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence) or not values:
        return None
    if isinstance(values[0], str):
        for i, value in enumerate(values):
            if not isinstance(value, str):
                raise TypeError(f"labels[{i}] = {value!r}: expected a type of vertices, as labels[0] = {values[0]!r}")
        if len(values) < 2:
            raise ValueError(f"labels = {list(values)!r}: expected the types of at least two successive vertices")
        return tuple(values)
    if not isinstance(values[0], (tuple, list)):
        return None
    path: list[tuple[str, ...]] = []
    for i, value in enumerate(values):
        if not (isinstance(value, (tuple, list)) and len(value) == 3 and all(isinstance(part, str) for part in value)):
            raise TypeError(f"labels[{i}] = {value!r}: expected a relation (source type, name, destination type)")
        if path and path[-1][2] != value[0]:
            raise ValueError(
                f"labels[{i}] = {tuple(value)!r}: expected the source type {path[-1][2]!r}, at which {path[-1]!r} ends"
            )
        path.append(tuple(value))
    return tuple(path)


def relation_between(relations: Sequence[tuple[str, str, str]], source: str, destination: str) -> int:
    """The number of the only relation between two types."""
    found = [i for i, relation in enumerate(relations) if (relation[0], relation[2]) == (source, destination)]
    if len(found) == 1:
        return found[0]
    leads = f"labels: {'several relations lead' if found else 'no relation leads'} from {source!r} to {destination!r}"
    several = [relations[i] for i in found]
    advice = f"pass relations instead of types, of {listed(several)}" if found else f"the graph has {listed(relations)}"
    raise ValueError(f"{leads}; {advice}")


def listed(relations: Iterable[tuple[str, str, str]]) -> str:
    """Relations in an error."""
    return ", ".join(map(repr, relations))
