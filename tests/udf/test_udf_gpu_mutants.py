"""Mistakes in the kernels of users' apps are found: with each of them, some app differs from the CPU."""

from __future__ import annotations

import daily
import gpu_hooks
import numpy as np
import pytest
from agreement import GRAPHS
from gonextdoor.udf import image, nvrtc

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: there is nothing to compare with")
pytestmark = pytest.mark.usefixtures("gpu")

GRAPH = GRAPHS["dense"][0]  # 200 edges from six vertices: parallel edges, and rows longer than a warp


def uneven(ctx, edge, dst):
    return 1 + ctx.edge_id(edge) % 5


def most(ctx):
    return 5


def loose(ctx):
    return 60_000


def drawn(ctx, edge, dst):
    return dst if ctx.below(0, 2) else ctx.transit


def moved(ctx, edge, dst):
    return ctx.root(0) if dst % 2 else dst


def even(ctx, v):
    return 1 + v


def turned(ctx, edge, dst):
    return 1 if edge == ctx.prev_edge else 3


def sooner(ctx, edge, dst):
    if ctx.step > 0 and (ctx.count(1) < 1 or ctx.time(edge) >= ctx.time(ctx.prev_edge)):
        return 0
    return 1 + dst % 3


TIMED = gnd.Graph.from_edges(*np.random.default_rng(2).integers(0, 6, (2, 90)), times=np.arange(90) % 31)
HOOKED, GROWING, CHOICE = "driver/hookedsample.cuh", "driver/growing.cuh", "driver/growthchoice.cuh"
PICKS = {"edge_bias": uneven, "sample_size": 5, "steps": 2}
UNIQUE = {"sample_size": 4, "steps": 2, "weighted": False}
MUTANTS: dict[str, tuple[str, str, str, dict]] = {
    "all picks of a choice by one word": (CHOICE, "first_word + count", "first_word", PICKS),
    "draws that are not made again": (
        CHOICE, "attempt += cut == None ? G::size : cut", "attempt += G::size", {**PICKS, "bound": most},
    ),
    "equal draws picked twice": (
        GROWING, "bool fresh = has && s.set.number(slot) == mark", "bool fresh = has", UNIQUE | {"unique": "step"},
    ),
    "parallel edges picked twice": (
        "driver/rowsearch.cuh", "== v; low++) visit(low);", "== v; low = count) visit(low);",
        PICKS | {"unique": "step"},
    ),
    "vertices of the step before excluded": (
        HOOKED, "if constexpr (P::per_step) this->forget();", "", UNIQUE | {"unique": "step"},
    ),
    "roots picked": (
        HOOKED, "if constexpr (P::per_sample) this->exclude(i < width, v);", "", UNIQUE | {"unique": "sample"},
    ),
    "transits numbered within the sample": (HOOKED, "expand(t - from,", "expand(t,", PICKS),
    "picks that share the words of hooks": (
        GROWING, "other.words += (u64)j * UserWords;", "", PICKS | {"update": drawn},
    ),
    "an edge to a vertex that update chose": (
        GROWING, "if (to != dst) position = NoEdge;", "", PICKS | {"update": moved},
    ),
    "a pool whose vertices stay": (
        HOOKED, "else if (G::rank() == 0) pool()[at] = begin;", "",
        {"edge_bias": uneven, "vertex_bias": even, "steps": 5, "record": "induced"},
    ),
    "links to the first of equal vertices only": (
        "driver/adjacencylinks.cuh", "begin + r < last && other == v) next = begin + r;", "begin + r < last) continue;",
        {"sample_size": 9, "steps": 1, "record": "adjacency", "replace": True},
    ),
    "a tile without the sum of the tiles before": (
        "selector/remaining.cuh", "r -= G::from(upto - mine, giver);", "", PICKS | {"scope": "collective"},
    ),
    "all candidates of the first transit": (
        GROWING, "if constexpr (P::collective) return transit_at(e.place);",
        "if constexpr (P::collective) return transit_at(from);", PICKS | {"scope": "collective", "record": "induced"},
    ),
    "a missing pick that no scan makes": (
        CHOICE, "if (made < k && !s.full) rest(c, most, k - made);", "",
        {**PICKS, "bound": loose, "unique": "step"},
    ),
    "the edge before the last as ctx.prev_edge": (
        "driver/hooked.cuh", "      edge = e.position;\n", "", {"edge_bias": turned, "steps": 9},
    ),
    "all edges that are later than the first one": (
        "driver/hooked.cuh", "    first = next.first;\n", "", {"edge_bias": sooner, "steps": 9},
    ),
    "an index in order of time for a position": (
        "driver/hooked.cuh", "if (on && timed != NoEdge) edge = temporal_position(h.w.g, previous, timed);", "",
        {"edge_bias": sooner, "steps": 9},
    ),
    "candidates in order of time as those of the row": (
        "driver/hooked.cuh", "row + fetch_far(c.g.temporal_places + first + i)", "first + i",
        {"edge_bias": sooner, "steps": 9},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", daily.share(MUTANTS, 5, "mutants of hooks"))
def test_a_mistake_is_found(name, tmp_path, monkeypatch):
    file, old, new, options = MUTANTS[name]
    compiled, named = nvrtc.Compiler.image, image.cache.named

    def mistaken(self, text, files, *rest):
        assert files[file].count(old) == 1, f"{file} has changed: {old}"
        return compiled(self, text, {**files, file: files[file].replace(old, new)}, *rest)

    monkeypatch.setenv("GONEXTDOOR_CACHE", str(tmp_path))
    monkeypatch.setattr(nvrtc.Compiler, "image", mistaken)
    monkeypatch.setattr(image.cache, "named", lambda functions, by, **rest: named(functions, [*by, name], **rest))
    roots = np.random.default_rng(1).integers(0, 6, (30, 12))
    graph = TIMED if options.get("edge_bias") is sooner else GRAPH
    outcomes = [gpu_hooks.outcome(graph, gnd.App(**options), roots, device) for device in ("cuda", "cpu")]
    assert not isinstance(outcomes[1][1], str)
    assert outcomes[0] != outcomes[1]
