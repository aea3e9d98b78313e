"""Whether the core and the oracle agree on a user's app, choice by choice and fault by fault."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import oracle
from gonextdoor._core import native
from oracle_numbers import NO_FAULT
from oracle_view import Rows, Spec

import gonextdoor as gnd

LAYOUT = json.loads(native.call("HookLayout"))
NULL = gnd.NULL
EDGES = 200
PLACE = re.compile(r".*:\d+, in \w+")


def graph(kind: str = "weighted") -> tuple[gnd.Graph, Rows]:
    """A small multigraph with sinks, loops and labels."""
    random = np.random.default_rng(3)
    vertices = 40
    src, dst = random.integers(0, vertices - 4, EDGES), random.integers(0, vertices, EDGES)
    if kind == "dense":
        src, dst = src % 6, dst % 6
    weights = random.integers(0, 5, EDGES).astype(float) if kind == "weighted" else None
    labels = random.integers(-2, 4, EDGES)
    g = gnd.Graph.from_edges(src, dst, weights=weights, labels=labels, num_vertices=vertices)
    return g, Rows(g, weights, labels)


GRAPHS = {kind: graph(kind) for kind in ("weighted", "plain", "dense")}


def outcome(g: gnd.Graph, app: gnd.App, roots, threads: int, *, seed: int = 5, first_id: int = 7):
    """The samples, or the text and class of the error."""
    try:
        samples = gnd.sample(g, app, roots, seed=seed, first_id=first_id, threads=threads)
    except (ValueError, IndexError, ZeroDivisionError, RuntimeError) as error:
        text, _, place = str(error).partition("): ")
        assert place == "" or PLACE.fullmatch(place), place
        return type(error).__name__, text + ")" * bool(place)
    ends = samples.offsets.tolist()
    return [samples.values[a:b].tolist() for a, b in itertools.pairwise(ends)]


def expected(spec: Spec, rows: Rows, roots, *, seed: int = 5, first_id: int = 7):
    """The same by the oracle."""
    samples, fault = oracle.sample(spec, rows, roots, seed=seed, first_id=first_id)
    if fault == NO_FAULT:
        return samples
    told = LAYOUT["faults"][str(fault & 255)]
    return told["class"], f"{told['text']} (sample {first_id + (fault >> 24)}, step {fault >> 8 & 0xFFFF})"


def agree(spec: Spec, kind: str, roots) -> object:
    """Both, on one thread and on two; gives what they agree on."""
    g, rows = GRAPHS[kind]
    app, want = spec.app(), expected(spec, rows, roots)
    for threads in (1, 2):
        assert outcome(g, app, roots, threads) == want, repr(app)
    return want


def pools(n: int = 30, r: int = 3):
    return np.random.default_rng(1).integers(0, 40, (n, r))


def uniform(ctx):
    d = ctx.degree(ctx.transit)
    if d == 0:
        return NULL
    return ctx.neighbor(ctx.transit, ctx.below(0, d))
