"""gonextdoor.plot: each picture shows what its samples have, and refuses what it cannot show."""

import io
import math
from itertools import pairwise

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def backend():
    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.fixture
def ring():
    """An undirected ring of 12 vertices."""
    return gnd.Graph.from_edges(np.arange(12), (np.arange(12) + 1) % 12, symmetric=True)


@pytest.fixture(scope="module")
def large():
    return gnd.rmat(10, 8, seed=1)


@pytest.fixture
def timed():
    """A graph whose edge ids are not in the order of its rows."""
    random = np.random.default_rng(1)
    src, dst = random.integers(0, 30, (2, 300))
    return gnd.Graph.from_edges(src, dst, times=random.integers(0, 1000, 300))


def texts(axes):
    return [text.get_text() for text in axes.texts if text.get_text()]


def discs(axes):
    """The number of discs that are drawn."""
    return sum(len(part.get_offsets()) for part in axes.collections if not hasattr(part, "get_segments"))


def arrows(axes):
    return sum(text.arrow_patch is not None for text in axes.texts if hasattr(text, "arrow_patch"))


class TestTitles:
    @pytest.mark.parametrize(
        ("app", "roots", "title"),
        [
            (gnd.apps.DeepWalk(80), 1000, "1,000 DeepWalk walks of length 80"),
            (gnd.apps.DeepWalk(80), 1, "1 DeepWalk walk of length 80"),
            (gnd.apps.PPR(0.25), 20, "20 PPR walks with stop probability 0.25"),
            (gnd.apps.KHop([3, 2]), 5, "5 KHop trees with fan-outs 3, 2"),
            (gnd.apps.KHop([3]), 5, "5 KHop trees with fan-out 3"),
            (gnd.apps.MVS(4, [2, -1]), 2, "2 MVS samples with fan-outs 2, all"),
            (gnd.apps.RandomNode(4), 2, "2 RandomNode samples"),
        ],
    )
    def test_of_samples(self, large, app, roots, title):
        assert gnd.sample(large, app, roots, seed=1).plot("lengths").get_title() == title

    def test_of_a_user_app(self, large):
        pytest.importorskip("llvmlite")
        samples = gnd.sample(large, gnd.App(edge_bias=_bias, steps=3), 4, seed=1)
        assert samples.plot("lengths").get_title() == "4 user app walks"

    def test_of_one_sample(self, large, ring):
        assert gnd.plot.walk(gnd.sample(ring, gnd.apps.DeepWalk(3), [5], seed=1)).get_title() == (
            "DeepWalk walk of length 3 from vertex 5"
        )
        assert gnd.plot.layers(gnd.sample(large, gnd.apps.LADIES([4]), [[1, 2]], seed=1)).get_title() == (
            "LADIES sample from vertices 1, 2"
        )
        assert (
            "from 5 roots" in gnd.plot.layers(gnd.sample(large, gnd.apps.LADIES([4]), [range(5)], seed=1)).get_title()
        )
        named = gnd.Graph.from_edges([("ada", "bo")])
        assert gnd.plot.walk(gnd.sample(named, gnd.apps.DeepWalk(1), ["ada"], seed=1)).get_title().endswith("from ada")


def _bias(ctx, edge, dst):
    return ctx.degree(dst)


