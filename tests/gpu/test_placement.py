"""Graphs whose rows are split over several GPUs: the samples are those of the CPU, and refusals say what to do."""

import copy
import pickle
import xml.etree.ElementTree as ElementTree

import corpus
import numpy as np
import pytest
from gonextdoor.graph.direction import facing
from placedprogram import EMULATED, ON_GPUS, program

import gonextdoor as gnd

BOTH = ["cuda:0", "cuda:1"]
WALK = gnd.apps.DeepWalk(6)
VERTICES, EDGES = (200, 2_000) if EMULATED else (400_000, 4_000_000)

pytestmark = pytest.mark.usefixtures("two_gpus")


@pytest.fixture(scope="module")
def graph():
    return corpus.graph(weighted=True)


@pytest.fixture
def placed(graph):
    """The graph, placed on two GPUs for one test."""
    graph.place(BOTH)
    yield graph
    graph.place(None)


def same(there, here):
    assert np.array_equal(there.numpy(), here.numpy())
    assert np.array_equal(there.offsets, here.offsets)
    assert np.array_equal(there.edges, here.edges)
    if here.layered:
        assert np.array_equal(there.parents, here.parents)


def same_batch(there, here):
    for name in ("nodes", "row", "col", "edges"):
        ours, theirs = (getattr(batch.split(batch.arena), name) for batch in (there, here))
        for one, other in zip(ours, theirs, strict=True):
            assert np.array_equal(np.asarray(one), np.asarray(other))


def roots(app):
    """Roots for some dozens of samples, or for a few if the emulated GPU needs long for each."""
    return 6 if isinstance(app, (gnd.apps.Snowball, gnd.apps.GraphSAINT)) else corpus.many(app)


def drawn(graph, app, device, **given):
    return gnd.sample(graph, app, roots(app), seed=4, first_id=9, device=device, edges=True, plan=ON_GPUS, **given)


@pytest.fixture(scope="module")
def expected(graph):
    """The samples of the CPU, by app."""
    return {repr(app): drawn(graph, app, "cpu") for app in corpus.APPS}


@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_samples_of_every_app_are_those_of_the_cpu(placed, expected, app):
    there = drawn(placed, app, BOTH)
    assert there.device == "cuda:0,cuda:1"
    same(there, expected[repr(app)])
    if app in corpus.APPS[::4]:
        for device in BOTH:
            there = drawn(placed, app, device)
            assert there.device == device
            same(there, expected[repr(app)])


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("devices", "apps"), [(2, "[::5]"), (3, "[::9]")])
def test_apps_read_the_memory_of_other_gpus(devices, apps):
    """Without replicas, each row is in the memory of one GPU alone."""
    text = f"""
        graph = corpus.graph({VERTICES}, {EDGES}, weighted=True)
        graph.place(gpus)
        slow = gnd.apps.Snowball, gnd.apps.GraphSAINT
        negatives = gnd.apps.Negatives, gnd.apps.NegativePairs
        def same(app):
            roots = 6 if isinstance(app, slow) else corpus.many(app)
            here = gnd.sample(graph, app, roots, seed=1, device="cpu", edges=True)
            for device in (gpus, gpus[-1]):
                there = gnd.sample(graph, app, roots, seed=1, device=device, edges=True, plan=ON_GPUS)
                assert np.array_equal(there.numpy(), here.numpy()), (app, device)
                assert np.array_equal(there.edges, here.edges), (app, device)
        # The clusters of the corpus are those of a small graph. The tables of negatives are copied to each GPU.
        for app in [app for app in corpus.APPS if not isinstance(app, (gnd.apps.ClusterGCN, *negatives))]{apps}:
            same(app)
        nodes = [np.arange(20 * i, 20 * i + 9) for i in range(5)]
        for options in ({{}}, {{"weighted": True}}, {{"method": "labor"}}, {{"temporal": "last", "disjoint": True}}):
            times = [np.full(9, 20)] * 5 if "temporal" in options else None
            here = gnd.NeighborSampler(graph, [4, 3], **options).draw_many(nodes, range(5), times=times)
            for device in (gpus, gpus[-1]):
                sampler = gnd.NeighborSampler(graph, [4, 3], device=device, **options)
                for ours, theirs in zip(sampler.draw_many(nodes, range(5), times=times), here, strict=True):
                    one, other = (batch.split(batch.arena) for batch in (ours, theirs))
                    for name in ("nodes", "row", "col", "edges"):
                        a, b = getattr(one, name)[0], getattr(other, name)[0]
                        assert np.array_equal(np.asarray(a), np.asarray(b)), (options, device)
        parts = graph.placement.parts
        assert all(part.replicated_bytes < part.bytes / 10 for part in parts), parts  # the tables of apps
        for app in corpus.APPS:
            if isinstance(app, negatives):
                same(app)
        print(sum(part.edges for part in parts) == graph.num_edges)
    """
    assert program(text, devices, GONEXTDOOR_DEVICE_REPLICAS="0") == "True\n"


