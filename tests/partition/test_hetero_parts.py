"""Heterogeneous graphs in parts: mini-batches equal those of the whole graph."""

import json
import os
import pickle
import shutil

import daily
import numpy as np
import pytest
from corpus import hetero
from partitionbatches import Losing, same_batch

import gonextdoor as gnd

SEEDS = {"paper": [7, 20, 49], "author": [0, 29]}
CASES = {
    "uniform": {},
    "csc": {"layout": "csc", "expand": "all"},
    "replace": {"replace": True},
    "weighted": {"weighted": "auto"},
    "disjoint": {"disjoint": True},
    "labor": {"method": "labor", "weighted": "auto", "layer_dependency": True},
    "poisson": {"method": "labor-poisson"},
}
FANOUTS = [{("paper", "cites", "paper"): 3, ("author", "writes", "paper"): 2, ("paper", "of", "author"): -1}, 4, 2]


@pytest.mark.parametrize("by", ["ranges", "hash", "ldg", "map"])
@pytest.mark.parametrize("parts", daily.share([1, 2, 5], 3))
def test_batches_equal_those_of_the_graph(parts, by):
    graph = hetero(weighted=True)
    division = {kind: np.arange(n) % 7 % parts for kind, n in graph.num_vertices.items()} if by == "map" else by
    for hot in (0, 0.3):
        divided = gnd.partition.split(graph, parts, division, hot=hot)
        assert divided.parts == parts and list(divided.relations) == list(graph.relations)
        for number, options in enumerate(CASES.values()):
            whole = gnd.NeighborSampler(graph, FANOUTS, **options)
            sampler = gnd.partition.NeighborSampler(divided, FANOUTS, home=number % parts, **options)
            batches = [SEEDS, {"author": [number]}, {"paper": []}]
            for run in range(5):
                seeds = [3 * run, 3 * run + 1, 3 * run + 2]
                drawn = sampler.draw_many(batches, seeds, threads=2)
                for got, want in zip(drawn, whole.draw_many(batches, seeds), strict=True):
                    same_batch(got, want)


def dated():
    """Papers and authors. Citations have times, and so have papers; authors have none."""
    graph, draws = hetero(weighted=True), np.random.default_rng(4)
    relations = dict(graph.relations)
    cites = relations["paper", "cites", "paper"]
    rows = np.repeat(np.arange(cites.num_vertices), cites.degrees())
    relations["paper", "cites", "paper"] = gnd.Graph.from_edges(
        rows, cites.indices, weights=cites.weights, times=draws.integers(0, 50, len(rows)), num_vertices=50
    )
    return gnd.HeteroGraph(relations, graph.num_vertices, {"paper": draws.integers(0, 50, 50)})


@pytest.mark.parametrize("temporal", ["uniform", "last"])
def test_temporal_batches(temporal, tmp_path):
    graph = dated()
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="hash", hot=0.1)
    divided = gnd.partition.open(tmp_path / "parts")
    assert (divided.times["paper"] == graph.times["paper"]).all() and list(divided.times) == ["paper"]
    for weighted in (False, True):
        options = {"disjoint": True, "temporal": temporal, "weighted": weighted}
        whole = gnd.NeighborSampler(graph, FANOUTS, **options)
        sampler = gnd.partition.NeighborSampler(divided, FANOUTS, home=1, **options)
        for seed in range(10):
            papers = {"paper": [7, 7, 9]}  # at their times
            same_batch(sampler.draw(papers, seed), whole.draw(papers, seed))
            given = {"times": {"paper": [30, 45, 2], "author": [20, 20]}, "time_window": 20}
            both = {"paper": [7, 7, 9], "author": [3, 4]}
            same_batch(sampler.draw(both, seed, **given), whole.draw(both, seed, **given))
    with pytest.raises(ValueError, match=r"times is missing: .* since the type 'author' has no times"):
        sampler.draw({"author": [1]}, 1)
    with pytest.raises(IndexError, match=r"seed_nodes\['paper'\]\[1\] = 50: the graph has 50 vertices"):
        sampler.draw({"paper": [1, 50]}, 1)


