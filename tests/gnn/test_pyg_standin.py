"""PyG's own loaders and models in programs that know nothing of this package: the stand-in for pyg-lib."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import daily
import gonextdoor.cli.doctor
import gonextdoor.pyg
import numpy as np
import pytest
import torch

import gonextdoor as gnd

PLUGIN = pathlib.Path(__file__).parents[2] / "gonextdoor-pyg"
CALLS_ENTRY_POINTS = hasattr(torch, "_import_device_backends")  # from torch 2.5 on

# With a worker that is spawned, and METIS. It imports PyG before torch, as some programs do.
PROGRAM = """
import sys
from torch_geometric.data import Data
from torch_geometric.loader import ClusterData, LinkNeighborLoader, NeighborLoader, RandomNodeLoader
from torch_geometric.nn import Node2Vec
from torch_geometric.transforms import gdc
from torch_geometric.utils import negative_sampling, ppr
import torch


def main():
    torch.manual_seed(0)
    data = Data(x=torch.rand(100, 2), edge_index=torch.randint(100, (2, 600)))
    assert len(next(iter(NeighborLoader(data, [3, 2], torch.arange(20), batch_size=10))).e_id) > 0
    model = Node2Vec(data.edge_index, 2, 4, 2)
    assert len(list(model.loader(batch_size=50, num_workers=1, multiprocessing_context="spawn"))) == 2
    assert len(next(iter(LinkNeighborLoader(data, [2], neg_sampling="binary", batch_size=10))).e_id) > 0
    assert sum(part.num_nodes for part in ClusterData(data, 4, log=False)) == 100
    assert negative_sampling(data.edge_index).size(0) == 2
    assert ppr.WITH_NUMBA or gdc.get_ppr(data.edge_index)[0].size(0) == 2
    print(sys.argv[1:], sys.path[0], RandomNodeLoader(data, 4).__class__.__name__)


if __name__ == "__main__":
    main()
