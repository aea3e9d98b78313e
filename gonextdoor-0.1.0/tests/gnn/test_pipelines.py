"""The pipelines of all four loaders: their batches, how they stop, their errors, and the live line."""

import gc
import re
import signal
import sys
import threading
import time
import traceback

import dgl
import numpy as np
import pytest
import torch
from gonextdoor.dgl import DataLoader, PGSampler, dataloader
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader

import gonextdoor as gnd

BATCHES = 12


def numpy_loader(edges, **given):
    graph = gnd.Graph.from_edges(edges.dst, edges.src, num_vertices=edges.vertices)
    return gnd.loader(graph, [4, 3], range(240), 20, seed=5, shuffle=True, features=edges.x, **given)


def node_loader(edges, **given):
    return NeighborLoader(edges.pyg(), [4, 3], torch.arange(240), batch_size=20, seed=5, shuffle=True, **given)


def link_loader(edges, **given):
    links = torch.arange(480).reshape(2, 240)
    given = {"batch_size": 20, "seed": 5, "shuffle": True, "neg_sampling": "binary", **given}
    return LinkNeighborLoader(edges.pyg(), [4, 3], links, **given)


GRAPHS = {}  # by Edges: a graph of DGL lives as long as its loaders' samplers


def dgl_loader(edges, **given):
    sampler = PGSampler([3, 4], prefetch_node_feats=["x"], seed=5)
    graph = GRAPHS.setdefault(id(edges), edges.dgl())
    return DataLoader(graph, torch.arange(240), sampler, batch_size=20, shuffle=True, **given)


@pytest.fixture(params=[numpy_loader, node_loader, link_loader, dgl_loader], ids=lambda made: made.__name__)
def made(request, edges):
    return lambda **given: request.param(edges, **given)


def content(batch):
    """All numbers of a batch, which can be compared."""
    if isinstance(batch, gnd.NeighborBatch):
        parts = batch.split(batch.arena)  # between which an arena may have gaps
        arrays = [*parts.nodes, *parts.row, *parts.col, *parts.edges, batch.features]
        return [array.tolist() for array in arrays]
    if isinstance(batch, tuple):
        inputs, outputs, blocks = batch
        ends = [[part.tolist() for part in block.edges(order="eid")] for block in blocks]
        return [inputs.tolist(), outputs.tolist(), blocks[0].srcdata["x"].tolist(), ends]
    return [(name, batch[name].tolist()) for name in sorted(batch.keys()) if torch.is_tensor(batch[name])]


def threads():
    return sum(thread.name == "gonextdoor" for thread in threading.enumerate())


def check_ended(loader):
    """No thread is left, the pipeline holds nothing, and the next epoch is complete."""
    gc.collect()
    until = time.monotonic() + 20
    while threads() and time.monotonic() < until:
        time.sleep(0.01)
    assert threads() == 0 and loader.stats().held_bytes == 0
    assert len(list(loader)) == BATCHES


@pytest.mark.parametrize("prefetch", [1, 5, None])
def test_batches_are_those_of_the_serial_loop(made, prefetch):
    for one, other in zip(made(prefetch=prefetch), made(prefetch=0), strict=True):
        assert content(one) == content(other)


@pytest.mark.parametrize("prefetch", [0, 8])
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_a_training_step_that_raises(made, prefetch, error):
    loader, wanted = made(prefetch=prefetch), content(next(iter(made())))
    with pytest.raises(error):
        for batch in loader:
            assert content(batch) == wanted
            raise error
    del batch
    assert loader.state_dict()["batches"] == 1
    check_ended(loader)


def test_break(made):
    loader = made(prefetch=8)
    for number, _ in enumerate(loader):
        if number == 3:
            break
    check_ended(loader)


def test_an_epoch_that_the_collector_finds(made):
    """It may find it in any thread."""
    loader = made(prefetch=8)
    cycle = [iter(loader)]
    cycle.append(cycle)
    next(cycle[0])
    assert threads() > 0
    del cycle
    other = threading.Thread(target=gc.collect, name="other")
    other.start()
    other.join(30)
    assert not other.is_alive()
    check_ended(loader)


