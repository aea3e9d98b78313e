"""gonextdoor embed: files of vectors."""

import numpy as np
import pytest
from commandline import ok, refused

import gonextdoor as gnd
from gonextdoor import embeddings

gensim = pytest.importorskip("gensim")

SHORT = ("--dimensions", "4", "--repeat", "2", "--seed", "1")


@pytest.fixture
def edges(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("source,target\nada,grace\ngrace,édith\nédith,ada\nada,x9\n")
    return file


@pytest.mark.parametrize("name", ["v.txt", "v.emb.gz", "v.vec", "v.bin"])
def test_gensim_reads_the_file(edges, tmp_path, name):
    ok("embed", edges, "-o", tmp_path / name, "length=5", *SHORT)
    binary = name == "v.bin"
    read = gensim.models.KeyedVectors.load_word2vec_format(str(tmp_path / name), binary=binary)
    assert sorted(read.index_to_key) == ["ada", "grace", "x9", "édith"]
    graph = gnd.read(edges)
    node2vec = embeddings.Node2Vec(graph, 4, app=gnd.apps.Node2Vec(length=5), num_walks=2, seed=1)
    want = node2vec.fit(window=10, epochs=1).wv
    assert all(np.array_equal(read[word], want[word]) for word in want.index_to_key)


def test_an_array_has_the_rows_of_the_vertices(edges, tmp_path):
    ok("embed", edges, "-o", tmp_path / "v.npy", "deepwalk", "length=5", *SHORT)
    ok("embed", edges, "-o", tmp_path / "v.txt", "--app", "deepwalk", "--length", "5", *SHORT)
    read = gensim.models.KeyedVectors.load_word2vec_format(str(tmp_path / "v.txt"))
    names = gnd.read(edges).vertex_names.tolist()
    assert np.array_equal(np.load(tmp_path / "v.npy"), read[names])


def test_refusals(edges, tmp_path):
    def why(*words, code=2):
        return refused(code, "embed", *words)

    assert "expected a name that ends in .txt, .vec, .emb, .bin" in why(edges, "-o", tmp_path / "v.csv")
    assert "there is no folder" in why(edges, "-o", tmp_path / "none" / "v.txt")
    assert "no walks from one root" in why(edges, "-o", tmp_path / "v.txt", "khop", "fanouts=3,2", code=1)
    assert "Did you mean" in why(edges, "-o", tmp_path / "v.txt", "--walk-length", "5")
    spaced = tmp_path / "spaced.csv"
    spaced.write_text("source,target\nada l,grace\n")
    assert "expected names without any" in why(spaced, "-o", tmp_path / "v.txt", *SHORT, code=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["edges.csv", "spaced.csv"], "nothing half-written"
