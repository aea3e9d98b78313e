"""gonextdoor plot writes the picture that was asked for."""

import xml.etree.ElementTree as ElementTree

import daily
import numpy as np
import pytest
from commandline import ok, refused

import gonextdoor as gnd

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """A graph of 120 vertices with times."""
    folder = tmp_path_factory.mktemp("plot") / "graph"
    random = np.random.default_rng(1)
    src, dst = random.integers(0, 120, (2, 900))
    gnd.Graph.from_edges(src, dst, times=random.integers(0, 99, 900), symmetric=True).save(folder)
    return folder


@pytest.mark.parametrize(
    ("arguments", "title"),
    daily.share(
        [
            (["degrees"], "Degrees of 120 vertices and"),
            (["graph"], "Graph of 120 vertices and"),
            (["visits", "Node2Vec", "p=0.5", "length=5"], "120 Node2Vec walks of length 5"),
            (["lengths"], "120 PPR walks with stop probability 0.15"),
            (["lengths", "--repeat", "2", "stop=0.5"], "240 PPR walks with stop probability 0.5"),
            (["walk"], "DeepWalk walk of length 10 from vertex"),
            (["walk", "length=4"], "DeepWalk walk of length 4 from vertex"),
            (["tree", "KHop", "fanouts=2,2"], "KHop tree with fan-outs 2, 2 from vertex"),
            (["layers"], "LADIES sample from vertex"),
            (["subgraph", "RandomNode", "n=9"], "RandomNode sample"),
            (["timeline"], "12 DeepWalk walks of length 6"),
            (["batch"], "Mini-batch of 3 seed nodes"),
            (["batch", "fanouts=2", "--roots", "5"], "Mini-batch of 5 seed nodes"),
        ],
        4,
        "plots",
    ),
)
def test_each_kind(graph, tmp_path, arguments, title):
    done = ok("plot", graph, *arguments, "-o", tmp_path / "picture.svg", "--seed", 1)
    assert f": {title}" in done.stderr
    assert ElementTree.parse(tmp_path / "picture.svg").getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("suffix", "begin"), daily.share([("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")], 3, "formats")
)
def test_formats_are_deterministic(graph, tmp_path, suffix, begin):
    for name in ("a", "b"):
        ok("plot", graph, "tree", "-o", tmp_path / f"{name}.{suffix}", "--seed", 1)
    first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("a", "b"))
    assert first.startswith(begin)
    assert first == second


def test_the_seed_repeats_a_picture(graph, tmp_path):
    done = ok("plot", graph, "walk", "-o", tmp_path / "a.svg", "--quiet")
    seed = done.stderr.split()[-1]
    ok("plot", graph, "walk", "-o", tmp_path / "b.svg", "--seed", seed)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_roots_by_name(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\nada,bo\nbo,cy\n")
    (tmp_path / "roots.txt").write_text("bo\n")
    arguments = ["--roots", tmp_path / "roots.txt", "-o", tmp_path / "p.svg", "--symmetric"]
    assert "from bo" in ok("plot", tmp_path / "edges.csv", "walk", *arguments).stderr
    assert "1 seed node:" in ok("plot", tmp_path / "edges.csv", "batch", *arguments).stderr


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["degrees", "-o", "p.gif"], 2, "expected a name that ends in .png, .svg, .pdf"),
        (["pie", "-o", "p.svg"], 2, "'pie'"),
        (["degrees", "DeepWalk", "-o", "p.svg"], 2, "degrees draws the graph and takes no app"),
        (["walk", "Deepwolk", "-o", "p.svg"], 2, "'Deepwolk'"),
        (["walk", "size=3", "-o", "p.svg"], 2, "expected key=value with a key of DeepWalk"),
        (["batch", "KHop", "-o", "p.svg"], 2, "expected fanouts=F1,F2,… for batch"),
        (["batch", "fanouts=a", "-o", "p.svg"], 2, "fanouts=a: expected whole numbers"),
        (["tree", "DeepWalk", "length=300", "-o", "p.svg"], 1, "a drawing shows at most 200"),
        (["walk", "KHop", "fanouts=2", "-o", "p.svg"], 1, "its samples are not walks"),
        (["degrees", "-o", "there/is/none.svg"], 2, "there is no folder"),
    ],
)
def test_refusals(graph, tmp_path, arguments, code, text):
    assert text in refused(code, "plot", graph, *arguments, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
