"""gonextdoor.pyg.FeatureStore in PyG's loaders and ours, and tensors as features."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from gonextdoor.pyg import FeatureStore, NeighborLoader
from pyg_data import typed
from torch_geometric.data import TensorAttr
from torch_geometric.loader import NodeLoader
from torch_geometric.testing.feature_store import MyFeatureStore
from torch_geometric.testing.graph_store import MyGraphStore

import gonextdoor as gnd

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]
NEWER = ["float8_e4m3fn", "uint16", "uint32"]
DTYPES = [getattr(torch, name) for name in NAMES + NEWER if hasattr(torch, name)]


def drawn(shape, dtype, seed=1):
    """A tensor of random bytes; of booleans, random booleans."""
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    size = torch.empty(0, dtype=dtype).element_size()
    return torch.randint(0, 256, (*shape[:-1], shape[-1] * size), dtype=torch.uint8, generator=generator).view(dtype)


def same(got, want):
    return got.dtype == want.dtype and got.shape == want.shape and bits(got) == bits(want)


def taken(tensor, ids):
    """tensor[ids], which torch lacks for some dtypes."""
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    return tensor.view(integers)[ids].view(tensor.dtype)


def bits(tensor):
    flat = tensor.clone(memory_format=torch.contiguous_format).view(-1)
    return flat.view(torch.uint8).numpy().tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tensors_of_every_dtype(dtype):
    whole = drawn((50, 6), dtype)
    for source in (whole, whole[:, 1:5], [whole[:20], whole[20:]]):
        want = whole[:, 1:5] if source is not whole and not isinstance(source, list) else whole
        x = gnd.features.open(source)
        assert (x.dtype, x.shape) == (dtype, tuple(want.shape))
        for ids in (torch.tensor([49, 0, 3]), torch.zeros((2, 3), dtype=torch.int32), np.array([7]), [1, 2]):
            rows = taken(want, torch.as_tensor(ids).long())
            assert same(x[ids], rows)
            assert same(x.read_async(ids).wait(), rows)
            out = torch.empty_like(rows)
            assert x.read(ids, out) is out
            assert same(out, rows)
        if str(dtype) != "torch.float8_e4m3fn":  # which torch does not pickle
            assert same(pickle.loads(pickle.dumps(x))[[5]], taken(want, [5]))
    x = gnd.features.open(whole)
    x.update(drawn((2, 6), dtype, 2), torch.tensor([8, 9]))
    assert same(whole[8:10], drawn((2, 6), dtype, 2))
    one = gnd.features.open(whole[:, 0].contiguous())
    assert same(one[4], whole[4, 0])


def test_numpy_features_as_tensors(tmp_path):
    source = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(tmp_path / "x.npy", source)
    x = gnd.features.open(tmp_path / "x.npy")
    assert isinstance(x[[1]], np.ndarray)
    assert same(x.as_tensors()[[3, 1]], torch.from_numpy(source[[3, 1]]))
    assert same(x.read([2], torch.empty(1, 3)), torch.from_numpy(source[[2]]))
    half = drawn((4, 3), torch.bfloat16)
    np.save(tmp_path / "half.npy", half.view(torch.int16).numpy())
    x = gnd.features.open(tmp_path / "half.npy").as_tensors(torch.bfloat16)
    assert same(x[[3, 0]], half[[3, 0]])
    assert same(pickle.loads(pickle.dumps(x))[[3, 0]], half[[3, 0]])
    assert "bfloat16" in repr(x)
    with pytest.raises(TypeError, match="NumPy has no dtype bfloat16"):
        np.asarray(x)


def test_refused_tensors():
    half = gnd.features.open(torch.zeros((3, 2), dtype=torch.bfloat16))
    plain = gnd.features.open(torch.zeros(3))
    for kind, text, call in [
        (ValueError, "got one on meta; pass source.cpu", lambda: gnd.features.open(torch.zeros(3, device="meta"))),
        (TypeError, "source: expected a dense tensor", lambda: gnd.features.open(torch.eye(3).to_sparse())),
        (
            TypeError,
            "out has dtype int16: expected bfloat16",
            lambda: half.read([0], torch.empty((1, 2), dtype=torch.int16)),
        ),
        (TypeError, "values has dtype float32: expected bfloat16", lambda: half.update(torch.zeros((1, 2)), [0])),
        (
            ValueError,
            "without gradients",
            lambda: plain.read([0], torch.zeros(1, requires_grad=True)),
        ),
        (TypeError, "expected one of 2 bytes, as bfloat16 has", lambda: half.as_tensors(torch.float32)),
        (TypeError, "expected a dtype of torch", lambda: half.as_tensors("float16")),
        (TypeError, "has no dtype for dtype\\('>f4'\\)", lambda: gnd.features.open(np.zeros(3, ">f4")).as_tensors()),
        (IndexError, "ids\\[1\\] = 3: ", lambda: half[torch.tensor([0, 3])]),
        (TypeError, "ids: expected an array of ints, got float32", lambda: half[torch.zeros(1)]),
    ]:
        with pytest.raises(kind, match=text):
            call()


def test_the_interface_is_that_of_pyg():
    ours, theirs = FeatureStore(), MyFeatureStore()
    x, y = drawn((20, 3), torch.float32), drawn((20, 1), torch.int64).view(-1)
    for store in (ours, theirs):
        assert store.put_tensor(x.clone(), group_name="paper", attr_name="x", index=None)
        assert store.put_tensor(y.clone(), group_name="paper", attr_name="y", index=None)
    mask = torch.arange(20) % 3 == 0
    for index in (None, torch.tensor([3, 3, 19]), np.array([5]), slice(2, 9, 2), 4, mask):
        for name in ("x", "y"):
            attr = TensorAttr("paper", name, index)
            got, want = ours.get_tensor(attr), {"x": x, "y": y}[name]
            assert same(got, want if index is None else want[index])
            assert ours.get_tensor_size(attr) == got.shape
    assert {(a.group_name, a.attr_name) for a in ours.get_all_tensor_attrs()} == {("paper", "x"), ("paper", "y")}
    assert not any(a.is_set("index") for a in ours.get_all_tensor_attrs())
    both = ours.multi_get_tensor(
        [TensorAttr("paper", "y", torch.tensor([1])), TensorAttr("paper", "x", torch.tensor([2]))]
    )
    assert same(both[0], y[[1]]) and same(both[1], x[[2]])
    assert same(ours["paper", "x", torch.tensor([7])], x[[7]])
    assert isinstance(ours.get_tensor(TensorAttr("paper", "x", np.array([1])), convert_type=True), np.ndarray)
    assert ours.put_tensor(torch.ones(2, 3), group_name="paper", attr_name="x", index=torch.tensor([4, 5]))
    assert ours.put_tensor(np.zeros((1, 3)), group_name="paper", attr_name="x", index=torch.tensor([6]))
    assert ours["paper", "x", slice(4, 7)].tolist() == [[1] * 3, [1] * 3, [0] * 3]
    assert not ours.put_tensor(x, group_name="none", attr_name="x", index=torch.tensor([4]))
    assert ours.update_tensor(y, group_name="paper", attr_name="x", index=None)
    assert ours.get_tensor_size(group_name="paper", attr_name="x") == (20,)
    assert ours.remove_tensor(group_name="paper", attr_name="x", index=None) and len(ours) == 1
    assert not ours.remove_tensor(group_name="paper", attr_name="x", index=None)
    assert ours.get_tensor_size(group_name="paper", attr_name="x") is None
    assert ours["paper", "x", None] is None


def test_bad_features_of_a_store():
    with pytest.raises(TypeError, match=r'expected keys \(group, attribute\), such as \("paper", "x"\), got .x.'):
        FeatureStore({"x": np.zeros(3)})
    with pytest.raises(IndexError, match=r"features \(None, 'x'\): ids\[1\] = 9: there are 3 rows"):
        FeatureStore({(None, "x"): np.zeros(3)}).get_tensor(None, "x", torch.tensor([0, 9]))


@pytest.mark.parametrize("processes", [0, 2])
@pytest.mark.parametrize("ours", [True, False])
def test_loaders(tmp_path, processes, ours):
    """Batches with features in a file and in memory equal those of a Data's tensors."""
    data, graph = typed(), MyGraphStore()
    held = {}
    for kind in data.node_types:
        np.save(tmp_path / f"{kind}.npy", data[kind].x.numpy())
        held[kind, "x"] = gnd.features.open(tmp_path / f"{kind}.npy", graph=None)
        held[kind, "same"] = data[kind].x
    for kind in data.edge_types:
        sizes = (data[kind[0]].num_nodes, data[kind[2]].num_nodes)
        graph.put_edge_index(tuple(data[kind].edge_index), edge_type=kind, layout="coo", size=sizes)
    stores = FeatureStore(held), graph
    nodes = ("paper", torch.arange(40))
    options = {"batch_size": 10, "num_workers": processes}
    if ours:
        loader = NeighborLoader(stores, [3, 2], input_nodes=nodes, seed=5, **options)
    else:
        sampler = gnd.pyg.NeighborSampler(stores, [3, 2], seed=5)
        loader = NodeLoader(stores, sampler, input_nodes=nodes, **options)
    count = 0
    for batch in loader:
        for kind in data.node_types:
            assert same(batch[kind].x, data[kind].x[batch[kind].n_id])
            assert same(batch[kind].same, batch[kind].x)
            count += len(batch[kind].x)
    assert count > 100
    if processes == 0:
        assert stores[0]._held["paper", "x"].stats().rows["file"] > 0


def test_the_section_of_the_docs_runs(tmp_path, monkeypatch):
    data, graph = typed(), MyGraphStore()
    np.save(tmp_path / "paper.npy", data["paper"].x.numpy())
    for kind in data.edge_types:
        sizes = (data[kind[0]].num_nodes, data[kind[2]].num_nodes)
        graph.put_edge_index(tuple(data[kind].edge_index), edge_type=kind, layout="coo", size=sizes)
    monkeypatch.chdir(tmp_path)
    names = {"gnd": gnd, "author_tensor": data["author"].x, "graph_store": graph, "train_ids": torch.arange(20)}
    section = (Path(__file__).resolve().parents[2] / "docs" / "features.md").read_text().split("## PyG\n")[1]
    exec(re.findall(r"```py\n(.*?)```", section, re.DOTALL)[0], names)
    batch = next(iter(names["loader"]))
    assert same(batch["author"].x, data["author"].x[batch["author"].n_id])