def test_excluded_edges():
    graph = hetero()
    divided = gnd.partition.split(graph, 3, "hash", hot=0.2)
    whole, sampler = gnd.NeighborSampler(graph, [4, 2]), gnd.partition.NeighborSampler(divided, [4, 2])
    for seed in range(20):
        out = {("paper", "cites", "paper"): np.arange(seed, 300, 3), ("author", "writes", "paper"): [seed]}
        same_batch(sampler.draw(SEEDS, seed, exclude=out), whole.draw(SEEDS, seed, exclude=out))
    with pytest.raises(
        IndexError, match=r"exclude\[\('author', 'writes', 'paper'\)\]\[0\] = -1: edge ids are at least"
    ):
        sampler.draw(SEEDS, 1, exclude={("author", "writes", "paper"): [-1]})


def test_one_buffer_per_part_and_hop_has_all_relations():
    graph = hetero()
    owners = gnd.partition.owners(graph, 4, "hash")
    sampler = gnd.partition.NeighborSampler(gnd.partition.split(graph, 4, "hash"), [3, 2], home=2)
    sampler.draw(SEEDS, 1)
    elsewhere = {kind: np.sum(owners[kind][nodes] != 2) for kind, nodes in SEEDS.items()}
    # Papers are the destinations of two relations, authors of one.
    assert sampler.traffic.asked[0] == 2 * elsewhere["paper"] + elsewhere["author"]
    assert sampler.traffic.rows[0] == 2 * 3 + 2 and sampler.traffic.messages <= 2 * 2 * 3


def test_a_part_has_the_rows_of_its_vertices_in_all_relations(tmp_path):
    graph = hetero()
    owners = gnd.partition.owners(graph, 3, "ldg")
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by=owners)
    for number, relation in enumerate(graph.relations):
        folder = tmp_path / "parts" / f"relation-{number:05d}"
        of = np.load(folder / "owner.npy")
        assert (of[: graph.num_vertices[relation[2]]] == owners[relation[2]]).all()


@pytest.mark.parametrize("by", ["ranges", "hash", "ldg"])
def test_owners_by_type(by):
    graph = hetero()
    found = gnd.partition.owners(graph, 4, by)
    assert {kind: len(of) for kind, of in found.items()} == graph.num_vertices
    for of in found.values():
        assert of.dtype == np.uint16 and len(np.unique(of)) == 4
    if by == "hash":
        plain = gnd.partition.owners(gnd.Graph.from_edges([], [], num_vertices=50), 4, "hash")
        assert (found["paper"] == plain).all() and (found["author"] == plain[:30]).all()
    if by == "ranges":
        assert all((np.diff(of.astype(int)) >= 0).all() for of in found.values())
        degrees = sum(part.degrees()[:50] for relation, part in graph.relations.items() if relation[2] == "paper")
        sums = np.bincount(found["paper"], weights=degrees)
        assert sums.min() > 0.8 * sums.mean()


def test_ranges_of_types_without_edges():
    edges = gnd.Graph.from_edges([0, 0, 1], [0, 5, 9], num_vertices=10)
    graph = gnd.HeteroGraph({("a", "to", "b"): edges}, {"a": 10, "b": 4, "c": 0})
    found = gnd.partition.owners(graph, 2, "ranges")
    assert found["a"].tolist() == [0] * 5 + [1] * 5  # no edge leads to them
    assert found["b"].tolist() == [0, 1, 1, 1] and found["c"].tolist() == []
    divided = gnd.partition.split(graph, 2)
    batch = gnd.partition.NeighborSampler(divided, [-1]).draw({"b": [0, 1, 3]}, 1)
    same_batch(batch, gnd.NeighborSampler(graph, [-1]).draw({"b": [0, 1, 3]}, 1))


def test_metis_divides_all_types_together():
    pytest.importorskip("pymetis")
    clusters = gnd.Graph.from_edges([0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 2, 3, 2, 3], num_vertices=4)
    graph = gnd.HeteroGraph({("a", "to", "b"): clusters}, {"a": 4, "b": 4})
    found = gnd.partition.owners(graph, 2, "metis")
    assert found["a"].tolist() == found["b"].tolist() and found["a"].tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_walks_along_relations_by_parts(tmp_path):
    graph, first = hetero(weighted=True).to_homogeneous("in")
    app, papers = gnd.apps.MetaPath([1, 2], length=6), np.arange(50)
    want = gnd.sample(graph, app, papers, repeat=5, seed=3, edges=True)
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="hash")
    got = gnd.partition.sample(gnd.partition.open(tmp_path / "parts"), app, papers, repeat=5, seed=3, edges=True)
    assert (got.numpy() == want.numpy()).all() and (got.edges == want.edges).all()
    authors = want.numpy()[:, 1::2]
    assert (authors[authors >= 0] >= first["author"]).all() and (authors >= 0).any()
    run = gnd.ranges.Ranges(tmp_path / "parts", app, papers, repeat=5, seed=3, edges=True)
    rows = run.table(range(250))["edges"].to_pylist()
    assert [[-1 if e is None else e for e in row] for row in rows] == want.edges.tolist()