"""
INSTALL = "import gonextdoor.pyg; assert gonextdoor.pyg.install()\n"
REAL = "from . import ops, sampler\n"  # a pyg-lib
SAMPLER = "def neighbor_sample(edge_time=None, edge_weight=None): ...\n"


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """A folder as pip would install gonextdoor-pyg into."""
    folder = tmp_path_factory.mktemp("site")
    facts = folder / "gonextdoor_pyg-0.1.0.dist-info"
    facts.mkdir()
    (folder / "gonextdoor_pyg.py").write_bytes((PLUGIN / "gonextdoor_pyg.py").read_bytes())
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: gonextdoor-pyg\nVersion: {gnd.__version__}\n")
    (facts / "entry_points.txt").write_text("[torch.backends]\ngonextdoor_pyg = gonextdoor_pyg:autoload\n")
    return folder


def run(*command, path=(), **environment):
    """Runs Python with these arguments; folders of path are searched for modules first."""
    folders = [*map(str, path), str(pathlib.Path(gnd.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), **environment}
    command = [sys.executable, "-W", "ignore", *map(str, command)]
    return subprocess.run(command, capture_output=True, text=True, timeout=170, env=environment)


WAYS = ["install", "module", *(["plugin"] if CALLS_ENTRY_POINTS else [])]


@pytest.mark.parametrize("way", daily.share(WAYS, len(WAYS), test="standin"))
def test_programs_run_as_they_are(way, plugin, tmp_path):
    program = tmp_path / "program.py"
    program.write_text((INSTALL if way == "install" else "") + PROGRAM)
    done = run(*(["-m", "gonextdoor.pyg"] if way == "module" else []), program, "--lr", 1,
               path=[plugin] if way == "plugin" else [])  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[0] == f"['--lr', '1'] {tmp_path} RandomNodeLoader"


def test_the_plugin(plugin, tmp_path):
    """It imports nothing, is turned off, and gives way to a pyg-lib, also one that is found later."""
    (tmp_path / "pyg_lib").mkdir()
    for name, text in {"__init__": REAL, "ops": "", "sampler": SAMPLER}.items():
        (tmp_path / "pyg_lib" / f"{name}.py").write_text(text)
    code = (
        "import sys, gonextdoor_pyg\n"
        "before = set(sys.modules); gonextdoor_pyg.autoload(); assert set(sys.modules) == before\n"
        "import importlib.util as util\n"
        "print(*('standin' in (getattr(util.find_spec('pyg_lib'), 'origin', None) or '') for _ in range(2)))\n"
        f"sys.path.append({str(tmp_path)!r}); print('standin' in util.find_spec('pyg_lib').origin)\n"
        "import pyg_lib; print(hasattr(pyg_lib, 'STANDS_IN'))\n"
    )
    done = run("-c", code, path=[plugin])
    assert done.stdout.split() == ["True", "True", "False", "False"], done.stderr
    assert run("-c", code, path=[plugin], GONEXTDOOR_PYG="0").stdout.split() == ["False"] * 4
    alone = "import sys, gonextdoor_pyg as plugin; plugin.autoload()\n"
    alone += "plugin.importlib.util.find_spec = lambda name: None\n"  # gonextdoor was removed
    alone += "try:\n    import pyg_lib\nexcept ModuleNotFoundError:\n    print('none')\n"
    assert run("-c", alone, path=[plugin]).stdout.split() == ["none"]


def test_the_plugin_has_the_version_of_gonextdoor():
    text = (PLUGIN / "pyproject.toml").read_text()
    assert f'version = "{gnd.__version__}"' in text and f"gonextdoor[pyg]=={gnd.__version__}" in text


def test_a_pyg_lib_that_cannot_be_imported(tmp_path, monkeypatch):
    (tmp_path / "pyg_lib.py").write_text("raise OSError('undefined symbol')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pyg_lib", raising=False)
    with pytest.warns(UserWarning, match=r"cannot be imported \(OSError: undefined symbol\); repair or uninstall"):
        assert not gonextdoor.pyg.install()


def test_programs_that_are_not_there():
    for arguments, text in (([], "usage: python -m gonextdoor.pyg"), (["no.py"], "there is no program 'no.py'")):
        done = run("-m", "gonextdoor.pyg", *arguments)
        assert done.returncode == 1 and text in done.stderr and "Traceback" not in done.stderr


def test_names_that_gonextdoor_has_replace_those_of_pyg():
    """In PyG and in modules that copied them, before and after PyG was imported."""
    ours = (
        "def ours():\n    import gonextdoor.pyg as pyg\n    pyg.ShaDowKHopSampler = type('ShaDowKHopSampler', (), {})\n"
        "    pyg.negative_sampling = lambda *args, **options: 'ours'\n    return pyg\n"
    )
    use = (
        "from torch_geometric.loader import ShaDowKHopSampler, GraphSAINTSampler\n"
        "from torch_geometric.utils import negative_sampling\n"
        "from torch_geometric.transforms import random_link_split\n"
    )
    check = (
        "assert ShaDowKHopSampler is pyg.ShaDowKHopSampler\n"
        "assert GraphSAINTSampler.__module__.startswith('torch_geometric')\n"
        "assert negative_sampling(1) == random_link_split.negative_sampling(1) == 'ours'\n"
        "assert negative_sampling.__doc__.startswith('Samples random negative edges')\n"
    )
    after = ours + use + "pyg = ours(); assert pyg.install()\n" + check
    folder = str(pathlib.Path(gnd.__file__).parent / "standin")
    found = f"import sys; sys.path.append({folder!r}); import torch_geometric\npyg = ours()\n"
    before = ours + found + use + check
    for code in (after, before):
        done = run("-c", code)
        assert done.returncode == 0, done.stderr


# ---- the operators


ROWPTR, COL = torch.tensor([0, 2, 3, 4]), torch.tensor([1, 2, 2, 0])
KIND = ("a", "to", "a")


def test_subgraph(pyg_lib):
    rowptr, col, ids = pyg_lib.sampler.subgraph(ROWPTR, COL, torch.tensor([2, 0]))
    assert rowptr.tolist() == [0, 1, 2] and col.tolist() == [1, 0] and ids.tolist() == [3, 1]
    assert pyg_lib.sampler.subgraph(ROWPTR.int(), COL.int(), torch.tensor([0]), False)[2] is None
    with pytest.raises(IndexError, match=r"nodes\[1\] = 3: the graph has 3 nodes"):
        pyg_lib.sampler.subgraph(ROWPTR, COL, torch.tensor([0, 3]))


def test_typed_neighbours(pyg_lib):
    kind = ("a", "to", "a")
    row, col, node, edge, nodes, edges = pyg_lib.sampler.hetero_neighbor_sample(
        {kind: ROWPTR}, {kind: COL}, {"a": torch.tensor([0])}, {kind: [2]}
    )
    assert node["a"].tolist() == [0, 1, 2] and nodes == {"a": [1, 2]} and edges == {kind: [2]}
    assert row[kind].tolist() == [0, 0] and col[kind].tolist() == [1, 2] and edge[kind].tolist() == [0, 1]


@pytest.mark.parametrize("disjoint", [False, True])
def test_no_hops_and_no_types_of_edges(disjoint, pyg_lib):
    """The seeds alone, as pyg-lib samples them."""
    kind, seed = ("a", "to", "a"), torch.tensor([2, 0])
    trees = torch.tensor([[0, 2], [1, 0]]) if disjoint else seed
    row, _, node, ids, nodes, edges = pyg_lib.sampler.neighbor_sample(ROWPTR, COL, seed, [], disjoint=disjoint)
    assert torch.equal(node, trees) and nodes == [2] and edges == [] and len(row) == len(ids) == 0
    for rowptr, col, numbers in (({kind: ROWPTR}, {kind: COL}, {kind: []}), ({}, {}, {})):
        row, _, node, ids, nodes, edges = torch.ops.pyg.hetero_neighbor_sample(
            ["a"], list(rowptr and [kind]), *({"__".join(key): value for key, value in one.items()}
            for one in (rowptr, col)), {"a": seed}, {"__".join(key): value for key, value in numbers.items()},
            disjoint=disjoint,
        )  # fmt: skip
        assert torch.equal(node["a"], trees) and nodes == {"a": [2]}
        assert edges == {"__".join(key): [] for key in rowptr} == {key: ids.tolist() for key, ids in row.items()}


def two_cliques():
    """Rows of two cliques of 10 that one edge joins."""
    full = np.kron(np.eye(2), np.ones((10, 10))) - np.eye(20)
    full[9, 10] = full[10, 9] = 1
    return torch.from_numpy(np.concatenate([[0], full.sum(1).cumsum()]).astype(np.int64)), torch.from_numpy(
        np.nonzero(full)[1].astype(np.int64)
    )


def test_metis(pyg_lib):
    rowptr, col = two_cliques()
    parts = pyg_lib.partition.metis(rowptr, col, 2)
    assert parts.dtype == torch.int64 and parts.unique().tolist() == [0, 1]
    row = torch.repeat_interleave(torch.arange(20), rowptr.diff())
    ones = {"node_weight": torch.ones(20, dtype=torch.int64), "edge_weight": torch.ones(len(col), dtype=torch.int64)}
    if importlib.util.find_spec("pymetis") is None:
        with pytest.raises(ImportError, match="node_weight and edge_weight need pymetis"):
            pyg_lib.partition.metis(rowptr, col, 2, **ones)
    else:
        for out in (parts, *(pyg_lib.partition.metis(rowptr, col, 2, **ones, recursive=r) for r in (False, True))):
            assert int((out[row] != out[col]).sum()) == 2
    for weight in (torch.zeros(20), torch.full((20,), 0.5), torch.ones(3)):
        with pytest.raises(ValueError, match="node_weight"):
            pyg_lib.partition.metis(rowptr, col, 2, node_weight=weight)
    with pytest.raises(ValueError, match="parts"):
        pyg_lib.partition.metis(rowptr, col, 0)


def test_types_that_the_graph_lacks(pyg_lib):
    rows = {KIND: ROWPTR}, {KIND: COL}
    with pytest.raises(ValueError, match=r"seed_dict\['b'\]: the types are \['a'\]"):
        pyg_lib.sampler.hetero_neighbor_sample(*rows, {"b": torch.tensor([0])}, {KIND: [2]})
    other = ("a", "by", "a")
    with pytest.raises(ValueError, match=r"has 1 hops, but the first type of edge has 2"):
        pyg_lib.sampler.hetero_neighbor_sample(
            {KIND: ROWPTR, other: ROWPTR}, {KIND: COL, other: COL}, {"a": torch.tensor([0])}, {KIND: [2, 2], other: [1]}
        )


@pytest.mark.parametrize("disjoint", [False, True])
def test_results_do_not_share_storages(disjoint, pyg_lib):
    """torch requires it of operators. Writing to one result changes no other."""
    flat = torch.ops.pyg.neighbor_sample(ROWPTR, COL, torch.tensor([0, 1]), [2, 2], disjoint=disjoint)[:4]
    key = "a__to__a"
    typed = torch.ops.pyg.hetero_neighbor_sample(
        ["a"], [("a", "to", "a")], {key: ROWPTR}, {key: COL}, {"a": torch.tensor([0, 1])}, {key: [2, 2]},
        disjoint=disjoint,
    )[:4]  # fmt: skip
    for parts in (flat, [one for table in typed for one in table.values()]):
        copies = [part.clone() for part in parts]
        assert len({part.untyped_storage().data_ptr() for part in parts}) == 4
        parts[0].zero_()
        assert all(map(torch.equal, parts[1:], copies[1:]))


# ---- doctor


@pytest.mark.parametrize(
    "versions, environment, note, text",
    [
        ({}, {}, True, "missing; gonextdoor stands in by python -m"),
        ({"gonextdoor-pyg": gnd.__version__, "torch": "2.10.0"}, {}, False, "gonextdoor stands in, by gonextdoor-pyg"),
        ({"gonextdoor-pyg": gnd.__version__, "torch": "2.4.1"}, {}, True, "torch 2.4.1 does not load gonextdoor-pyg"),
        ({"gonextdoor-pyg": "0.0.1", "torch": "2.5.0"}, {}, True, f"pip install gonextdoor-pyg=={gnd.__version__}"),
        ({"gonextdoor-pyg": "0.0.1"}, {"GONEXTDOOR_PYG": "0"}, True, "turned off by GONEXTDOOR_PYG=0"),
        (
            {"gonextdoor-pyg": "0.0.1"},
            {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
            True,
            "turns gonextdoor-pyg off",
        ),
    ],
)
def test_doctor(versions, environment, note, text, monkeypatch):
    module = sys.modules["gonextdoor.cli.doctor"]
    monkeypatch.setattr(module, "_version", versions.get)
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    finding = module._pyg_lib()
    assert finding.note == note and text in finding.text and not finding.fault
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: name)
    assert "installed, and PyG uses it" in module._pyg_lib().text
    assert ("no effect" in module._pyg_lib().text) == bool(versions)


# ---- samples as tensors


def test_nested():
    graph = gnd.rmat(7, 6, seed=1)
    if not hasattr(torch.nested, "nested_tensor_from_jagged"):
        with pytest.raises(ImportError, match=r"nested\(\) needs PyTorch 2.6"):
            gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1).nested()
        return
    for app in (gnd.apps.DeepWalk(3), gnd.apps.PPR(0.2, 20)):
        samples = gnd.sample(graph, app, seed=1)
        nested = samples.nested()
        assert nested.layout == torch.jagged and nested.values().data_ptr() == samples._result.values.ctypes.data
        assert len({len(row) for row in samples}) > 1
        assert all(np.array_equal(a.numpy(), b) for a, b in zip(nested.unbind(), samples, strict=True))
    trees = gnd.sample(graph, gnd.apps.KHop([2, 2]), seed=1)
    assert np.array_equal(torch.stack(trees.nested().unbind()).numpy(), trees.numpy())
