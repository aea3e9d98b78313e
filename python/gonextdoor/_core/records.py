"""Records that pass the arguments and results of calls of the core: fields of 8 bytes each.

Generated from pybind/record/record.go by go test ./pybind/record -write.
"""

from __future__ import annotations

import struct
from typing import NamedTuple


class Request(NamedTuple):
    """Request is the arguments of one call of a sampler.

    Python writes it; the core reads it before the call samples. Addresses are 0 if there is no array.
    """

    roots: int
    root_count: int
    kind: int
    repeat: int
    seed: int
    first: int
    threads: int
    edges: int
    size: int
    vertices: int
    edge_ids: int
    rows: int
    slots: int
    visits: int
    ends: int
    result: int
    order: int
    from_host: int
    ids: int


class Ragged(NamedTuple):
    """Ragged is a result whose samples differ in length.

    The blocks are lent; Return takes them back.
    """

    offsets: int
    vertices: int
    edges: int
    total: int


class Layers(NamedTuple):
    """Layers is a result whose samples are layered.

    The blocks are lent; Return takes them back. If no links are recorded, the addresses from LinksFrom on are 0.
    """

    offsets: int
    vertices: int
    edges: int
    parents: int
    ends_from: int
    ends: int
    links_from: int
    sources: int
    targets: int
    link_edges: int
    values: int
    total: int
    end_count: int
    link_count: int


class DeviceResult(NamedTuple):
    """DeviceResult describes a result, or a part of one, in the memory of a GPU."""

    rows: int
    width: int
    stride: int
    roots: int
    total: int
    device: int
    ends: int
    links: int
    from_host: int
    handle: int


class AppFacts(NamedTuple):
    """AppFacts describes the samples that an app grows from a number of roots."""

    width: int
    layered: int
    pool: int
    per_step: int
    records: int
    vertices: float


class Costs(NamedTuple):
    """Costs are the seconds of work other than sampling.

    Python decides by them whether a call runs beside the interpreter. Each is the constant of its name in package plan.
    """

    first_call_edge: float
    read_byte: float
    save_start: float
    save_byte: float
    build_edge: float
    reverse_edge: float
    rmat_edge: float
    relation_edge: float
    draw_root: float
    neighbor_edge: float
    neighbor_gpu: float
    neighbor_upload: float
    copy_byte: float
    line_vertex: float
    gzip_vertex: float
    zstd_vertex: float


class FeaturePart(NamedTuple):
    """FeaturePart is consecutive rows of features in one place."""

    rows: int
    address: int
    stride: int
    writeable: int
    file: int
    offset: int


class FeatureCall(NamedTuple):
    """FeatureCall is the arguments of a read or an update of features."""

    ids: int
    rows: int
    kind: int
    values: int
    threads: int


class Induced(NamedTuple):
    """Induced is the arguments of a search for the edges from the vertices of each group to its others, and the result.

    The blocks are lent; Return takes them back. See package induced.
    """

    vertices: int
    ends: int
    others: int
    other_ends: int
    groups: int
    order: int
    places: int
    ids: int
    found: int


class Clustered(NamedTuple):
    """Clustered is the arguments of a search for the edges among the vertices of chosen clusters, and the result.

    The blocks are lent; Return takes them back. See package induced.
    """

    chosen: int
    clusters: int
    vertices: int
    size: int
    places: int
    ids: int
    found: int


class FeatureCounts(NamedTuple):
    """FeatureCounts is what a store of features has read so far."""

    reads: int
    device_rows: int
    host_rows: int
    file_rows: int
    kernel_rows: int


class FeatureIDs(NamedTuple):
    """FeatureIDs is ids of rows of features, in host memory or in the memory of a device."""

    address: int
    rows: int
    kind: int
    host: int
    stream: int


class FeatureTarget(NamedTuple):
    """FeatureTarget is memory of a device for the rows of a read."""

    address: int
    stream: int


class FeatureCache(NamedTuple):
    """FeatureCache describes the cache of features on a device."""

    slots: int
    placed: int
    rows: int
    lookahead: int
    classes: int
    misses: int
    threads: int
    bytes: int


REQUEST = struct.Struct("=qqqqQQqqqqqqqqqqqqq")
RAGGED = struct.Struct("=qqqq")
LAYERS = struct.Struct("=qqqqqqqqqqqqqq")
DEVICE_RESULT = struct.Struct("=qqqqqqqqqq")
APP_FACTS = struct.Struct("=qqqqqd")
COSTS = struct.Struct("=dddddddddddddddd")
FEATURE_PART = struct.Struct("=qqqqqq")
FEATURE_CALL = struct.Struct("=qqqqq")
INDUCED = struct.Struct("=qqqqqqqqq")
CLUSTERED = struct.Struct("=qqqqqqq")
FEATURE_COUNTS = struct.Struct("=qqqqq")
FEATURE_IDS = struct.Struct("=qqqqq")
FEATURE_TARGET = struct.Struct("=qq")
FEATURE_CACHE = struct.Struct("=qqqqqqqq")