def patched(loader, stage, monkeypatch, change):
    """Replaces the function of a stage by change(the function). Each of them gets the batch or batches first."""
    if stage == "draw":
        monkeypatch.setattr(loader, "_sample", change(loader._sample), raising=False)
    elif isinstance(loader, gnd.Loader):
        monkeypatch.setattr(loader._features, "read", change(loader._features.read))
    elif isinstance(loader, DataLoader):
        monkeypatch.setattr(dataloader, "with_prefetched", change(dataloader.with_prefetched))
    else:
        monkeypatch.setattr(loader, "_joined", change(loader._joined), raising=False)


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt, also if the tests run in the background, where a shell ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("stage", ["draw", "gather"])
def test_ctrl_c_while_the_loop_waits(made, stage, monkeypatch):
    loader, begun, go_on = made(), threading.Event(), threading.Event()

    def stuck(function):
        def wait(*args, **given):
            begun.set()
            go_on.wait(30)
            return function(*args, **given)

        return wait

    def interrupt():
        begun.wait(30)
        time.sleep(0.1)  # the loop waits by now
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.3)
        go_on.set()

    with monkeypatch.context() as patch:
        patched(loader, stage, patch, stuck)
        other = threading.Thread(target=interrupt, name="interrupt")
        other.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            list(loader)
        assert time.monotonic() - begin < 20
        other.join()
    check_ended(loader)


@pytest.mark.parametrize("stage, prefetch", [("draw", 0), ("draw", 1), ("draw", 8), ("gather", 0), ("gather", 1)])
def test_an_error_in_a_stage_has_its_batch_and_traceback(made, stage, prefetch, monkeypatch):
    """The batches before it are handed over. Features are gathered in order if one batch is drawn in advance."""
    wanted, loader, calls = list(map(content, made())), made(prefetch=prefetch), []

    def failing(function):
        def the_disk_is_gone(first, *args, **given):
            some = first if stage == "draw" else [first]
            numbers = [one.number for one in some] if stage == "draw" else [len(calls)]
            calls.append(numbers)
            if 4 in numbers:
                raise OSError("the disk is gone")
            return function(first, *args, **given)

        return the_disk_is_gone

    with monkeypatch.context() as patch:
        patched(loader, stage, patch, failing)
        epoch, found = iter(loader), []
        with pytest.raises(OSError, match="batch 4 of epoch 0: the disk is gone") as error:
            found.extend(map(content, epoch))
        assert found == wanted[:4]
    names = [frame.name for frame in traceback.extract_tb(error.value.__cause__.__traceback__)]
    assert names[-1] == "the_disk_is_gone"
    del error, epoch
    check_ended(loader)


@pytest.mark.parametrize("budget", [None, 1])
def test_two_pipelines_over_one_store(made, edges, budget):
    """Their batches come in turn, from two threads of the caller too."""
    first, second = made(prefetch_bytes=budget), made(prefetch_bytes=budget)
    if hasattr(first, "data"):
        second.data = first.data
    wanted = [content(batch) for batch in made(prefetch=0)]
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        assert content(one) == content(other) == wanted[number]
    for loader in (first, second):
        loader.set_epoch(0)
    found = {}

    def run(name, loader):
        found[name] = [content(batch) for batch in loader]

    loops = [threading.Thread(target=run, args=(n, loader)) for n, loader in enumerate((first, second))]
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join(120)
    assert found[0] == wanted and found[1] == wanted


# ---- the live line


def test_no_line_unless_it_is_wanted(made, capsys):
    list(made())
    assert capsys.readouterr().err == ""
    for value in (1, "yes", None):
        with pytest.raises(TypeError, match="progress = "):
            made(progress=value)


