"""The functions that one batch of NeighborLoader calls, so that their number does not grow unnoticed."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from gonextdoor.pyg import NeighborLoader  # noqa: E402
from torch_geometric.data import Data  # noqa: E402

import gonextdoor as gnd  # noqa: E402


def test_one_batch_calls_few_functions() -> None:
    """Counts the Python functions, those of this package, and those on the stack at the crossing to the core."""
    ends = torch.arange(600)
    edge_index = torch.stack([ends, (ends * 7 + 1) % 600])
    data = Data(x=torch.zeros(600, 4), y=torch.zeros(600), edge_index=edge_index, num_nodes=600)
    batches = iter(NeighborLoader(data, [3, 2], batch_size=20, seed=1, prefetch=0))
    next(batches), next(batches)  # the first calls bind the graph and make buffers
    here = os.path.dirname(gnd.__file__)
    everything: list[str] = []
    called: list[str] = []
    files: set[str] = set()
    stack: list[str] = []
    crossing: list[str] = []

    def watch(frame: Any, event: str, arg: Any) -> None:
        code = frame.f_code
        if event == "call":
            everything.append(code.co_name)
        if not code.co_filename.startswith(here):
            return
        if event == "c_call" and getattr(arg, "__name__", "") == "pybind_SampleNeighbors":
            crossing.extend(stack)
        elif event == "call":
            called.append(code.co_name)
            files.add(code.co_filename)
            stack.append(code.co_name)
        elif event == "return":
            stack.pop()

    sys.setprofile(watch)
    next(batches)
    sys.setprofile(None)
    # The first counts batches for states, and both let one thread at a time request one. The pipeline counts the time
    # of each stage, and the bytes of each batch.
    expected = ["__next__", "__next__", "_alone", "_draw", "_sample", "sample_many", "sampled"]
    expected += ["sample_many", "sample_one", "call"]
    assert [name for name in crossing if not name.startswith("<")] == expected
    assert len(called) <= 48, called
    assert len(everything) <= 60, everything
    assert len(files) <= 23, sorted(files)