class TestDistributions:
    def test_degrees(self, large):
        axes = gnd.plot.degrees(large)
        points = np.asarray(axes.collections[0].get_offsets())
        counts = np.bincount(large.degrees())
        assert points[:, 1].sum() == (large.degrees() > 0).sum()
        assert all(counts[int(degree)] == count for degree, count in points)
        assert axes.get_title() == f"Degrees of 1,024 vertices and {large.num_edges:,} edges"
        assert axes.lines[0].get_xdata()[0] == pytest.approx(large.num_edges / large.num_vertices)
        assert f"not shown: {counts[0]} vertices of degree 0" in axes.get_xlabel()

    def test_visits_have_a_line_of_slope_1_through_the_mean(self, large):
        samples = gnd.sample(large, gnd.apps.DeepWalk(40), seed=1)
        (line,) = gnd.plot.visits(samples).lines
        x, y = line.get_data()
        assert math.log(y[1] / y[0]) == pytest.approx(math.log(x[1] / x[0]))
        assert y[0] / x[0] == pytest.approx(samples.visit_counts().sum() / large.num_edges)

    def test_visits_of_counts(self, large):
        counts = gnd.visit_counts(large, gnd.apps.DeepWalk(5), seed=1)
        axes = gnd.plot.visits(large, counts)
        assert axes.get_title() == f"{counts.sum():,} visits to 1,024 vertices"
        with pytest.raises(ValueError, match=r"counts has shape \(3,\): expected \(1024,\)"):
            gnd.plot.visits(large, counts[:3])
        with pytest.raises(TypeError, match="a graph and its visit counts"):
            gnd.plot.visits(large)

    def test_small_ranges_have_whole_ticks(self, ring):
        axes = gnd.plot.visits(gnd.sample(ring, gnd.apps.DeepWalk(10), repeat=3, seed=1))
        axes.figure.canvas.draw()
        labels = [label.get_text() for label in axes.get_yticklabels()]
        assert len(labels) == len(set(labels)) > 1

    def test_equal_lengths_are_one_bar(self, ring):
        axes = gnd.plot.lengths(gnd.sample(ring, gnd.apps.DeepWalk(80), seed=1))
        assert [(bar.get_height(), bar.get_x() + bar.get_width() / 2) for bar in axes.patches] == [(12, 81)]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["81"]

    @pytest.mark.parametrize("stop", [0.3, 0.005])
    def test_lengths_have_whole_bins_and_counts(self, ring, stop):
        samples = gnd.sample(ring, gnd.apps.PPR(stop), repeat=30, seed=1)
        axes = gnd.plot.lengths(samples)
        assert 1 < len(axes.patches) <= 60
        assert sum(bar.get_height() for bar in axes.patches) == len(samples)
        widths = {round(bar.get_width() / 0.9, 6) for bar in axes.patches}
        assert len(widths) == 1 and widths.pop().is_integer()
        axes.figure.canvas.draw()
        assert all(float(tick).is_integer() for tick in [*axes.get_yticks(), *axes.get_xticks()])


class TestNetworks:
    def test_graph(self, ring):
        axes = gnd.plot.graph(ring)
        assert discs(axes) == 12
        assert sorted(texts(axes), key=int) == [str(v) for v in range(12)]
        (segments,) = [part.get_segments() for part in axes.collections if hasattr(part, "get_segments")]
        assert len(segments) == 12, "an undirected edge is one line"

    def test_directed_edges_are_arrows(self):
        assert arrows(gnd.plot.graph(corpus.directed())) == 5

    @pytest.mark.parametrize(("vertices", "edges"), [(201, 1), (100, 2001)])
    def test_large_graphs_are_refused(self, vertices, edges):
        sources = np.arange(edges) % vertices
        graph = gnd.Graph.from_edges(sources, (sources + 1) % vertices, num_vertices=vertices)
        shown = "201 vertices" if edges == 1 else "2,001 edges"
        limit = "200" if edges == 1 else "2,000"
        with pytest.raises(ValueError, match=f"{shown}, but a drawing shows at most {limit}: draw a sample of it"):
            gnd.plot.graph(graph)

    def test_walk(self, ring):
        samples = gnd.sample(ring, gnd.apps.DeepWalk(7), [3, 5], seed=1)
        axes = gnd.plot.walk(samples, 1)
        walk = samples[1]
        assert arrows(axes) == len(set(pairwise(walk.tolist())))
        numbers = [part for text in texts(axes)[12:] for part in text.split(", ")]
        assert sorted(map(int, numbers)) == list(range(1, 8))

    def test_walk_of_a_large_graph_shows_its_vertices_alone(self, large):
        samples = gnd.sample(large, gnd.apps.DeepWalk(12), [5], seed=4)
        assert discs(gnd.plot.walk(samples)) == len(set(samples[0].tolist()))

    def test_walk_that_ends_early(self):
        axes = gnd.plot.walk(gnd.sample(corpus.directed(), gnd.apps.DeepWalk(9), [3], seed=1))
        assert "ended after 0 steps" in texts(axes)

    def test_steps_without_an_edge_are_dashed(self, ring):
        samples = gnd.sample(ring, gnd.apps.Restart(12, 0.5), [0], seed=2)
        walk = samples[0].tolist()
        apart = {(u, v) for u, v in pairwise(walk) if u != v and not ring.has_edge(u, v)}
        axes = gnd.plot.walk(samples)
        patches = [text.arrow_patch for text in axes.texts if getattr(text, "arrow_patch", None)]
        assert apart and sum(patch.get_linestyle() not in ("-", "solid") for patch in patches) == len(apart)

    def test_subgraph(self, large, ring):
        samples = gnd.sample(large, gnd.apps.GraphSAINT("node", budget=12), seed=1)
        axes = gnd.plot.subgraph(samples)
        found = samples.subgraph(0)
        pairs = {tuple(sorted(pair)) for pair in zip(found.src.tolist(), found.dst.tolist(), strict=True)}
        (segments,) = [part.get_segments() for part in axes.collections if hasattr(part, "get_segments")]
        assert (discs(axes), len(segments)) == (len(found.nodes), len(pairs))
        within = gnd.plot.subgraph(gnd.sample(ring, gnd.apps.RandomNode(5), seed=1))
        assert discs(within) == 12 + 5, "a small graph is drawn around the sample"