@pytest.mark.parametrize(
    "bounds", [[0, 0, 200], [0, 200, 200], [0, 1, 200], np.array([0, 137, 200], np.uint8)], ids=str
)
def test_any_bounds_give_the_same_samples(graph, expected, bounds):
    graph.place(BOTH[::-1], bounds=bounds)
    try:
        assert graph.placement.devices == BOTH[::-1]
        assert graph.placement.bounds == list(bounds)
        for app in (corpus.APPS[0], corpus.APPS[2], corpus.APPS[4]):
            same(drawn(graph, app, BOTH), expected[repr(app)])
    finally:
        graph.place(None)


def test_the_cpu_makes_small_calls(placed):
    """It does once it needs no table of all edges, unless the call names an order."""
    app = gnd.apps.DeepWalk(6, weighted=False)
    few, weighted = corpus.graph(weighted=True), gnd.apps.DeepWalk(6)
    few.place(BOTH)
    by_cpu = "the CPU makes the samples, which are copied to the GPU: estimated"
    for device in (BOTH, BOTH[1]):
        assert by_cpu in gnd.explain(placed, app, [1, 2, 3], device=device).why
        assert by_cpu not in gnd.explain(placed, app, [1, 2, 3], device=device, plan=ON_GPUS).why
        assert by_cpu not in gnd.explain(placed, app, repeat=1000, device=device).why
        assert by_cpu not in gnd.explain(few, weighted, [1, 2, 3], device=device).why
        there = gnd.sample(placed, app, [1, 2, 3], seed=1, device=device)
        assert there.drawn_on == "cpu"
        assert gnd.sample(placed, app, [1], seed=1, device=device, plan=ON_GPUS).drawn_on != "cpu"
        assert np.array_equal(there.numpy(), gnd.sample(placed, app, [1, 2, 3], seed=1, device="cpu"))
    gnd.sample(few, weighted, [1], device="cpu")  # builds alias tables
    assert by_cpu in gnd.explain(few, weighted, [1, 2, 3], device=BOTH).why
    few.place(None)


def test_counts_and_scores(placed):
    for repeat in (1, 40):
        there, here = (gnd.visit_counts(placed, WALK, repeat=repeat, seed=3, device=device) for device in (BOTH, "cpu"))
        assert np.array_equal(there, here)
        there, here = (gnd.end_points(placed, WALK, repeat=repeat, seed=3, device=device) for device in (BOTH, "cpu"))
        assert np.array_equal(there, here)
    there, here = (gnd.personalized_pagerank(placed, [3, 5], seed=2, device=device) for device in ("cuda:1", "cpu"))
    assert np.array_equal(there.visits, here.visits)


@pytest.mark.parametrize(
    "options", [{}, {"weighted": True}, {"method": "labor"}, {"temporal": "last", "disjoint": True}], ids=str
)
@pytest.mark.parametrize("direction", ["out", "in"])
def test_mini_batches_are_those_of_the_cpu(placed, options, direction):
    seeds, nodes = list(range(5)), [np.arange(20 * i, 20 * i + 9) for i in range(5)]
    times = [np.full(9, 20)] * 5 if "temporal" in options else None
    here = gnd.NeighborSampler(placed, [4, 3], direction=direction, **options).draw_many(nodes, seeds, times=times)
    for device in (BOTH, "cuda:1"):
        sampler = gnd.NeighborSampler(placed, [4, 3], direction=direction, device=device, **options)
        for ours, theirs in zip(sampler.draw_many(nodes, seeds, times=times), here, strict=True):
            same_batch(ours, theirs)


def test_pgsampler(placed):
    there, here = (gnd.PGSampler([3, 2], seed=5, device=device, direction="in") for device in (BOTH, "cpu"))
    for nodes in (np.arange(30), np.arange(40, 60)):
        for ours, theirs in zip(there.sample(placed, nodes)[:2], here.sample(placed, nodes)[:2], strict=True):
            assert np.array_equal(ours, theirs)