@pytest.mark.parametrize("prefetch", [0, 4])
def test_a_line_names_the_stage_that_limits_the_loop(made, prefetch, capsys, monkeypatch):
    def slow(function):
        return lambda *args, **given: (time.sleep(0.05), function(*args, **given))[1]

    for stage, name in (("draw", "drawing"), ("gather", "gathering features")):
        with monkeypatch.context() as patch:
            # One thread at a time has a busy share that is easy to predict.
            loader = made(prefetch=min(prefetch, 1), progress=True)
            patched(loader, stage, patch, slow)
            assert len(list(loader)) == BATCHES
        line = capsys.readouterr().err.rpartition("\r")[2]
        found = re.search(rf"12/12 \[.*, +(\S+) batches/s, {name} (\d+) % busy\]", line)
        assert found, line
        assert 0 < float(found[1]) < 20 and 30 <= int(found[2]) <= 100
    for batch in made(prefetch=prefetch, progress=True):
        assert batch is not None
        time.sleep(0.06)
    found = re.search(r"the caller (\d+) % busy\]", capsys.readouterr().err.rpartition("\r")[2])
    assert found and 80 <= int(found[1]) <= 100


def test_a_line_ends_with_its_loop(made, capsys):
    loader = made(progress=True)
    for number, _ in enumerate(loader):
        if number == 3:
            break
    gc.collect()
    assert " 4/12 [" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError):
        for _ in loader:
            raise ZeroDivisionError
    gc.collect()
    assert " 1/12 [" in capsys.readouterr().err
    check_ended(loader)


def test_a_line_without_stages(edges, capsys):
    """Those of workers are not counted, and a batch sampler may have no length."""
    assert len(list(node_loader(edges, num_workers=1, progress=True))) == BATCHES
    line = capsys.readouterr().err.rpartition("\r")[2]
    assert "12/12 [" in line and "busy" not in line

    class Endless:
        def __iter__(self):
            return iter([torch.arange(5), torch.arange(3)])

    loader = NeighborLoader(edges.pyg(), [2], torch.arange(9), batch_sampler=Endless(), progress=True)
    assert len(list(loader)) == 2
    assert re.search(r"2 \[00:00, .* batches/s", capsys.readouterr().err)


# ---- the time line


def test_a_time_line_without_matplotlib(made, monkeypatch):
    loader = made()
    list(loader)
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"plot needs matplotlib: pip install 'gonextdoor\[plot\]'"):
        loader.plot()


def test_a_time_line(made):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    loader = made()
    list(loader)
    bars = [len(rows.get_paths()) for rows in loader.plot(60.0).collections]
    assert bars[1] == bars[3] == BATCHES and bars[0] >= 3, "gather and wait for each batch, and draw for several"
    assert isinstance(loader, (gnd.Loader, dgl.dataloading.DataLoader)) or bars[2] == BATCHES
    pyplot.close("all")


def test_busy_shares(edges):
    """Of a period, in which a stage may work in several threads."""
    loader = numpy_loader(edges)
    spans = loader._meter._spans
    spans.extend([("draw", 0, 1.0, 2.0), ("draw", 5, 1.5, 2.5), ("draw", 1, 1.2, 1.4), ("gather", 0, 0.0, 9.0)])
    spans.append(("draw", 3, 4.0, 6.0))
    for begin, end, share in (
        (0.0, 10.0, 0.35),
        (2.0, 3.0, 0.5),
        (1.0, 5.0, 2.5 / 4),
        (7.0, 8.0, 0.0),
        (3.0, 3.0, 0.0),
    ):
        assert loader._meter.busy("draw", begin, end) == pytest.approx(share)
    assert loader._meter.busy("gather", 2.0, 4.0) == 1.0
    for number in range(5000):
        spans.append(("draw", number, 10.0 + number, 10.5 + number))
    assert loader._meter.busy("draw", 0.0, 5010.0) == pytest.approx(0.5, abs=0.01), "forgotten periods do not count"
    assert np.isfinite(loader._meter.busy("hand over", 0.0, 5010.0))
