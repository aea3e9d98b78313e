"""Every command does what it says."""

import json
import os
import re
import subprocess
import sys

import daily
import numpy as np
import pytest
from commandline import needs, ok, refused
from gonextdoor.cli import group, main

import gonextdoor as gnd


class TestCompletion:
    """Completion in a shell, as bash calls it."""

    def completed(self, line):
        words = line.split(" ")
        variables = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_GONEXTDOOR_COMPLETE": "bash_complete"}
        done = subprocess.run(
            [sys.executable, "-m", "gonextdoor"], env=os.environ | variables, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    @pytest.mark.parametrize(
        "line",
        daily.share(["info wi", "walk g -o wal", "walk g --roots ro", "convert g o", "demo wi", "bench wi",
                     "generate -o g", "sample wi", "explain wi"], 5, "files"),
    )  # fmt: skip
    def test_files(self, line):
        assert self.completed(f"gonextdoor {line}") == [f"file,{line.split()[-1]}"]

    @pytest.mark.parametrize("line", daily.share(["sample g", "explain g", "explain g --app", "apps"], 4, "apps"))
    def test_apps(self, line):
        assert self.completed(f"gonextdoor {line} deep") == ["plain,DeepWalk"]
        assert self.completed(f"gonextdoor {line} G") == ["plain,GraphSAINT"]

    def test_kinds_of_walks(self):
        assert self.completed("gonextdoor walk g --app node") == ["plain,node2vec"]

    def test_examples_are_command_lines_that_parse(self):
        for command in group.commands.values():
            for line in command.example.splitlines():
                program, name, *arguments = line.split()
                assert program == "gonextdoor"
                group.commands[name].make_context(name, arguments, resilient_parsing=False)

    def test_console_script(self):
        script = os.path.join(os.path.dirname(sys.executable), "gonextdoor")
        if not os.path.exists(script):
            pytest.skip("the package was not installed into this environment, only put on its path")
        assert subprocess.run([script, "--version"], capture_output=True).returncode == 0


class TestInfo:
    def test_text(self, folder):
        text = ok("info", folder / "weighted", "--verify").stdout
        assert re.search(r"^vertices +256$", text, re.MULTILINE)
        assert "checks                       all passed" in text
        assert "both directions              yes" in text

    def test_parts_have_equal_numbers_of_edges(self, folder):
        graph = gnd.Graph.open(folder / "weighted")
        parts = json.loads(ok("info", folder / "weighted", "--parts", 3, "--json").stdout)["parts"]
        assert [part["first"] for part in parts] == [0, *(part["end"] for part in parts[:-1])]
        assert parts[-1]["end"] == graph.num_vertices
        for part in parts:
            assert part["edges"] == graph.degrees()[part["first"] : part["end"]].sum()
            assert abs(part["edges"] - graph.num_edges / 3) <= graph.degrees().max()
        text = ok("info", folder / "weighted", "--parts", 3).stdout
        for i, part in enumerate(parts):
            assert (
                f"part {i}                       rows {part['first']:,} to {part['end'] - 1:,}, {part['edges']:,} edges"
                in text
            )

    def test_json_agrees_with_the_graph(self, folder):
        facts = json.loads(ok("info", folder / "weighted", "--verify", "--json").stdout)
        graph = gnd.Graph.open(folder / "weighted")
        sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
        assert (facts["vertices"], facts["edges"]) == (graph.num_vertices, graph.num_edges)
        assert facts["largest_degree"] == graph.degrees().max()
        assert facts["largest_degree_vertex"] == graph.degrees().argmax()
        assert facts["vertices_without_edges"] == (graph.degrees() == 0).sum()
        assert facts["self_loops"] == (sources == graph.indices).sum()
        pairs = np.stack([sources, graph.indices])
        assert facts["repeated_edges"] == pairs.shape[1] - np.unique(pairs, axis=1).shape[1]

    def test_names(self, folder):
        facts = json.loads(ok("info", folder / "names.csv", "--json", "--verify").stdout)
        assert facts["names"] == {"type": "text", "first": ["ada", "grace", "édith"]}
        assert facts["largest_degree_vertex"] == "grace"
        assert facts["symmetric"] is False
        assert facts["weights"] is None

    def test_json_has_keys_without_spaces_and_numbers(self, folder, tmp_path):
        (tmp_path / "e.csv").write_text("source,target,weight,time,label\n70,5,0.5,3,1\n70,6,0,4,2\n")
        facts = json.loads(ok("info", tmp_path / "e.csv", "--json", "--verify").stdout)
        assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", key) for key in facts)
        assert facts["names"] == {"type": "integer", "first": [5, 6, 70]}
        assert facts["largest_degree_vertex"] == 70
        assert facts["weights"] == {"minimum": 0.0, "maximum": 0.5, "mean": 0.25, "zeros": 1}
        assert facts["times"] == {"minimum": 3, "maximum": 4} and facts["labels"] == {"minimum": 1, "maximum": 2}
        assert facts["faults"] == []
        text = ok("info", tmp_path / "e.csv").stdout
        shown = dict(re.split(r"  +", line, maxsplit=1) for line in text.splitlines() if "  " in line)
        assert (shown["weights"], shown["zero weights"], shown["times"]) == ("0 to 0.5, mean 0.25", "1", "3 to 4")
        assert shown["names"] == "whole numbers: 5, 6, 70"
        assert re.search(r"^vertex of the largest degree 70$", text, re.MULTILINE)


class TestWalk:
    def test_npy_is_what_sample_gives(self, folder, tmp_path):
        done = ok("walk", folder / "plain", "-o", tmp_path / "w.npy", "--length", 7, "--repeat", 2, "--seed", 5)
        want = gnd.sample(gnd.Graph.open(folder / "plain"), gnd.apps.DeepWalk(7), repeat=2, seed=5).numpy()
        got = np.load(tmp_path / "w.npy")
        assert got.dtype == want.dtype
        assert np.array_equal(got, want)
        assert re.search(r"^seed +5$", done.stderr, re.MULTILINE)

    def test_default_length(self, folder, tmp_path):
        ok("walk", folder / "plain", "-o", tmp_path / "w.npy")
        assert np.load(tmp_path / "w.npy").shape == (256, 81)

    def test_printed_seed_repeats_the_run(self, folder, tmp_path):
        done = ok("walk", folder / "plain", "-o", tmp_path / "a.npy", "--quiet", "--threads", 1)
        assert re.fullmatch(r"seed +\d+\n", done.stderr)
        seed = done.stderr.split()[1]
        ok("walk", folder / "plain", "-o", tmp_path / "b.npy", "--seed", seed, "--threads", 2)
        assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()

    @pytest.mark.parametrize(
        ("arguments", "app"),
        [
            (["--app", "ppr", "--stop", "0.3"], gnd.apps.PPR(0.3)),
            (["--app", "ppr", "--length", "4"], gnd.apps.PPR(0.15, 4)),
            (["--app", "node2vec", "--p", "2", "--q", "0.5", "--length", "5"], gnd.apps.Node2Vec(2.0, 0.5, 5)),
            (["--length", "5"], gnd.apps.DeepWalk(5)),
            (["--length", "5", "--computed"], gnd.apps.DeepWalk(5, weighted="computed")),
            (["--app", "node2vec", "--length", "3", "--computed"], gnd.apps.Node2Vec(1.0, 1.0, 3, weighted="computed")),
            (["--app", "nonbacktracking", "--length", "5"], gnd.apps.NonBacktracking(5)),
            (["--app", "walk", "--bias", "degree"], gnd.apps.Walk("degree")),
            (["--app", "walk", "--bias", "weight", "--computed"], gnd.apps.Walk("weight", computed=True)),
            (["--app", "metropolishastings", "--length", "5"], gnd.apps.MetropolisHastings(5)),
            (["--app", "jump", "--length", "5"], gnd.apps.Jump(5, 0.15)),
            (["--app", "restart", "--probability", "1", "--unweighted"], gnd.apps.Restart(80, 1.0, weighted=False)),
            (["--app", "multiindependent", "--length", "5"], gnd.apps.MultiIndependent(5)),
            (["--length", "5", "--weighted"], gnd.apps.DeepWalk(5, weighted=True)),
            (["--length", "5", "--unweighted"], gnd.apps.DeepWalk(5, weighted=False)),
        ],
    )
    def test_apps_and_npz(self, arguments, app, folder, tmp_path):
        ok("walk", folder / "weighted", "-o", tmp_path / "w.npz", "--seed", 3, "--edges", *arguments)
        want = gnd.sample(gnd.read(folder / "weighted"), app, seed=3, edges=True)
        with np.load(tmp_path / "w.npz") as got:
            assert np.array_equal(got["vertices"], want.numpy())
            assert np.array_equal(got["lengths"], want.lengths)
            assert np.array_equal(got["edges"], want.edges)
            assert (int(got["seed"]), int(got["first_id"])) == (3, 0)

    def test_text_has_original_names(self, folder, tmp_path):
        ok("walk", folder / "names.csv", "-o", tmp_path / "w.txt", "--length", 3, "--seed", 1)
        words = (tmp_path / "w.txt").read_text().split()
        assert set(words) == {"ada", "grace", "édith"}

    def test_stdout(self, folder, tmp_path):
        ok("walk", folder / "plain", "-o", tmp_path / "w.txt", "--length", 3, "--seed", 1)
        done = ok("walk", folder / "plain", "-o", "-", "--length", 3, "--seed", 1)
        assert done.stdout == (tmp_path / "w.txt").read_text()

    def test_parquet(self, folder, tmp_path):
        parquet = pytest.importorskip("pyarrow.parquet")
        ok("walk", folder / "names.csv", "-o", tmp_path / "w.parquet", "--length", 3, "--seed", 1, "--edges")
        table = parquet.read_table(tmp_path / "w.parquet")
        assert sorted(table["root"].to_pylist()) == ["ada", "grace", "édith"]

    def test_roots_by_name(self, folder, tmp_path):
        (tmp_path / "roots").write_text("# from here\ngrace\n\nada\ngrace\n")
        done = ok("walk", folder / "names.csv", "-o", "-", "--roots", tmp_path / "roots", "--seed", 1)
        assert [line.split()[0] for line in done.stdout.splitlines()] == ["grace", "ada", "grace"]

    def test_roots_that_are_not_there(self, folder, tmp_path):
        (tmp_path / "roots").write_text("grace\nbob\n")
        text = refused(1, "walk", folder / "names.csv", "-o", "-", "--roots", tmp_path / "roots")
        assert "line 2: the graph has no vertex 'bob'" in text
        (tmp_path / "roots").write_text("grcae\n")
        text = refused(1, "walk", folder / "names.csv", "-o", "-", "--roots", tmp_path / "roots")
        assert "line 1: the graph has no vertex 'grcae'; did you mean 'grace'?" in text
        (tmp_path / "roots").write_text("256\n")
        text = refused(1, "walk", folder / "plain", "-o", "-", "--roots", tmp_path / "roots")
        assert "no vertex '256'; its vertices are 0 to 255" in text

    def test_roots_from_npy_and_random(self, folder, tmp_path):
        np.save(tmp_path / "r.npy", [3, 1, 3])
        ok("walk", folder / "plain", "-o", tmp_path / "w.npy", "--roots", tmp_path / "r.npy")
        assert np.load(tmp_path / "w.npy")[:, 0].tolist() == [3, 1, 3]
        ok("walk", folder / "plain", "-o", tmp_path / "w.npy", "--roots", 50, "--seed", 9)
        want = gnd.sample(gnd.Graph.open(folder / "plain"), gnd.apps.DeepWalk(80), 50, seed=9)
        assert np.array_equal(np.load(tmp_path / "w.npy"), want.numpy())

    def test_standard_input(self, tmp_path):
        text = "0 1\n1 2\n2 0\n"
        (tmp_path / "e.txt").write_text(text)
        arguments = ["-o", "-", "--length", 5, "--seed", 1]
        assert ok("walk", "-", *arguments, input=text).stdout == ok("walk", tmp_path / "e.txt", *arguments).stdout

    def test_symmetric(self, folder, tmp_path):
        edges = tmp_path / "e.txt"
        edges.write_text("0 1\n1 2\n")
        directed = ok("walk", edges, "-o", "-", "--length", 5, "--seed", 1).stdout
        both = ok("walk", edges, "-o", "-", "--length", 5, "--seed", 1, "--symmetric").stdout
        assert max(map(len, map(str.split, directed.splitlines()))) == 3
        assert {len(line.split()) for line in both.splitlines()} == {6}


def test_khop(folder, tmp_path):
    ok("khop", folder / "plain", "--fanout", "3,2", "--roots", 20, "--seed", 4, "--edges", "-o", tmp_path / "t.npz")
    want = gnd.sample(gnd.Graph.open(folder / "plain"), gnd.apps.KHop([3, 2]), 20, seed=4, edges=True)
    with np.load(tmp_path / "t.npz") as got:
        assert np.array_equal(got["vertices"], want.numpy())
        assert np.array_equal(got["edges"], want.edges)


class TestConvert:
    @pytest.mark.parametrize("name", ["g", "g.npz", "g.parquet", "g.txt", "g.tsv", "g.csv", "g.csv.gz", "g.txt.zst"])
    @pytest.mark.parametrize("graph", ["plain", "weighted"])
    def test_there_and_back(self, name, graph, folder, tmp_path):
        needs(name)
        before = gnd.Graph.open(folder / graph)
        ok("convert", folder / graph, tmp_path / name)
        after = gnd.read(tmp_path / name)
        # Lists of edges have no place for vertices without edges, so that numbers become names.
        names = np.arange(after.num_vertices) if after.vertex_names is None else after.vertex_names
        assert np.array_equal(np.repeat(names, after.degrees()), np.repeat(np.arange(256), before.degrees()))
        assert np.array_equal(names[after.indices], before.indices)
        if before.weights is None:
            assert after.weights is None
        else:
            assert np.allclose(after.weights, before.weights, rtol=1e-6)
        assert os.listdir(tmp_path) == [name]

    def test_names(self, tmp_path):
        needs("out.parquet")
        (tmp_path / "in.csv").write_text('source,target\n"a ""b"", c",d\nd,#x\n')
        for name in ("out.csv", "out.tsv", "out.parquet", "out"):
            ok("convert", tmp_path / "in.csv", tmp_path / name)
            assert set(gnd.read(tmp_path / name).vertex_names.tolist()) == {'a "b", c', "d", "#x"}
        assert "white space" in refused(1, "convert", tmp_path / "in.csv", tmp_path / "out.txt")
        assert not (tmp_path / "out.txt").exists()

    def test_only_graphs_are_replaced(self, folder, tmp_path):
        (tmp_path / "g").mkdir()
        (tmp_path / "g" / "thesis.txt").touch()
        assert "is not the folder of a graph" in refused(2, "convert", folder / "plain", tmp_path / "g")
        assert os.listdir(tmp_path / "g") == ["thesis.txt"]
        for graph in ("plain", "weighted"):
            ok("convert", folder / graph, tmp_path / "new")
        assert gnd.Graph.open(tmp_path / "new").weighted


class TestGenerate:
    def test_same_as_rmat(self, tmp_path):
        ok("generate", "--scale", 7, "--edge-factor", 5, "--weights", "1,3", "--seed", 8, "-o", tmp_path / "g")
        want, got = gnd.rmat(7, 5, weights=(1.0, 3.0), seed=8), gnd.Graph.open(tmp_path / "g")
        for name in ("indptr", "indices", "weights"):
            assert np.array_equal(getattr(got, name), getattr(want, name))

    def test_stream(self, tmp_path):
        ok("generate", "--scale", 7, "--seed", 8, "--stream", "-o", tmp_path / "g")
        want, got = gnd.rmat(7, seed=8), gnd.Graph.open(tmp_path / "g")
        assert np.array_equal(got.indptr, want.indptr)
        assert np.array_equal(got.indices, want.indices)
        assert "without a suffix" in refused(2, "generate", "--scale", 7, "--stream", "-o", tmp_path / "g.npz")

    def test_directed(self, tmp_path):
        ok("generate", "--scale", 7, "--seed", 8, "--directed", "-o", tmp_path / "g")
        assert np.array_equal(gnd.Graph.open(tmp_path / "g").indptr, gnd.rmat(7, symmetric=False, seed=8).indptr)


def test_doctor():
    text = ok("doctor").stdout
    for word in ("gonextdoor", "Python", "core", "sampling", "CPU", "threads", "memory", "huge pages", "GPU"):
        assert re.search(rf"^(ok|note) +{word} ", text, re.MULTILINE), word
    assert "FAULT" not in text


def test_doctor_finds_a_fault():
    program = (
        "import sys, gonextdoor, gonextdoor.cli\n"
        "def broken(*a, **k): raise RuntimeError('no core')\n"
        "gonextdoor.rmat = broken\n"
        "sys.exit(gonextdoor.cli.main(['doctor']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(r"^FAULT +sampling +failed: RuntimeError: no core", done.stdout, re.MULTILINE)


def test_bench(monkeypatch, capsys):
    monkeypatch.setattr(sys.modules["gonextdoor.cli.bench"], "STEPS", 100_000)
    assert main(["bench", "--scale", "8", "--repeat", "1", "--threads", "1,2"]) == 0
    rows = re.findall(
        r"^(\S.*?) +([12]) +([\d.]+) +([\d.]+) +([\d.]+) +M (steps|edges)/s$", capsys.readouterr().out, re.MULTILINE
    )
    assert len(rows) == 12
    assert all(float(row[2]) > 0 for row in rows)


@pytest.mark.parametrize("given", [False, True])
def test_demo(given, folder, tmp_path):
    done = ok("demo", *([folder / "plain"] if given else []), cwd=tmp_path)
    made = sorted(os.listdir(tmp_path / "demo-output"))
    assert made == ["minibatch.npz", "walks-first-1000.txt", "walks.npy"]
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip() and not line.startswith("The same")]
    assert len(lines) == 2
    names = {}
    exec("\n".join(lines), names)  # the two lines that it printed
    assert np.array_equal(names["walks"], np.load(tmp_path / "demo-output" / "walks.npy"))
    first = [line.split() for line in (tmp_path / "demo-output" / "walks-first-1000.txt").read_text().splitlines()]
    want = [[str(v) for v in row if v >= 0] for row in names["walks"][:1000].tolist()]
    assert first == want
    ok("demo", *([folder / "plain"] if given else []), cwd=tmp_path)  # again, over its own files


def test_demo_of_names_with_blanks(tmp_path):
    (tmp_path / "e.csv").write_text("source,target\nada lovelace,grace\ngrace,ada lovelace\n")
    ok("demo", "e.csv", cwd=tmp_path)
    with np.load(tmp_path / "demo-output" / "walks-first-1000.npz") as first:
        assert sorted(first["vertex_names"]) == ["ada lovelace", "grace"]


def test_demo_of_edges_without_direction(tmp_path):
    (tmp_path / "e.txt").write_text("".join(f"{v} {v + 1}\n" for v in range(9)))
    assert "(command line: --symmetric)" in ok("demo", "e.txt", cwd=tmp_path).stderr
    done = ok("demo", "e.txt", "--symmetric", cwd=tmp_path)
    assert "add --symmetric" not in done.stderr
    assert "gnd.read('e.txt', symmetric=True)" in done.stdout


def test_import_of_the_command_line_is_light():
    """--help must not wait for what only single commands need."""
    program = "import sys, gonextdoor.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pandas", "pyarrow", "matplotlib", "scipy", "networkx", "tqdm", "torch"} & set(loaded)


