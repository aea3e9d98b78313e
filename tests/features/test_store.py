"""Features equal their source, row by row."""

from __future__ import annotations

import numpy as np

import gonextdoor as gnd


def test_rows_equal_those_of_the_source() -> None:
    source = np.random.default_rng(1).random((1000, 7), np.float32)
    x = gnd.features.open(source)
    ids = np.random.default_rng(2).integers(0, 1000, 5000)
    assert np.array_equal(x[ids], source[ids])
    assert np.array_equal(x.read_async(ids).wait(), source[ids])
    assert x.stats().rows == {"gpu": 0, "memory": 10000, "file": 0}
