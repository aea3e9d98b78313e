"""gonextdoor sample and gonextdoor apps: every app from the command line, its parameters, its roots, its files."""

import dataclasses
import re

import corpus
import numpy as np
import pytest
from commandline import ok, refused
from gonextdoor.cli import main

import gonextdoor as gnd


def test_sample_any_app(folder, tmp_path):
    arguments = ["khop", "fanouts=3,2", "replace=true", "weighted=auto", "--seed", 2, "-o", tmp_path / "s.npy"]
    ok("sample", folder / "weighted", *arguments)
    app = gnd.apps.KHop([3, 2], replace=True, weighted="auto")
    assert np.array_equal(np.load(tmp_path / "s.npy"), gnd.sample(gnd.read(folder / "weighted"), app, seed=2).numpy())
    ok("sample", folder / "weighted", "PPR", "stop=0.5", "max_length=3", "--seed", 2, "-o", tmp_path / "s.npy")
    assert np.load(tmp_path / "s.npy").shape[1] <= 4


def test_walks_with_a_start_and_an_end(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst,time\na,b,2024-05-01\na,c,2024-05-03\nb,c,2024-05-04\nc,d,2024-05-08\n")
    limits = ["--start", "2024-05-02", "--start-window", 3 * 86400 * 10**6, "--end", "2024-05-08"]
    walked = ok("walk", tmp_path / "e.csv", "--app", "temporalwalk", "--length", 3, *limits, "-o", "-", "--seed", 1)
    assert walked.stdout.splitlines() == ["a c d", "b c d", "c", "d"]
    starts = "start=2024-05-01,2024-05-05,2024-05-01,2024-05-01"
    each = ok("sample", tmp_path / "e.csv", "TemporalWalk", "length=1", starts, "-o", "-", "--seed", 1)
    assert each.stdout.splitlines()[1:] == ["b", "c d", "d"]
    (tmp_path / "i.csv").write_text("src,dst,time\n0,1,5\n1,2,-3\n")
    back = ["--app", "temporalwalk", "--length", 2, "--direction", "backward", "--start", 5, "--end", -3]
    assert ok("walk", tmp_path / "i.csv", *back, "-o", "-").stdout.splitlines() == ["0 1 2", "1 2", "2"]
    for code, given, text in [
        (2, ["--start", "soon"], "Invalid value for --start: 'soon': expected a date"),
        (1, ["--start", "2024-05-01"], "times of this graph are integers without a unit"),
        (2, ["--start-window", 5], "Invalid value for --start-window"),
        (1, ["--start", "5,6"], "start has 2 elements: expected 3, one per root"),
    ]:
        assert text in refused(code, "walk", tmp_path / "i.csv", "--app", "temporalwalk", *given, "-o", "-")


def test_sample_follows_weights_where_it_is_told_to(folder, tmp_path):
    ok("sample", folder / "weighted", "KHop", "fanouts=3", "--weighted", "--seed", 2, "-o", tmp_path / "s.npy")
    app = gnd.apps.KHop([3], weighted=True)
    assert np.array_equal(np.load(tmp_path / "s.npy"), gnd.sample(gnd.read(folder / "weighted"), app, seed=2).numpy())


def _random_batches():
    """Three samples of 20 random roots and two repeats, by the contract."""
    keys = [gnd.rng.key(gnd.rng.stream(2, gnd.rng.ROOTS), 2 * i) for i in range(3)]
    return [[gnd.rng.below(gnd.rng.word(key, j), 256)[0] for j in range(20)] for key in keys]


@pytest.mark.parametrize(
    ("roots", "begins"),
    [
        (["--roots", 3], _random_batches()),
        (["--roots", "{r}"], np.arange(40).reshape(2, 20)),
        ([], np.arange(240).reshape(12, 20)),
    ],
)
def test_batches(roots, begins, folder, tmp_path):
    np.save(tmp_path / "r.npy", np.arange(45))
    roots = [str(word).format(r=tmp_path / "r.npy") for word in roots]
    arguments = ["khop", "fanouts=3", "--batch", 20, "--seed", 2, "--repeat", 2, "-o", tmp_path / "s.npy"]
    done = ok("sample", folder / "plain", *arguments, *roots)
    want = gnd.sample(gnd.Graph.open(folder / "plain"), gnd.apps.KHop([3]), begins, repeat=2, seed=2)
    assert np.array_equal(np.load(tmp_path / "s.npy"), want)
    assert ("too few for a sample of 20 roots" in done.stderr) == (len(begins) != 3)


def test_too_few_roots_for_a_batch(folder, tmp_path):
    np.save(tmp_path / "r.npy", np.arange(19))
    arguments = ["khop", "fanouts=3", "--batch", 20, "--roots", tmp_path / "r.npy", "-o", tmp_path / "s.npy"]
    assert "got 19 roots, but each sample takes 20" in refused(1, "sample", folder / "plain", *arguments)


def test_roots_in_rows(folder, tmp_path):
    np.save(tmp_path / "r.npy", [[1, 2], [3, 4]])
    ok("sample", folder / "plain", "khop", "fanouts=3", "--roots", tmp_path / "r.npy", "-o", tmp_path / "s.npy")
    assert np.load(tmp_path / "s.npy")[:, :2].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(("name", "text"), [("f.txt", "3 # the first\n\n2\n"), ("f.npy", None)])
def test_parameters_from_files(name, text, folder, tmp_path):
    if text is None:
        np.save(tmp_path / name, [3, 2])
    else:
        (tmp_path / name).write_text(text)
    ok("sample", folder / "plain", "khop", f"fanouts=@{tmp_path / name}", "--seed", 2, "-o", tmp_path / "s.npy")
    want = gnd.sample(gnd.Graph.open(folder / "plain"), gnd.apps.KHop([3, 2]), seed=2)
    assert np.array_equal(np.load(tmp_path / "s.npy"), want)


def test_layered_samples_in_npz(tmp_path):
    from gonextdoor.cli.target import Target
    from layeredsamples import GRAPH, fast, slow

    rows = [slow(np.random.default_rng(1), 1, GRAPH) for _ in range(20)]
    samples = fast(rows, 1, GRAPH)
    Target(str(tmp_path / "s.npz")).write(samples)
    with np.load(tmp_path / "s.npz") as got:
        for i, row in enumerate(rows):
            part = slice(*got["offsets"][i : i + 2])
            assert got["values"][part].tolist() == row.vertices
            assert got["parents"][part].tolist() == row.parents
            assert got["edges"][part].tolist() == samples.edge_values[part].tolist()
            ends = got["step_ends"][slice(*got["step_offsets"][i : i + 2])]
            assert np.diff(ends, prepend=0).tolist() == list(map(len, row.levels))
            links = slice(*got["link_offsets"][i : i + 2])
            names = ("sources", "targets", "link_edges", "link_values")
            assert list(zip(*(got[name][links].tolist() for name in names), strict=True)) == row.links
        assert (int(got["seed"]), int(got["first_id"]), str(got["app"])) == (7, 3, "LayeredApp(roots=1)")


def test_apps():
    done = ok("apps")
    for name in gnd.apps.__all__:
        app = getattr(gnd.apps, name)
        assert not hasattr(app, "__dataclass_fields__") or re.search(rf"^  {name}( |$)", done.stdout, re.MULTILINE), (
            name
        )
    assert "  DeepWalk length=80 weighted=auto\n      Walks of length steps" in done.stdout
    assert done.stdout.index("DeepWalk") < done.stdout.index("KHop") < done.stdout.index("LADIES")
    assert max(map(len, done.stdout.splitlines())) <= 100
    one = ok("apps", "khop").stdout
    assert one.startswith("KHop fanouts=… replace=false weighted=false\n\nTrees")
    assert "fanouts: edges taken by each vertex" in one
    assert "expected one of" in refused(2, "apps", "nope")


def _words(app, folder):
    """An app's parameters as the command line takes them."""
    for field in dataclasses.fields(app):
        value = getattr(app, field.name)
        if isinstance(value, np.ndarray):
            np.save(folder / f"{field.name}.npy", value)
            value = f"@{folder / field.name}.npy"
        elif isinstance(value, tuple):
            value = ",".join(map(str, value))
        yield f"{field.name}={value}"


@pytest.mark.parametrize("app", [app for app in corpus.APPS if dataclasses.is_dataclass(app)], ids=corpus.names)
def test_every_app_runs(app, tmp_path, capsys):
    graph = corpus.graph(weighted=True)
    graph.save(tmp_path / "g")
    arguments = ["--seed", "4", "--edges", "--roots", "20", "-o", str(tmp_path / "s.npz")]
    words = [str(tmp_path / "g"), type(app).__name__.lower(), *_words(app, tmp_path)]
    assert main(["sample", *words, *arguments]) == 0
    assert repr(app) in capsys.readouterr().err
    want = gnd.sample(graph, app, 20, seed=4, edges=True)
    with np.load(tmp_path / "s.npz") as got:
        assert np.array_equal(got["values" if want.layered else "vertices"], want.values if want.layered else want)
        assert np.array_equal(got["edges"], want.edge_values if want.layered else want.edges)
        assert ("sources" in got) == want.records
