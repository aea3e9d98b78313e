"""The code for PyG of README, docs/gnn-pyg.md, how-to page and tutorial runs, and prints what the page shows."""

import re
from pathlib import Path

import docpages
import numpy as np
import torch
from torch_geometric.data import Data

import gonextdoor as gnd


def test_the_readme_prints_what_it_shows(capsys):
    page = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```py\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    block = next(block for block in blocks if "NeighborLoader" in block)
    graph = gnd.rmat(14, seed=1)
    edges = np.stack([np.repeat(np.arange(graph.num_vertices), graph.degrees()), graph.indices]).astype(np.int64)
    exec(
        compile(block, "README.md", "exec"),
        {"data": Data(edge_index=torch.from_numpy(edges), num_nodes=graph.num_vertices)},
    )
    [shown] = re.findall(r"^# Data\((.*), \.\.\., (.*)\)$", block, re.MULTILINE)
    printed = capsys.readouterr().out
    assert shown[0] in printed, printed
    assert shown[1] in printed, printed


def test_the_section_runs():
    page = (Path(__file__).resolve().parents[2] / "docs" / "gnn-pyg.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```py\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), "docs/gnn-pyg.md", "exec"), {})


def test_the_how_to_page_prints_what_it_shows():
    assert docpages.run_page("docs/howto/pyg-without-pyg-lib.md", "py") == 2


def test_the_tutorial_prints_what_it_shows():
    assert docpages.run_page("docs/tutorials/pyg.md", "py") == 3
