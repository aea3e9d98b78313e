"""What notebooks show: well-formed HTML with a picture, which escapes names and repeats nothing."""

import xml.etree.ElementTree as ElementTree

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

NASTY = "<b>&\"'"


def parsed(thing):
    """The HTML as a tree; well-formed as XML, so that every element is closed."""
    return ElementTree.fromstring(thing._repr_html_())


def heads(tree):
    return ["".join(cell.itertext()) for cell in tree.iter("th")]


def drawn(tree):
    return [part.tag.rpartition("}")[2] for svg in tree.iter("{http://www.w3.org/2000/svg}svg") for part in svg.iter()]


def nasty():
    return gnd.Graph.from_edges([(NASTY, "bo"), ("bo", "cy")], symmetric=True)


def hetero():
    graph = gnd.Graph.from_edges([0, 1], [1, 0])
    return gnd.HeteroGraph({(NASTY, "to", NASTY): graph, (NASTY, "of", "b"): graph}, {NASTY: 2, "b": 2})


def _bias(ctx, edge, dst):
    return ctx.degree(dst)


def _stop(ctx):
    return ctx.chance(4) == 0


THINGS = {
    "small graph": nasty,
    "large graph": lambda: gnd.rmat(8, 4, seed=1),
    "weighted graph": lambda: corpus.graph(weighted=True),
    "types": hetero,
    "walks": lambda: gnd.sample(nasty(), gnd.apps.DeepWalk(4), seed=1),
    "long walks": lambda: gnd.sample(nasty(), gnd.apps.DeepWalk(80), seed=1),
    "subgraphs": lambda: gnd.sample(nasty(), gnd.apps.RandomNode(2), seed=1),
    "trees": lambda: gnd.sample(nasty(), gnd.apps.KHop([2, 2]), seed=1),
    "layers": lambda: gnd.sample(nasty(), gnd.apps.LADIES([2]), seed=1),
    "block": lambda: gnd.PGSampler([2], seed=1).sample(nasty(), [0])[2][0],
    "PGSampler": lambda: gnd.PGSampler([2, -1, 3, 4, 5, 6], seed=1),
    "batch": lambda: gnd.NeighborSampler(nasty(), [2, 2]).draw([0, 1], batch_seed=1),
    "batch of types": lambda: gnd.NeighborSampler(corpus.hetero(), [2, 2]).draw({"paper": [1]}, batch_seed=1),
    "user app": lambda: gnd.App(edge_bias=_bias, steps=3),
    "user app of trees": lambda: gnd.App(edge_bias=_bias, sample_size=[3, 2]),
    "endless user app": lambda: gnd.App(stop=_stop, steps=gnd.INF),
} | {repr(app): lambda app=app: app for app in corpus.APPS}  # fmt: skip


@pytest.mark.parametrize("name", THINGS)
def test_html_is_well_formed_and_has_a_picture(name):
    tree = parsed(THINGS[name]())
    assert "circle" in drawn(tree) or "rect" in drawn(tree)
    assert any("currentColor" in svg.get("stroke") for svg in tree.iter("{http://www.w3.org/2000/svg}svg"))
    assert len(THINGS[name]()._repr_html_()) < 20_000
    rows = ["".join(row.itertext()) for row in tree.iter("tr")]
    assert len(rows) == len(set(rows)) and len(set(heads(tree))) == len(rows)
    for row in tree.iter("tr"):
        name, value = ("".join(cell.itertext()) for cell in row)
        assert not value.startswith(f"{name} "), "the value repeats its name"


@pytest.mark.parametrize("name", ["small graph", "types", "walks", "subgraphs"])
def test_names_are_escaped(name):
    thing = THINGS[name]()
    assert "<b>" not in thing._repr_html_()
    assert NASTY[:4] in "".join(parsed(thing).itertext())


@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_samples_of_every_app(app):
    samples = gnd.sample(corpus.graph(), app, corpus.many(app), seed=1)
    tree = parsed(samples)
    assert {"app", "samples", "seed", "device"} <= set(heads(tree))
    assert "circle" in drawn(tree)


@pytest.mark.parametrize("roots", [[], [0]])
def test_few_samples(roots):
    lonely = gnd.Graph.from_edges([], [], num_vertices=1)
    for app in (gnd.apps.DeepWalk(3), gnd.apps.PPR(0.5), gnd.apps.KHop([2]), gnd.apps.Snowball(2)):
        parsed(gnd.sample(lonely, app, roots, seed=1))


def test_empty_graphs():
    for count in (0, 1, 5, 100):
        tree = parsed(gnd.Graph.from_edges([], [], num_vertices=count))
        assert ("svg" in drawn(tree)) == (count > 0)


def test_loaded_samples(tmp_path):
    gnd.sample(nasty(), gnd.apps.DeepWalk(4), seed=1).save(tmp_path / "walks.npz")
    assert "bo" in "".join(parsed(gnd.Samples.load(tmp_path / "walks.npz")).itertext())


def test_a_mapped_graph_is_not_read(tmp_path):
    gnd.rmat(8, 4, seed=1).save(tmp_path / "graph")
    assert drawn(parsed(gnd.Graph.open(tmp_path / "graph"))) == []


def test_bars_count_every_vertex():
    graph = gnd.Graph.from_edges([0] * 5 + [1], np.arange(6), num_vertices=40)
    tree = parsed(graph)
    bars = [float(bar.get("height")) for bar in tree.iter("{http://www.w3.org/2000/svg}rect")]
    assert [round(bar / max(bars) * 38) for bar in bars] == [38, 1, 1]  # degrees 0, 1 and 4 to 7


def test_many_types_are_cut():
    graph = gnd.Graph.from_edges([0], [0])
    types = {f"type {i}": 1 for i in range(30)}
    tree = parsed(gnd.HeteroGraph({(name, "to", name): graph for name in types}, types))
    assert len(heads(tree)) == 17
    assert "44 more" in "".join(tree.itertext())