def test_folders_loaders_and_other_processes(tmp_path):
    graph = hetero(weighted=True)
    gnd.partition.write(graph, tmp_path / "parts", parts=3, by="ldg", hot=0.1)
    divided = pickle.loads(pickle.dumps(gnd.partition.open(tmp_path / "parts")))
    assert divided.num_vertices == graph.num_vertices and divided.path == str(tmp_path / "parts")
    given = {"batch_size": 8, "shuffle": True, "seed": 4, "weighted": True}
    whole = gnd.loader(graph, FANOUTS, ("paper", range(40)), **given)
    ours = gnd.partition.loader(divided, FANOUTS, ("paper", range(40)), home=1, **given)
    assert len(ours) == 5
    for got, want in zip(ours, whole, strict=True):
        same_batch(got, want)
    ours.load_state_dict(whole.state_dict())
    ranks = [
        gnd.partition.loader(divided, FANOUTS, ("paper", range(40)), home=rank, rank=rank, world=2, **given)
        for rank in range(2)
    ]
    drawn = [list(loader) for loader in ranks]
    whole.set_epoch(0)
    for number, want in enumerate(whole):
        same_batch(drawn[number % 2][number // 2], want)
    sampler = pickle.loads(pickle.dumps(gnd.partition.NeighborSampler(divided, FANOUTS, home=2)))
    same_batch(sampler.draw(SEEDS, 1), gnd.NeighborSampler(graph, FANOUTS).draw(SEEDS, 1))


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_forked_children_open_the_parts_again(tmp_path):
    gnd.partition.write(hetero(), tmp_path / "parts", parts=2)
    sampler = gnd.partition.NeighborSampler(gnd.partition.open(tmp_path / "parts"), [4, 2])
    want = sampler.draw(SEEDS, 3)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            same_batch(sampler.draw(SEEDS, 3), want)
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_a_part_that_is_lost_is_asked_again():
    graph = hetero()
    divided = gnd.partition.split(graph, 2, "hash")
    want = gnd.NeighborSampler(graph, [4, 2]).draw(SEEDS, 1)
    transport = Losing(divided, [0, 2])
    same_batch(gnd.partition.NeighborSampler(divided, [4, 2], transport=transport).draw(SEEDS, 1), want)
    assert transport.restarts == [1, 1]


def test_a_folder_replaces_others_in_one_step(tmp_path):
    folder = tmp_path / "graph"
    hetero().save(folder)
    gnd.partition.write(hetero(), folder, parts=2)
    assert gnd.partition.open(folder).parts == 2
    gnd.rmat(6, seed=1).save(folder)
    assert gnd.Graph.open(folder).num_vertices == 64
    hetero().save(folder)
    assert sorted(os.listdir(tmp_path)) == ["graph"]
    (folder / "relation-00000" / "notes.txt").write_text("")
    with pytest.raises(ValueError, match=r"it contains .relation-00000/notes.txt., which is not part of a graph"):
        hetero().save(folder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "hetero.json").write_text("{}")
    with pytest.raises(ValueError, match="is not replaced, since it is not the folder of a graph"):
        hetero().save(tmp_path / "other")


def test_damaged_folders_are_refused(tmp_path):
    graph, folder = dated(), tmp_path / "graph"

    def refused(text, spoil, parts=2):
        gnd.partition.write(graph, folder, parts=parts)
        spoil()
        with pytest.raises(gnd.FormatError, match=text):
            gnd.partition.open(folder)
        shutil.rmtree(folder)

    def record(change):
        def spoil():
            found = json.loads((folder / "hetero.json").read_text())
            change(found)
            (folder / "hetero.json").write_text(json.dumps(found))

        return spoil

    def another():
        shutil.rmtree(folder / "relation-00002")
        gnd.partition.write(graph.relations["paper", "of", "author"], folder / "relation-00002", parts=2, by="hash")

    refused("relation-00001 is missing or incomplete", lambda: shutil.rmtree(folder / "relation-00001"))
    refused("relation-00002 is not the graph that hetero.json describes: .* of different runs", another)
    refused("times-00000.npy: the hash of the file is", lambda: (folder / "times-00000.npy").write_bytes(b""))
    refused("version is 2, this gonextdoor reads up to 1", record(lambda r: r.update(version=2)))
    refused('format is "graph", expected', record(lambda r: r.update(format="graph")))
    refused("the graphs have 2 parts, expected 3", record(lambda r: r.update(parts=3)))
    refused("0 types and 3 relations", record(lambda r: r.update(types=[])))
    refused("expected types that are listed", record(lambda r: r["types"].pop()))
    refused("50 vertices, expected at least the 99", record(lambda r: r["types"][0].update(vertices=99)))
    refused("of a type that is listed once", record(lambda r: r["types"].append(r["types"][0])))
    refused("hetero.json: ", lambda: (folder / "hetero.json").write_text("{"))
    gnd.partition.write(graph, folder, parts=2)
    with pytest.raises(
        gnd.FormatError, match=r"has a partitioned heterogeneous graph: open it with gonextdoor.partition"
    ):
        gnd.HeteroGraph.open(folder)
    with pytest.raises(
        gnd.FormatError, match=r"has a partitioned heterogeneous graph: open it with gonextdoor.partition"
    ):
        gnd.Graph.open(folder)
    graph.save(folder)
    with pytest.raises(gnd.FormatError, match=r"has a heterogeneous graph: open it with gonextdoor.HeteroGraph.open"):
        gnd.Graph.open(folder)
    with pytest.raises(gnd.FormatError, match=r"the graph is not partitioned; open it with gonextdoor.HeteroGraph"):
        gnd.partition.open(folder)


def test_refusals():
    graph = hetero()
    divided = gnd.partition.split(graph, 2)
    make = gnd.partition.NeighborSampler
    for why, match, call in [
        (
            TypeError,
            "heterogeneous one has mini-batches only",
            lambda: gnd.partition.sample(divided, gnd.apps.DeepWalk(3)),
        ),
        (
            TypeError,
            "by = 3: expected 'ranges', .* or a dict of arrays by type",
            lambda: gnd.partition.owners(graph, 2, 3),
        ),
        (TypeError, "by = 'owners.npy': .* a dict", lambda: gnd.partition.owners(graph, 2, "owners.npy")),
        (
            ValueError,
            r"by has the types \['paper'\]: expected",
            lambda: gnd.partition.owners(graph, 2, {"paper": [0] * 50}),
        ),
        (
            ValueError,
            r"by\['author'\] has shape \(2,\): expected \(30,\)",
            lambda: gnd.partition.owners(graph, 2, {"paper": [0] * 50, "author": [0, 1]}),
        ),
        (ValueError, "parts is None", lambda: gnd.partition.owners(graph, None, "hash")),
        (
            ValueError,
            r"weighted = True: \('paper', 'cites', 'paper'\) has no weights",
            lambda: make(divided, [2], weighted=True),
        ),
        (ValueError, "have no times", lambda: make(divided, [2], temporal="last", disjoint=True)),
        (ValueError, "fanouts.* has no number for", lambda: make(divided, [{("paper", "of", "author"): 1}])),
        (ValueError, "direction = 'in': is not supported", lambda: make(divided, [2], direction="in")),
        (TypeError, "seed_nodes.*: expected a dict of arrays", lambda: make(divided, [2]).draw([1], 1)),
        (IndexError, r"seed_nodes\['author'\]\[0\] = 30", lambda: make(divided, [2]).draw({"author": [30]}, 1)),
        (ValueError, "input_nodes: the graph has the vertex types", lambda: gnd.partition.loader(divided, [2])),
        (IndexError, "number = 2: expected a part from 0 to 1", lambda: divided.part(2)),
        (TypeError, "parts in memory cannot be pickled", lambda: pickle.dumps(divided)),
        (ValueError, "has mini-batches only", lambda: divided.part(0).superstep(_cohort(), 0, [])),
    ]:
        with pytest.raises(why, match=match):
            call()


def _cohort():
    return gnd.partition.Cohort(0, ("DeepWalk", "{}"), 1, 1, 0, 1, 1)


def test_parts_of_another_graph_are_refused():
    one = gnd.partition.split(hetero(), 2, "hash")
    plain = gnd.partition.split(gnd.rmat(6, seed=1), 2, "hash")
    sampler = gnd.partition.NeighborSampler(one, [4, 2], transport=gnd.partition.InProcess(plain))
    with pytest.raises(gnd.FormatError, match=r"is asked for relation 1, but has 1|which it does not own"):
        sampler.draw({"paper": range(50), "author": range(30)}, 1)
