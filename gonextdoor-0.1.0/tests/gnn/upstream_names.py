"""A pytest plugin that puts this package's names in the place of PyG's or DGL's, for their own tests.

``upstream.py`` loads it. GONEXTDOOR_UPSTREAM says which library is tested and whether names are replaced ("pyg", "dgl",
or "pyg-theirs", "dgl-theirs" for the library as it is); GONEXTDOOR_UPSTREAM_REPORT names the file for the outcomes:
by test, "passed", "failed" or "skipped", the reason, and whether the test called this package.
"""

import functools
import json
import os
import pathlib
import sys

import pytest

LIBRARY, _, THEIRS = os.environ["GONEXTDOOR_UPSTREAM"].partition("-")
REPORT = pathlib.Path(os.environ["GONEXTDOOR_UPSTREAM_REPORT"])

# Tests that ask for these packages run, since this package brings what they use of them.
PROVIDED = {"pyg_lib", "pyg-lib"}
PROVIDED_IN = {"test_hgt_loader.py": {"torch_sparse"}, "test_neighbor_loader.py": {"torch_sparse"}}

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


def replace_pyg():
    import gonextdoor.pyg
    import torch_geometric.loader
    import torch_geometric.sampler
    from torch_geometric.testing import decorators

    gonextdoor.pyg.install()  # Node2Vec, HGTLoader and the flags that PyG's tests look at
    for name in ("NeighborLoader", "LinkNeighborLoader"):
        setattr(torch_geometric.loader, name, counted_class(getattr(gonextdoor.pyg, name)))
    torch_geometric.sampler.NeighborSampler = counted_class(gonextdoor.pyg.NeighborSampler)
    from gonextdoor.pyg import hgt, ops

    for module, name in ((ops, "batch_seed_of"), (hgt, "batch_seed_of")):
        if hasattr(module, name):
            setattr(module, name, counting(getattr(module, name)))
    found = decorators.has_package

    def has_package(package):
        file = pathlib.Path(sys._getframe(3).f_globals.get("__file__", "")).name  # through withPackage and its set
        return package in PROVIDED | PROVIDED_IN.get(file, set()) or found(package)

    decorators.has_package = has_package


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
    {"pyg": replace_pyg, "dgl": replace_dgl}[LIBRARY]()


def pytest_collection_modifyitems(items):
    """Induced subgraphs need torch-sparse in PyG, and PyG's tests return early without it; here they need nothing."""
    if LIBRARY == "pyg" and not THEIRS:
        for module in {item.module for item in items}:
            if pathlib.Path(module.__file__).name == "test_neighbor_loader.py":
                module.WITH_TORCH_SPARSE = True


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