def test_the_placement_describes_the_parts(placed):
    parts = placed.placement.parts
    degrees = placed.degrees()
    assert [part.device for part in parts] == placed.placement.devices == BOTH
    assert placed.placement.bounds == [0, parts[1].first, placed.num_vertices]
    assert [part.edges for part in parts] == [int(degrees[part.first : part.end].sum()) for part in parts]
    assert abs(parts[0].edges - parts[1].edges) <= 2 * degrees.max()
    assert not placed.placement.automatic
    assert all(part.bytes == part.replicated_bytes == 0 for part in parts)  # nothing is uploaded yet
    gnd.sample(placed, WALK, seed=1, device="cuda:0", plan=ON_GPUS).numpy()
    held = placed.placement.parts
    assert {part.device: part.bytes for part in held if part.bytes} == placed.device_bytes
    assert all(0 <= part.replicated_bytes <= part.bytes for part in held)
    text = repr(placed.placement)
    assert text.splitlines()[0].startswith("cuda:0: rows 0 to ") and "edges" in text
    assert pickle.loads(pickle.dumps(placed.placement)) == placed.placement


def test_notebooks_show_the_placement(placed):
    tree = ElementTree.fromstring(placed.placement._repr_html_())
    assert [cell.text for cell in tree.iter("th")] == ["device", "rows", "edges", "bytes", "replicated"]
    assert len(list(tree.iter("tr"))) == 3
    assert "placed on" in placed._repr_html_()
    assert "placed on" not in corpus.graph()._repr_html_()


def test_the_placement_stays_until_it_is_undone(placed):
    gnd.sample(placed, WALK, seed=1, device=BOTH, plan=ON_GPUS).numpy()
    placed.release_device()
    assert placed.device_bytes == {}
    assert placed.placement.devices == BOTH
    assert copy.copy(placed) is copy.deepcopy(placed) is placed
    assert pickle.loads(pickle.dumps(placed)).placement is None  # a placement belongs to a process
    assert placed.reverse().placement is None
    placed.place(BOTH[:1])
    assert placed.placement is None
    placed.place(None)
    same(*(drawn(placed, WALK, device) for device in (BOTH, "cpu")))


def test_the_graph_of_in_edges_is_placed_too():
    graph = corpus.graph(symmetric=False)
    graph.place(BOTH)
    sampler = gnd.NeighborSampler(graph, [2], direction="in", device=BOTH)  # builds the graph of the in-edges
    ends = facing(graph, "in")
    assert ends.placement.devices == BOTH
    graph.place(BOTH[::-1], bounds=[0, 1, 200])
    assert ends.placement.devices == BOTH[::-1]
    assert ends.placement.bounds == facing(graph, "in").placement.bounds != [0, 1, 200]
    here = gnd.NeighborSampler(graph, [2], direction="in").draw([1, 2], 1)
    same_batch(sampler.draw([1, 2], 1), here)
    graph.place(None)
    assert ends.placement is None


def test_one_graph_among_many_is_closed():
    graph = corpus.graph()
    graph.place(BOTH)
    gnd.sample(graph, WALK, device=BOTH).numpy()
    del graph
    other = corpus.graph()
    assert other.placement is None


@pytest.mark.parametrize(
    ("devices", "bounds", "error", "text"),
    [
        ("cuda:0", None, TypeError, r"devices = 'cuda:0': expected a list of GPUs"),
        ([], None, ValueError, "devices is empty: expected a list of GPUs, or None"),
        (["cuda:0", "cpu"], None, ValueError, r"devices = \['cuda:0', 'cpu'\]: expected GPUs"),
        (["cuda:0", "auto"], None, ValueError, "expected GPUs"),
        (["cuda:0", 1], None, TypeError, "expected"),
        (["cuda:0", "cuda:0"], None, ValueError, "expected each GPU once"),
        (["cuda:0", "cuda:9"], None, gnd.DeviceError, "devices = .*this process sees [23] GPUs"),
        (BOTH, [0, 200], ValueError, "bounds has 2 elements: expected 3"),
        (BOTH, [1, 5, 200], ValueError, r"bounds\[0\] = 1: expected 0"),
        (BOTH, [0, 5, 199], ValueError, r"bounds\[2\] = 199: expected 200, the number of vertices"),
        (BOTH, [0, 300, 200], ValueError, r"bounds\[2\] = 200: expected at least bounds\[1\] = 300"),
        (BOTH, [0, -1, 200], ValueError, r"bounds\[1\] = -1: expected at least bounds\[0\] = 0"),
        (BOTH, [[0, 5, 200]], ValueError, r"bounds: expected shape \(3,\), got \(1, 3\)"),
        (BOTH, [0, 5.5, 200], TypeError, "bounds: expected an array of ints"),
        (None, [0, 200], ValueError, "bounds: expected None"),
        (["cuda:0"], [0, 200], ValueError, "bounds: expected None"),
    ],
)
def test_refusals(placed, devices, bounds, error, text):
    with pytest.raises(error, match=text):
        placed.place(devices, bounds=bounds)
    assert placed.placement.devices == BOTH  # as before


