"""The command line on a GPU."""

from __future__ import annotations

import commandline
import daily
import numpy as np
import pytest

import gonextdoor as gnd

pytestmark = pytest.mark.usefixtures("gpu")


def test_a_gpu_writes_the_same_walks(folder, gpus, tmp_path):
    made = {}
    for device in ("cpu", "cuda", ",".join(gpus)):
        out = tmp_path / f"{device}.npy"
        done = commandline.ok("walk", folder / "weighted", "-o", out, "--length", 9, "--seed", 1, "--device", device)
        assert (", on cuda:0" in done.stderr) == (device != "cpu")
        made[device] = np.load(out)
    assert np.array_equal(made["cuda"], made["cpu"])
    assert np.array_equal(made[",".join(gpus)], made["cpu"])


def test_a_gpu_that_is_not_there_is_refused(folder, tmp_path):
    given = ["sample", folder / "plain", "Layer", "step_size=2", "max_size=5", "-o", tmp_path / "s.npz", "--device"]
    commandline.ok(*given, "cuda")
    assert "this process sees" in commandline.refused(1, *given, "cuda:9")
    commandline.ok(*given, "auto")


@pytest.mark.parametrize("device", daily.share(["cuda"], 4, "bench"))
def test_bench_measures_a_gpu(tmp_path, device):
    gnd.rmat(5, 3, seed=1).save(tmp_path / "small")
    done = commandline.ok("bench", tmp_path / "small", "--device", device, "--repeat", 1)
    assert "DeepWalk                  cuda" in done.stdout
    assert "PGSampler" not in done.stdout
