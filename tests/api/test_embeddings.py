"""gonextdoor.embeddings: walks that gensim reads while they are sampled, and its vectors."""

import sys
from collections import Counter

import corpus
import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor import embeddings

gensim = pytest.importorskip("gensim")
networkx = pytest.importorskip("networkx")


@pytest.fixture
def graph():
    return gnd.rmat(6, 4, seed=1)


def test_walks_are_those_of_sample_in_a_shuffled_order(graph):
    walks = embeddings.Walks(graph, gnd.apps.DeepWalk(5), num_walks=3, seed=7)
    rows = [list(map(int, row)) for row in walks]
    assert len(rows) == len(walks) == 3 * graph.num_vertices
    for round in range(3):
        some = rows[round * graph.num_vertices : (round + 1) * graph.num_vertices]
        roots = [row[0] for row in some]
        assert sorted(roots) == list(range(graph.num_vertices)) != roots
        first = round * graph.num_vertices
        want = gnd.sample(graph, gnd.apps.DeepWalk(5), roots, seed=7, first_id=first)
        assert [[int(v) for v in row if v >= 0] for row in want.numpy()] == some
    assert len({row[0] for row in rows[::64]}) > 1, "each round has another order"


def test_walks_of_several_blocks_and_threads_are_equal(graph, monkeypatch):
    whole = list(embeddings.Walks(graph, gnd.apps.PPR(0.3), 2, seed=1))
    monkeypatch.setattr(embeddings, "BLOCK", 50)
    walks = embeddings.Walks(graph, gnd.apps.PPR(0.3), 2, seed=1, threads=2)
    assert walks._block < 50
    assert list(walks) == whole


@pytest.mark.parametrize("resample", [False, True])
def test_epochs_repeat_or_resample(graph, resample):
    walks = embeddings.Walks(graph, gnd.apps.DeepWalk(5), 2, resample=resample, seed=1)
    first, second = list(walks), list(walks)
    assert (first == second) != resample
    both = list(embeddings.Walks(graph, gnd.apps.DeepWalk(5), 4, seed=1))
    assert not resample or first + second == both, "the second iteration continues the first"


def test_counts_are_those_of_the_next_iteration():
    graph = corpus.graph(60, 150, symmetric=False)  # with sinks, at which walks end
    walks = embeddings.Walks(graph, gnd.apps.DeepWalk(9), 3, resample=True, seed=2)
    for _ in range(2):
        counts = walks.counts()
        words = Counter(word for walk in walks for word in walk)
        assert counts.tolist() == [words[str(v)] for v in range(graph.num_vertices)]


def test_vectors_have_the_names_of_the_vertices():
    club = networkx.relabel_nodes(networkx.karate_club_graph(), lambda v: f"member {v}")
    club.add_node("nobody")
    model = embeddings.Node2Vec(club, dimensions=16, num_walks=20, q=0.5, seed=42).fit(window=5)
    assert sorted(model.wv.index_to_key) == sorted(club.nodes), "a vertex without edges has a vector, too"
    assert model.wv.vectors.shape == (35, 16)
    right = 0
    for v in range(34):
        near = [
            club.nodes[name]["club"] for name, _ in model.wv.most_similar(f"member {v}", topn=6) if name != "nobody"
        ]
        right += max(set(near), key=near.count) == club.nodes[f"member {v}"]["club"]
    assert right > 0.8 * 34


def test_a_seed_gives_the_same_vectors(graph):
    def vectors(seed, **options):
        options = {"walk_length": 10} | options if "app" not in options else options
        return embeddings.Node2Vec(graph, 8, num_walks=2, seed=seed, **options).fit(epochs=2).wv[["3", "5"]]

    assert np.array_equal(vectors(1), vectors(1))
    assert not np.array_equal(vectors(1), vectors(2))
    assert not np.array_equal(vectors(1), vectors(1, resample=True))
    assert np.array_equal(vectors(1, app=gnd.apps.Node2Vec(length=9)), vectors(1)), "walk_length counts vertices"


def test_gensim_is_told_the_exact_corpus(graph):
    """The counts are those that gensim finds by reading the walks."""
    node2vec = embeddings.Node2Vec(graph, 8, 10, 2, seed=1)
    model = node2vec.fit(epochs=1, sg=0, vector_size=4)
    read = gensim.models.Word2Vec(node2vec.walks, vector_size=4, min_count=1, epochs=1)
    assert {word: model.wv.get_vecattr(word, "count") for word in model.wv.index_to_key} == {
        word: read.wv.get_vecattr(word, "count") for word in read.wv.index_to_key
    }
    assert (model.corpus_count, model.sg, model.vector_size) == (read.corpus_count, 0, 4)
    assert model.total_train_time > 0


def test_refusals(graph, monkeypatch):
    with pytest.raises(TypeError, match=r"graph: expected a gonextdoor\.Graph, got int"):
        embeddings.Walks(3, gnd.apps.DeepWalk())
    with pytest.raises(TypeError, match="graph: expected a NetworkX graph, got int"):
        embeddings.Node2Vec(3)
    with pytest.raises(ValueError, match="graph has no vertices"):
        embeddings.Walks(gnd.Graph.from_edges([], []), gnd.apps.DeepWalk())
    with pytest.raises(ValueError, match=r"app = KHop.*no walks from one root"):
        embeddings.Walks(graph, gnd.apps.KHop([3, 2]))
    with pytest.raises(ValueError, match="num_walks = 0: expected from 1"):
        embeddings.Walks(graph, gnd.apps.DeepWalk(), 0)
    for name in ("dimensions", "walk_length", "workers"):
        with pytest.raises(ValueError, match=f"{name} = 0: expected from 1"):
            embeddings.Node2Vec(graph, **{name: 0})
    with pytest.raises(ValueError, match="leave walk_length, p, q and weighted out"):
        embeddings.Node2Vec(graph, q=2, app=gnd.apps.DeepWalk())
    with pytest.raises(TypeError, match="did you mean num_walks="):
        embeddings.Node2Vec(graph, num_walk=3)
    node2vec = embeddings.Node2Vec(graph, 4, 5, 1)
    with pytest.raises(TypeError, match="fit got sentences=: the walks are the sentences"):
        node2vec.fit(sentences=[])
    with pytest.raises(TypeError, match="vector_sizes"):
        node2vec.fit(vector_sizes=3)
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(ImportError, match="needs gensim: pip install gensim"):
        node2vec.fit()