def test_a_gpu_outside_of_the_placement_is_refused():
    text = """
        graph = corpus.graph()
        graph.place(["cuda:0", "cuda:2"])
        calls = [
            lambda device: gnd.sample(graph, walk, device=device),
            lambda device: gnd.visit_counts(graph, walk, device=device),
            lambda device: gnd.explain(graph, walk, device=device),
            lambda device: gnd.personalized_pagerank(graph, [1], device="cuda:1"),
            lambda device: gnd.NeighborSampler(graph, [2], device=device).draw([1], 1),
            lambda device: gnd.PGSampler([2], device=device).sample(graph, [1]),
        ]
        for i, call in enumerate(calls):
            for device in ("cuda:1", ["cuda:0", "cuda:1"], ["cuda:1"]):
                try:
                    for _ in range(1 + (i > 3)):  # the second batch is drawn on the second GPU
                        call(device)
                except gnd.DeviceError as error:
                    assert "is placed on cuda:0,cuda:2: use GPUs among them, or call graph.place" in str(error)
                else:
                    raise AssertionError((i, device))
        gnd.sample(graph, walk, device="cuda:2")
        os.environ["GONEXTDOOR_DEVICE"] = "cuda:1"
        print(gnd.explain(graph, walk, device="auto").why)
    """
    assert program(text, 3).startswith("the CPU: device = cuda:1: the graph is placed on cuda:0,cuda:2")


def test_auto_takes_a_gpu_of_the_placement(placed, monkeypatch):
    monkeypatch.setenv("GONEXTDOOR_DEVICE", "cuda:1")
    assert gnd.sample(placed, WALK, seed=1).device == "cuda:1"
    monkeypatch.delenv("GONEXTDOOR_DEVICE")
    placed.place(BOTH[::-1])
    assert gnd.explain(placed, gnd.apps.Snowball(None, fanout=1)).device == "cuda:1"  # nothing bounds the samples


def test_explain_shows_the_placement(graph):
    assert gnd.explain(graph, WALK, device=BOTH).placement is None
    graph.place(BOTH)
    try:
        plan = gnd.explain(graph, WALK, device=BOTH)
        assert plan.placement.devices == BOTH and not plan.placement.automatic
        assert plan.remote == "peers" and plan.placed == "graph.place split the graph"
        assert all(part.bytes > 0 for part in plan.placement.parts)
        lines = str(plan).splitlines()
        assert [line.split()[0] for line in lines].count("placement") == 2
        assert any(line.startswith("remote    each GPU reads the rows of the others") for line in lines)
        assert plan.to_dict()["placement"]["parts"][1]["device"] == "cuda:1"
        assert gnd.explain(graph, WALK, device="cuda:1").placement.devices == BOTH
        assert gnd.explain(graph, WALK, device="cpu").placement is None
    finally:
        graph.place(None)


def test_hetero_graphs():
    graph = corpus.hetero()
    cites, writes, of = graph.relations
    here = gnd.NeighborSampler(graph, [3, 2]).draw({"paper": [1, 2, 3]}, 1)
    assert graph.placement is None
    graph.place(BOTH, bounds={cites: [0, 9, 50]})
    assert list(graph.placement) == [cites, writes, of]
    assert graph.placement[cites].bounds == [0, 9, 50]
    assert "placed on" in graph._repr_html_()
    there = gnd.NeighborSampler(graph, [3, 2], device=BOTH).draw({"paper": [1, 2, 3]}, 1)
    same_batch(there, here)
    for bounds, error, text in (
        ({cites: [0, 9, 51]}, ValueError, r"bounds\[2\] = 51: expected 50"),
        ({("a", "b", "c"): [0, 1, 2]}, ValueError, r"bounds\[\('a', 'b', 'c'\)\]: expected one of the relations"),
        ([0, 9, 50], TypeError, "bounds: expected a dict of bounds by relation"),
        ({of: [0, 9, 51]}, ValueError, "expected 50"),  # the graphs before it keep their placements
    ):
        with pytest.raises(error, match=text):
            graph.place(BOTH[::-1], bounds=bounds)
        assert graph.placement[cites].bounds == [0, 9, 50]
        assert graph.placement[cites].devices == BOTH
    graph.place(None)
    assert graph.placement is None
