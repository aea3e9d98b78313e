"""Mistakes that users make, with the words that the error must have: the argument, the value, and what to do."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import corpus
import numpy as np
import pytest
from gonextdoor.cli import main

import gonextdoor as gnd


def of_in(ctx: Any, edge: Any, dst: int) -> int:
    return 1 if dst in (1, 2) else 0


def of_is(ctx: Any, edge: Any, dst: int) -> int:
    return 1 if dst is None else 0  # type: ignore[redundant-expr, unused-ignore]


def of_list(ctx: Any, edge: Any, dst: int) -> int:
    return [1, 2][dst]


def of_exp(ctx: Any, edge: Any, dst: int) -> Any:
    return np.exp(dst)


NAMES: dict[str, Any] = {
    "gnd": gnd, "np": np, "g": corpus.graph(), "W": gnd.apps.DeepWalk(3), "x": np.ones((4, 2)), "of_in": of_in,
    "of_is": of_is, "of_list": of_list, "of_exp": of_exp, "S": gnd.sample(corpus.graph(), gnd.apps.DeepWalk(3), seed=1),
    "het": gnd.HeteroGraph({("user", "buys", "item"): gnd.Graph.from_edges([0, 1], [1, 2])}, {"user": 3, "item": 3}),
}  # fmt: skip

# A call, and what its error says; ... stands for any text.
API = r"""
gnd.loader(g, [3], num_workers=2)                      | gonextdoor.loader ... 'num_workers': did you mean threads=?
gnd.loader(g, [3], pin_memory=True)                    | 'pin_memory': threads draw the batches ... leave it out
gnd.loader(g, [3], shuffles=True)                      | did you mean shuffle=?
gnd.loader(g, [3], fanouts=[3])                        | did you mean num_neighbors=?
gnd.loader(g)                                          | gonextdoor.loader is missing num_neighbors: expected
gnd.loader(het, [3], "usr")                            | input_nodes = 'usr' ... 'user', 'item'
gnd.Loader(g, [10])                                    | use gonextdoor.loader(graph, num_neighbors
gnd.App(length=3)                                      | App got ... 'length': did you mean steps=?
gnd.App()                                              | App is missing steps: pass an int
gnd.App(of_in, steps=3)                                | got 1 arguments by position, expected none
gnd.App(edgebias=of_in, steps=3)                       | did you mean edge_bias=?
gnd.App(edge_bias=lambda ctx, edge, dst: 1, steps=3)   | edge_bias: a lambda: expected a function written with def
gnd.App(edge_bias=of_in, steps=3)                      | 'in' is not supported in hooks: compare ... arrays=
gnd.App(edge_bias=of_is, steps=3)                      | 'is' is not supported in hooks: compare numbers with ==
gnd.App(edge_bias=of_list, steps=3)                    | is no array of ctx
gnd.App(edge_bias=of_exp, steps=3)                     | np.exp() is not supported in hooks ... tabulate it with
gnd.personalized_pagerank(g, [1], alpha=.85)           | 'alpha': did you mean stop=? (stop = 1 - alpha
gnd.personalized_pagerank(g, personalization={1: 1})   | did you mean seeds=?
gnd.personalized_pagerank(g, [1], max_iter=9)          | did you mean walks=?
gnd.sample(g, W, device="gpu")                         | device = 'gpu' ... did you mean "cuda"?
gnd.sample(g, W, device=1)                             | device = 1 ... did you mean "cuda:1"?
gnd.sample(g, W, seed=np.random.SeedSequence(1))       | seed: ... got SeedSequence: pass np.random.default_rng(seed)
gnd.sample(W, g)                                       | got DeepWalk: the graph is the first argument
gnd.sample(g, W, batch_size=3)                         | did you mean batch_size= of gonextdoor.loader?
gnd.sample(g, W, walks=3)                              | did you mean repeat=?
gnd.visit_counts(g, W, num_walks=3)                    | gonextdoor.visit_counts ... did you mean repeat=?
gnd.apps.KHop([-1])                                    | fanouts[0] = -1 ... Snowball takes all neighbours
gnd.apps.KHop(10)                                      | fanouts = 10: expected a sequence ... such as [10]
gnd.apps.DeepWalk(3, "auto", 5)                        | got 3 arguments by position, expected at most 2 (length,
gnd.NeighborSampler(g, num_neighbors=[3])              | NeighborSampler ... did you mean fanouts=?
gnd.NeighborSampler(g, [3]).sample([1], seed=1)        | NeighborSampler.sample ... did you mean batch_seed=?
gnd.PGSampler(fan_out=[3])                             | did you mean fanouts=?
gnd.features.cached(x, "cpu")                          | device = "cpu" ... use gonextdoor.features.open
gnd.features.cached(x, "cuda", bytes="8XB")            | bytes = '8XB': expected a number of bytes
gnd.features.open(x, device="cuda")                    | use gonextdoor.features.cached
gnd.Graph.from_edges([0], [1], weight=[1])             | Graph.from_edges ... did you mean weights=?
gnd.Graph.from_edges([0], [1], directed=False)         | did you mean symmetric=? (True for undirected
gnd.Graph.from_edges([0], [1], num_nodes=2)            | did you mean num_vertices=?
gnd.Graph.open("file.csv")                             | this is a file; gonextdoor.read reads it
gnd.read("file.csv", src="a")                          | did you mean source=?
gnd.read(3)                                            | path = 3: expected a str or a Path
gnd.rmat(8, num_edges=10)                              | did you mean edge_factor=?
gnd.partition.write(g, "p", num_parts=2)               | did you mean parts=?
gnd.partition.loader(g, [3], num_workers=2)            | gonextdoor.partition.loader ... did you mean threads=?
gnd.plot.walk(g)                                       | samples: expected Samples ... got Graph
gnd.plot.walk(S, index=3)                              | gonextdoor.plot.walk ... did you mean sample=?
gnd.plot.degrees(S)                                    | graph: ... got Samples; pass samples.graph
g.save("none/g")                                       | there is no folder ... none'; create it first
S.save("none/w.npz")                                   | there is no folder ... none'; create it first
gnd.Graph.from_csv("file.csv")                         | type object 'Graph' ... use gonextdoor.read(path)
g.num_nodes                                            | use num_vertices
S.to_dataframe()                                       | use to_pandas()
gnd.from_networkx                                      | use gonextdoor.Graph.from_networkx
gnd.DataLoader                                         | use gonextdoor.loader
"""

# A command line, its exit code, and what it prints on standard error.
COMMANDS = r"""
walk none.txt                           | 1 | none.txt: No such file
walk file.csv --device gpu              | 2 | --device: 'gpu': expected auto, cpu, cuda
walk file.csv foo                       | 2 | APP: 'foo': expected one of deepwalk
walk file.csv khop                      | 2 | 'khop' is not a walk; use gonextdoor sample FILE KHop
walk file.csv --length ten              | 2 | --length: 'ten': expected an int
walk file.csv node2vec lenght=3         | 2 | did you mean length?
walk file.csv --seed -1                 | 2 | '--seed': '-1': expected a whole number from 0 to 2^64 - 1
walk file.csv --weight no               | 1 | --weight no: there is no column of that name; the columns are
walk file.csv --ray local               | 2 | --ray writes a folder of Parquet files: pass -o OUT
khop file.csv                           | 2 | KHop needs --fanout
khop file.csv --num-neighbors 3         | 2 | Did you mean '--fanouts'?
khop file.csv fanouts=3 --fanout 3      | 2 | pass only one of them
sample file.csv                         | 2 | expected the name of an app; gonextdoor apps lists them
sample file.csv length=3                | 2 | expected the name of an app; gonextdoor apps lists them
sample file.csv DeepWalk --walk-length 3 | 2 | Did you mean 'length=VALUE'?
sample DeepWalk file.csv                | 2 | 'file.csv': this is a file; FILE is the first argument
explain file.csv DeepWalk -o -          | 2 | No such option '-o'; it is one of gonextdoor walk
info bad.txt                            | 1 | --ids text reads all as text
info file.csv --ids str                 | 2 | 'str' is not one of 'text', 'int', 'auto'
convert file.csv file.csv               | 2 | OUT: 'file.csv' is FILE
--quiet info file.csv                   | 2 | --quiet is an option of the commands: pass it after the command
file.csv walk                           | 2 | 'file.csv' is a file: the command is first
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in table.strip().splitlines()]


def words(text: str) -> str:
    """A pattern for text in which ... stands for any text."""
    return ".*".join(map(re.escape, text.split(" ... ")))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file.csv").write_text("src,dst,w\nada,bob,1\nbob,eve,2\n")
    Path("bad.txt").write_text("0 1\n1 x\n")


@pytest.mark.parametrize("call, text", rows(API))
def test_calls(call: str, text: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError, OSError)) as error:
        eval(call, NAMES)
    said = str(error.value)
    assert re.search(words(text), said, re.DOTALL), said
    assert len(said) < 300 and "\n" not in said and "__init__" not in said


@pytest.mark.parametrize("line, code, text", rows(COMMANDS))
def test_command_lines(line: str, code: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(os.listdir())
    assert main(line.split()) == int(code)
    said = capsys.readouterr().err
    assert re.search(words(text), said, re.DOTALL), said
    assert "Traceback" not in said and sorted(os.listdir()) == before


@pytest.mark.parametrize(
    "lines",
    [
        ("walk file.csv length=4", "walk file.csv --length 4", "walk file.csv deepwalk length=4",
         "walk file.csv --app DeepWalk --length=4", "sample file.csv DeepWalk length=4",
         "sample file.csv --app deepwalk --length 4"),
        ("khop file.csv fanouts=2,1", "khop file.csv --fanout 2,1", "sample file.csv KHop --fanouts 2,1"),
    ],
)  # fmt: skip
def test_one_grammar(lines: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    printed = set()
    for line in lines:
        assert main([*line.split(), "--seed", "1", "-q"]) == 0
        printed.add(capfd.readouterr().out)
    assert len(printed) == 1 and printed != {""}
    assert main(["info", "file.csv", "--ids", "text", "--bipartite", "--json"]) == 0
    assert '"vertices": 4' in capfd.readouterr().out
