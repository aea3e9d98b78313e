"""A pytest plugin for PyG's and DGL's own tests: PyG finds the stand-in for pyg-lib, DGL's names are replaced.

``upstream.py`` loads it. GONEXTDOOR_UPSTREAM is the library that is tested, "pyg" or "dgl", or "pyg-theirs" or
"dgl-theirs" for the library as it is; GONEXTDOOR_UPSTREAM_REPORT names the file for the outcomes: by test, "passed",
"failed" or "skipped", the reason, and for DGL whether the test called this package.
"""

import functools
import json
import os
import pathlib
import sys

import pytest

LIBRARY, _, THEIRS = os.environ["GONEXTDOOR_UPSTREAM"].partition("-")
REPORT = pathlib.Path(os.environ["GONEXTDOOR_UPSTREAM_REPORT"])
PROJECT = pathlib.Path(__file__).resolve().parents[2]

# These tests of PyG ask for torch-sparse, as PyG's loaders do, and skip parts or all of themselves without it.
ASKING = {"Package torch_sparse not found", "METIS not enabled"}
ASKING_FOLDER = "test/loader/"

outcomes: dict[str, dict[str, object]] = {}
calls = 0


def counting(function):
    """The function, which also counts that it was called."""

    @functools.wraps(function)
    def counted(*args, **kwargs):
        global calls
        calls += 1
        return function(*args, **kwargs)

    return counted


def counted_class(kind):
    """The class, whose objects are counted when they are made. It stays the same, so that workers can unpickle it."""
    kind.__init__ = counting(kind.__init__)
    return kind


def plug_in_pyg():
    """Lets PyG find the stand-in for pyg-lib, as an installed gonextdoor-pyg does. Nothing else is replaced."""
    sys.path.append(str(PROJECT / "gonextdoor-pyg"))
    import gonextdoor_pyg

    gonextdoor_pyg.autoload()


def replace_dgl():
    import dgl
    import gonextdoor.dgl
    from torch.utils.data import IterDataPipe

    sampler = counted_class(gonextdoor.dgl.PGSampler)

    class FullNeighbors(sampler):
        def __init__(self, num_layers, **kwargs):
            super().__init__([-1] * num_layers, **kwargs)

    FullNeighbors.__qualname__ = FullNeighbors.__name__
    globals()["FullNeighbors"] = FullNeighbors  # workers that are spawned look it up here
    dgl.dataloading.NeighborSampler = dgl.dataloading.MultiLayerNeighborSampler = sampler
    dgl.dataloading.MultiLayerFullNeighborSampler = FullNeighbors
    dgl.sampling.random_walk = counting(gonextdoor.dgl.random_walk)
    dgl.sampling.node2vec_random_walk = counting(gonextdoor.dgl.node2vec_random_walk)
    bolt = counted_class(gonextdoor.dgl.PGNeighborSampler)
    dgl.graphbolt.NeighborSampler = bolt
    IterDataPipe.functions["sample_neighbor"] = IterDataPipe.functions["pg_sample_neighbor"]


if not THEIRS:
    {"pyg": plug_in_pyg, "dgl": replace_dgl}[LIBRARY]()


def pytest_collection_modifyitems(items):
    """Selects those tests of PyG's loaders that ask for torch-sparse: the plug-in replaces these loaders."""
    if LIBRARY != "pyg" or THEIRS:
        return
    for item in items:
        if item.nodeid.startswith(ASKING_FOLDER):
            item.own_markers = [mark for mark in item.own_markers if mark.kwargs.get("reason") not in ASKING]
            if hasattr(item.module, "WITH_TORCH_SPARSE"):
                item.module.WITH_TORCH_SPARSE = True  # else the test returns early for induced subgraphs


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    before = calls
    outcomes[item.nodeid] = {"outcome": "failed", "why": "the process ended within this test", "ours": False}
    REPORT.write_text(json.dumps(outcomes))
    result = yield
    outcomes[item.nodeid]["ours"] = calls > before
    return result


def pytest_runtest_logreport(report):
    known = outcomes[report.nodeid]
    if report.when == "setup" or report.outcome != "passed":
        known["outcome"], known["why"] = report.outcome, ""
    if report.outcome == "skipped":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(report, "wasxfail", "")
        known["why"] = str(reason).removeprefix("Skipped: ")
    elif report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        known["why"] = (crash.message if crash else str(report.longrepr)).strip()[-2000:]


def pytest_collectreport(report):
    if report.failed:
        outcomes[report.nodeid] = {"outcome": "failed", "why": str(report.longrepr)[-2000:], "ours": False}


def pytest_sessionfinish():
    REPORT.write_text(json.dumps(outcomes))
