"""Features that are read to several GPUs, which share the rows of their caches."""

import os
import subprocess
import sys

import numpy as np
import pytest

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("two_gpus")

ROWS = 30_000
SOURCE = np.arange(ROWS * 250, dtype=np.float32).reshape(ROWS, 250)  # 30 MB
SCORES = 1 / (1 + np.random.default_rng(3).permutation(ROWS))
RNG = np.random.default_rng(5)


def test_all_gpus_read_the_same_rows(gpus):
    with gnd.features.cached(SOURCE, gpus, bytes="12MB", policy=SCORES, misses="copy") as x:
        each = (12_000_000 - 4 * ROWS - (4 << 20)) // 1000
        assert each < x.slots < len(gpus) * each and 0 < x.hot < each and x.why == ""
        assert x.devices == gpus and all(0 < n <= 12_000_000 for n in x.nbytes.values())
        assert x.shape == SOURCE.shape and x.dtype == np.float32 and len(x) == ROWS and x.row_bytes == 1000
        ids = np.concatenate((RNG.integers(0, ROWS, 500), np.argsort(-SCORES)[[0, x.hot, x.slots - 1]]))
        for device in gpus:
            rows = x.read(ids, device)
            assert rows.device == device
            np.testing.assert_array_equal(rows.numpy(), SOURCE[ids])
            np.testing.assert_array_equal(x.on(device)[ids[:3]].numpy(), SOURCE[ids[:3]])
        cached = np.argsort(-SCORES)[: x.slots]
        assert x.read(cached[-100:], gpus[-1]).misses == 0
        stats = x.stats()
        assert stats.reads == 2 * len(gpus) + 1 and sum(stats.rows.values()) == 506 * len(gpus) + 100
        assert stats.bytes["gpu"] == 1000 * stats.rows["gpu"]


def test_ids_on_a_gpu_are_read_there(gpus):
    with gnd.features.cached(SOURCE, gpus, bytes="9MB", policy=SCORES, misses="copy") as x:
        graph = gnd.rmat(8, seed=1)
        for device in gpus:
            ids = gnd.sample(graph, gnd.apps.PPR(stop=0.5), roots=20, seed=1, device=device).on_device.vertices
            rows = x[ids]
            assert rows.device == device
            np.testing.assert_array_equal(rows.numpy(), SOURCE[ids.numpy()])


def test_updates_reach_all_gpus(gpus):
    source = SOURCE[:12_000].copy()
    with gnd.features.cached(source, gpus, bytes="8MB", policy=SCORES[:12_000], misses="copy") as x:
        ids = np.argsort(-SCORES[:12_000])[[0, 5, x.hot + 3, x.slots - 1, 11_999]]
        x.update(np.full((5, 250), -1, np.float32), ids)
        assert (source[ids] == -1).all()
        for device in gpus:
            np.testing.assert_array_equal(x.read(ids, device).numpy(), source[ids])


def test_rows_that_fit_or_do_not(gpus):
    small = SOURCE[:100]
    for given in ({}, {"bytes": "9MB", "policy": SCORES[:100]}, {"bytes": 0}, {"bytes": 0, "policy": SCORES[:100]}):
        with gnd.features.cached(small, gpus, misses="copy", **given) as x:
            assert x.slots == (0 if given.get("bytes") == 0 else 100) and x.hot == 0
            for device in gpus:
                np.testing.assert_array_equal(x.read([99, 0], device).numpy(), small[[99, 0]])
    with gnd.features.cached(small, gpus[:1], misses="copy") as x:
        assert x.devices == gpus[:1] and x[[5]].numpy()[0, 0] == small[5, 0]


def test_refusals(gpus):
    with pytest.raises(ValueError, match='pass policy="frequency"'):
        gnd.features.cached(SOURCE, gpus, bytes="9MB", policy="lookahead")
    with pytest.raises(gnd.DeviceError, match="cuda:99"):
        gnd.features.cached(SOURCE, ["cuda:0", "cuda:99"])
    x = gnd.features.cached(SOURCE, gpus, bytes="9MB", policy=SCORES, misses="copy")
    with pytest.raises(ValueError, match="expected one of cuda:0, cuda:1"):
        x.on("cuda:7")
    x.close()
    x.close()
    with pytest.raises(ValueError, match="closed"):
        x.read([1])


def test_gpus_that_cannot_read_each_other_have_caches_of_their_own(gpus):
    if os.environ.get("GONEXTDOOR_TEST_DEVICE") == "cuda":
        pytest.skip("the GPUs of this machine can read each other")
    text = """
import numpy as np, gonextdoor as gnd
source = np.arange(30_000_00, dtype=np.float32).reshape(30_000, 100)
with gnd.features.cached(source, ["cuda:0", "cuda:1"], bytes="6MB", policy=np.arange(30_000), misses="copy") as x:
    assert x.hot == 0 and x.slots == (6_000_000 - 120_000) // 400, x
    assert (x.read([5, 29_999], "cuda:1").numpy() == source[[5, 29_999]]).all()
    print(x.why)
"""
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "GONEXTDOOR_HOST_PEERS": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cuda:0 cannot use the memory of cuda:1" in done.stdout
