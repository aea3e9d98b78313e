"""Programs of tests that sample on several GPUs, emulated or real, with limits on their memory."""

import os
import textwrap

import corpus
import pytest
from gonextdoor._core import native

ON_GPUS = {"order": "sample"}  # without an order the CPU makes small calls
# Emulated GPUs split memory in pages of 4 kB, and real ones in pages of 2 MB, so graphs and budgets are larger there.
EMULATED = os.environ.get("GONEXTDOOR_TEST_DEVICE") != "cuda"
SCALE, TIMES = (12, 1) if EMULATED else (18, 80)


def budget(kilobytes):
    """A limit on the memory of graphs on each GPU. The graph of SCALE takes 1,200 kB times TIMES."""
    return {"GONEXTDOOR_DEVICE_MEMORY": f"{kilobytes * TIMES}KB"}


def program(text, devices=2, **environment):
    """Runs a program on GPUs. Emulated ones have pages of 4 kB."""
    if not EMULATED and devices > native.call("DeviceCount"):
        pytest.skip(f"the test needs {devices} GPUs")
    begin = f"""
        import os
        import corpus
        import numpy as np
        import gonextdoor as gnd
        gpus = {[f"cuda:{id}" for id in range(devices)]!r}
        walk = gnd.apps.DeepWalk(3)
        ON_GPUS = {ON_GPUS}
        SCALE, TIMES = {SCALE}, {TIMES}
    """
    variables = {"GONEXTDOOR_HOST_DEVICES": str(devices), "GONEXTDOOR_HOST_GRANULARITY": "4096", **environment}
    with pytest.MonkeyPatch.context() as patch:  # the core reads the environment that the process began with
        for name, value in variables.items():
            patch.setenv(name, value)
        return corpus.program(textwrap.dedent(begin) + textwrap.dedent(text), timeout=600)
