"""The record of a call of neighbour sampling: the request, and the headers of its batches.

Generated from gonextdoor/engine/neighborbatch/record.go by go generate, and compared by its tests. All fields are
int64. Offsets and lengths count 8-byte integers of a batch's arena.
"""

from __future__ import annotations

from typing import NamedTuple


class Request(NamedTuple):
    batches: int
    place: int
    turn: int
    seed_nodes: int
    kind: int
    times: int
    windows: int
    excluded: int
    room: int
    pending: int


class BatchHeader(NamedTuple):
    arena: int
    words: int
    host: int


class TypeHeader(NamedTuple):
    nodes: int
    trees: int
    new: list[int]


class RelationHeader(NamedTuple):
    sources: int
    destinations: int
    edge_ids: int
    edges: list[int]


class HopHeader(NamedTuple):
    first: int
    destinations: int
    indptr: int
    indices: int
    edge_ids: int
    edges: int


class Header(NamedTuple):
    batch: BatchHeader
    types: list[TypeHeader]
    relations: list[RelationHeader]  # of the layout "coo", by relations
    hops: list[HopHeader]  # of the layout "csc", by hops and relations


def header_words(types: int, relations: int, hops: int, coo: bool) -> int:
    """The length of a header."""
    words = 0
    words += 3
    words += types * (3 + hops)
    if coo:
        words += relations * (3 + hops)
    if not coo:
        words += hops * relations * 6
    return words


def read_header(numbers: list[int], types: int, relations: int, hops: int, coo: bool) -> Header:
    """The header that numbers begin with."""
    make = tuple.__new__  # a NamedTuple's own is a function of Python, which takes longer
    header, at = make(Header, (make(BatchHeader, numbers[:3]), [], [], [])), 3
    for _ in range(types):
        header.types.append(make(TypeHeader, (*numbers[at : at + 2], numbers[at + 2 : at + 3 + hops])))
        at += 3 + hops
    if coo:
        for _ in range(relations):
            header.relations.append(make(RelationHeader, (*numbers[at : at + 3], numbers[at + 3 : at + 3 + hops])))
            at += 3 + hops
    if not coo:
        for _ in range(hops * relations):
            header.hops.append(make(HopHeader, numbers[at : at + 6]))
            at += 6
    return header