class TestTrees:
    def test_tree(self, large):
        samples = gnd.sample(large, gnd.apps.KHop([4, 3]), [5], seed=4)
        axes = gnd.plot.tree(samples)
        assert discs(axes) == samples.lengths[0] == 17
        assert {"root\n1 vertex", "step 1\n4 vertices", "step 2\n12 vertices"} <= set(texts(axes))

    def test_missing_places_are_not_drawn(self):
        samples = gnd.sample(corpus.directed(), gnd.apps.KHop([2, 2]), [0], seed=1)
        assert discs(gnd.plot.tree(samples)) == samples.lengths[0] < 7

    def test_trees_of_samples_with_parents(self, ring):
        samples = gnd.sample(ring, gnd.apps.Snowball(2), [0], seed=1)
        axes = gnd.plot.tree(samples)
        (segments,) = [part.get_segments() for part in axes.collections if hasattr(part, "get_segments")]
        assert (discs(axes), len(segments)) == (5, 4)

    def test_several_roots(self, large):
        samples = gnd.sample(large, gnd.apps.KHop([2]), [[1, 2, 3]], seed=1)
        (segments,) = [
            part.get_segments() for part in gnd.plot.tree(samples).collections if hasattr(part, "get_segments")
        ]
        assert len(segments) == samples.lengths[0] - 3

    def test_layers(self, large):
        samples = gnd.sample(large, gnd.apps.LADIES([8, 6]), [[1, 2, 3]], seed=4)
        axes = gnd.plot.layers(samples)
        edges = sum(len(samples.adjacency(step).rows) for step in range(2))
        segments = [
            segment for part in axes.collections if hasattr(part, "get_segments") for segment in part.get_segments()
        ]
        assert (discs(axes), len(segments)) == (samples.lengths[0], edges)


