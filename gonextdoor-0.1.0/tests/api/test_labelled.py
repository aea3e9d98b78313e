"""benchmarks/labelled.py: the graphs with labels, by their recipe."""

from __future__ import annotations

import pathlib
from typing import Any

import corpus
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def labelled(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import labelled

    return labelled


def test_airports(labelled: Any) -> None:
    folder = pathlib.Path(corpus.data("openflights/airports.dat.gz")).parent
    task = labelled.airports(folder)
    assert (task.name, task.classes, task.edges[labelled.TO].shape) == ("airports, region", 6, (2, 37716))
    assert np.bincount(task.labels + 1).tolist() == [91, 260, 1225, 786, 112, 565, 175]  # without, Africa, America ...
    edges = {tuple(edge) for edge in task.edges[labelled.TO].T.tolist()}
    assert edges == {(v, u) for u, v in edges}
    assert task.features[labelled.NODE].shape == (3214, 64)
    assert task.graph().num_edges == 37716
    country = labelled.airports(folder, label="country")
    assert (country.classes, int((country.labels >= 0).sum())) == (25, 2123)
    typed = labelled.airports(folder, types=True)
    serves = typed.edges["airline", "serves", "airport"]
    assert (typed.edges["airport", "rev_serves", "airline"] == serves[::-1]).all()
    assert serves.max(1).tolist() == [565, 3213]
    assert (typed.labels == task.labels).all()


def test_split(labelled: Any) -> None:
    task = labelled.planted(500, 1)
    task.labels[:100] = -1
    parts = task.split(3)
    assert [len(part) for part in parts] == [200, 80, 120]
    assert sorted(np.concatenate(parts).tolist()) == list(range(100, 500))
    assert (task.split(3)[0] == parts[0]).all()
    assert (task.split(4)[0] != parts[0]).any()