def test_columns_are_chosen_as_in_python(tmp_path):
    (tmp_path / "e.csv").write_text("when,a,b,much,kind\n7,x,y,2,1\n9,y,z,3,2\n")
    chosen = ["--source", "a", "--target", 2, "--weight", "much", "--time", 0, "--label", "kind"]
    assert "columns a -> b, weight 'much', time 'when', label 'kind'" in ok("info", tmp_path / "e.csv", *chosen).stdout
    for out in ("g", "o.csv", "o.tsv", "o.txt", "o.parquet"):
        report = ok("convert", tmp_path / "e.csv", tmp_path / out, *chosen).stderr
        assert "source   e.csv: columns a -> b, weight 'much', time 'when', label 'kind'; header recognised" in report
        graph = gnd.read(tmp_path / out)
        assert graph.weights.tolist() == [2, 3] and graph.times.tolist() == [7, 9] and graph.labels.tolist() == [1, 2]
        assert graph.vertex_names.tolist() == ["x", "y", "z"]
    walked = ok("walk", tmp_path / "e.csv", *chosen, "--app", "metapath", "--labels", "1,2", "-o", "-", "--seed", 1)
    assert walked.stdout.splitlines()[0] == "x y z"
    none = ok("info", tmp_path / "g", "--no-time", "--no-label", "--unweighted", "--json").stdout
    assert json.loads(none)["source"].endswith("without its weights, without its times, without its labels")
    (tmp_path / "d.txt").write_text("# Undirected graph\n0 1\n1 2\n")
    for option, edges in ((), 4), (("--no-symmetric",), 2), (("--symmetric",), 4):
        assert json.loads(ok("info", tmp_path / "d.txt", *option, "--json").stdout)["edges"] == edges


def test_a_line_that_may_be_a_header_is_warned_about(tmp_path):
    (tmp_path / "e.csv").write_text("x,y\na,b\n")
    warned = ok("info", tmp_path / "e.csv")
    assert warned.stderr.startswith("warning  e.csv: line 1, 'x,y', may be a header or an edge")
    assert ok("info", tmp_path / "e.csv", "--header", "--json").stderr == ""
    assert json.loads(ok("info", tmp_path / "e.csv", "--no-header", "--json").stdout)["edges"] == 2


def test_explain_prints_the_plan(folder):
    text = ok("explain", folder / "weighted", "deepwalk", "length=9", "--roots", "10", "--device", "cpu").stdout
    assert "alias tables" in text and "as device says" in text
    plan = json.loads(
        ok("explain", folder / "weighted", "--app", "DeepWalk", "length=9", "--repeat", "2", "--json").stdout
    )
    assert plan["samples"] == 512 and plan["choices"] == 512 * 9


def test_explain_needs_an_app(folder):
    assert "expected the name of an app" in refused(2, "explain", folder / "weighted")