class TestBatches:
    def test_blocks(self, large):
        drawn = gnd.PGSampler([3, 2], seed=1, direction="in").sample(large, [3, 7, 11])
        axes = gnd.plot.batch(drawn)
        blocks = drawn[2]
        assert arrows(axes) == sum(len(block.indices) for block in blocks)
        assert discs(axes) == 3 + sum(len(block.src_nodes) for block in blocks)
        assert gnd.plot.batch(blocks).get_title() == axes.get_title()
        assert gnd.plot.batch(blocks[1]).get_title().startswith("Block of 9 sources, 3 destinations and ")

    @pytest.mark.parametrize("layout", ["coo", "csc"])
    def test_neighbor_batch(self, large, layout):
        sampler = gnd.NeighborSampler(large, [3, 2], direction="in", layout=layout)
        batch = sampler.draw([3, 7, 11], batch_seed=1)
        axes = gnd.plot.batch(batch)
        nodes, edges = sum(batch.num_nodes[0]), sum(batch.num_edges[0])
        assert discs(axes) == nodes
        title = axes.get_title()
        assert title.startswith(f"Mini-batch of 3 seed nodes: {nodes} nodes, {edges} edges")
        hidden = int(title.partition("(")[2].split()[0]) if "(" in title else 0
        assert arrows(axes) == edges - hidden > 0

    def test_names(self):
        graph = gnd.Graph.from_edges([("ada", "bo"), ("bo", "cy")])
        batch = gnd.NeighborSampler(graph, [1], direction="in").draw(["cy"], batch_seed=1)
        assert {"bo", "cy"} <= set(texts(gnd.plot.batch(batch, graph=graph)))

    def test_several_types_are_refused(self):
        batch = gnd.NeighborSampler(corpus.hetero(), [2]).draw({"paper": [1]}, batch_seed=1)
        with pytest.raises(ValueError, match="2 types of vertices and 3 relations"):
            gnd.plot.batch(batch)

    def test_others_are_refused(self, large):
        for wrong in (large, [], [1]):
            with pytest.raises(TypeError, match="expected a NeighborBatch, a Block or a list of Blocks"):
                gnd.plot.batch(wrong)


class TestTimelines:
    def test_walks(self, timed):
        samples = gnd.sample(timed, gnd.apps.DeepWalk(4), seed=1, edges=True)
        axes = gnd.plot.timeline(samples, 3)
        by_id = dict(zip(timed.edge_ids.tolist(), timed.times.tolist(), strict=True))
        drawn = [tuple(place) for part in axes.collections for place in np.asarray(part.get_offsets()).tolist()]
        want = [(by_id[e], row) for row, edges in enumerate(samples.edges[:3].tolist()) for e in edges if e >= 0]
        assert sorted(drawn) == sorted(want)
        assert axes.get_title() == "30 DeepWalk walks of length 4 (first 3)"

    def test_temporal_batch_has_no_edge_after_its_seed_nodes(self, timed):
        sampler = gnd.NeighborSampler(timed, [4, 3], temporal="uniform", disjoint=True, direction="in")
        times = [400, 600, 800]
        axes = gnd.plot.timeline(sampler.draw([1, 2, 3], batch_seed=1, times=times), graph=timed, times=times)
        drawn = [place for part in axes.collections for place in np.asarray(part.get_offsets()).tolist()]
        assert len(drawn) > 3
        assert all(time <= times[int(row)] for time, row in drawn)

    def test_what_is_missing_is_named(self, timed, ring):
        with pytest.raises(ValueError, match="the graph has no times"):
            gnd.plot.timeline(gnd.sample(ring, gnd.apps.DeepWalk(2), seed=1, edges=True))
        with pytest.raises(ValueError, match="no edge ids"):
            gnd.plot.timeline(gnd.sample(timed, gnd.apps.DeepWalk(2), seed=1))
        with pytest.raises(ValueError, match="not walks"):
            gnd.plot.timeline(gnd.sample(timed, gnd.apps.KHop([2]), seed=1, edges=True))
        batch = gnd.NeighborSampler(timed, [2]).draw([1], batch_seed=1)
        with pytest.raises(TypeError, match="pass graph="):
            gnd.plot.timeline(batch)
        with pytest.raises(ValueError, match="disjoint=True"):
            gnd.plot.timeline(batch, graph=timed)


@pytest.mark.parametrize("kind", ["walk", "tree", "layers", "subgraph"])
@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_every_app_is_drawn_or_refused(app, kind):
    samples = gnd.sample(corpus.graph(120, 300), _small(app), corpus.many(app), seed=1)
    try:
        axes = samples.plot(kind)
    except ValueError as refusal:
        assert any(word in str(refusal) for word in ("are not", "records no edges", "a drawing shows at most"))
    else:
        axes.figure.canvas.draw()
        assert discs(axes) > 0


def _small(app):
    """The app for a graph of 120 vertices."""
    if isinstance(app, gnd.apps.MVS) and app.scores is not None:
        return gnd.apps.MVS(app.batch, app.fanouts, np.arange(120) % 5)
    if isinstance(app, gnd.apps.ClusterGCN) and not isinstance(app.clusters, int):
        return gnd.apps.ClusterGCN(np.arange(120) % 23, 3)
    return app


@pytest.mark.parametrize("kind", ["walk", "tree", "layers", "subgraph"])
def test_one_kind_at_least_draws_each_shape(kind, ring):
    app = {
        "walk": gnd.apps.DeepWalk(3),
        "tree": gnd.apps.KHop([2, 2]),
        "layers": gnd.apps.LADIES([3]),
        "subgraph": gnd.apps.RandomNode(3),
    }[kind]
    assert discs(gnd.sample(ring, app, seed=1).plot(kind)) > 0


def test_no_such_sample(ring):
    for kind, app in (
        ("walk", gnd.apps.DeepWalk(3)),
        ("tree", gnd.apps.KHop([2])),
        ("subgraph", gnd.apps.RandomNode(3)),
    ):
        with pytest.raises(IndexError, match="sample = 99"):
            gnd.sample(ring, app, seed=1).plot(kind, sample=99)


def test_pictures_are_deterministic(ring):
    def drawn():
        file = io.StringIO()
        axes = gnd.plot.walk(gnd.sample(ring, gnd.apps.DeepWalk(7), [3], seed=1))
        with matplotlib.rc_context({"svg.hashsalt": "test"}):
            axes.figure.savefig(file, format="svg", metadata={"Date": None})
        return file.getvalue()

    assert drawn() == drawn()


def test_each_function_draws_on_given_axes(ring, large, timed):
    from matplotlib import pyplot

    calls = [
        lambda ax: gnd.plot.graph(ring, ax=ax),
        lambda ax: gnd.plot.degrees(ring, ax=ax),
        lambda ax: gnd.plot.visits(gnd.sample(ring, gnd.apps.DeepWalk(3), seed=1), ax=ax),
        lambda ax: gnd.plot.lengths(gnd.sample(ring, gnd.apps.DeepWalk(3), seed=1), ax=ax),
        lambda ax: gnd.plot.walk(gnd.sample(ring, gnd.apps.DeepWalk(3), seed=1), ax=ax),
        lambda ax: gnd.plot.tree(gnd.sample(ring, gnd.apps.KHop([2]), seed=1), ax=ax),
        lambda ax: gnd.plot.layers(gnd.sample(ring, gnd.apps.LADIES([2]), seed=1), ax=ax),
        lambda ax: gnd.plot.subgraph(gnd.sample(ring, gnd.apps.RandomNode(3), seed=1), ax=ax),
        lambda ax: gnd.plot.batch(gnd.PGSampler([2], seed=1).sample(large, [3]), ax=ax),
        lambda ax: gnd.plot.timeline(gnd.sample(timed, gnd.apps.DeepWalk(3), seed=1, edges=True), ax=ax),
    ]
    for call in calls:
        _, axes = pyplot.subplots()
        assert call(axes) is axes
        assert axes.get_title()
        pyplot.close("all")


@pytest.mark.parametrize("app", [gnd.apps.DeepWalk(3), gnd.apps.PPR(0.5), gnd.apps.KHop([2])])
@pytest.mark.parametrize("kind", ["visits", "lengths"])
def test_no_samples_at_all(app, kind, ring):
    axes = gnd.sample(ring, app, [], seed=1).plot(kind)
    axes.figure.canvas.draw()
    assert axes.get_title().startswith("0 ")
