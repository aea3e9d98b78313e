"""Runs a program in several processes of torch.distributed, as torchrun does."""

import os
import subprocess
import sys

import torch

BEGIN = """
import os, sys
import torch
torch.distributed.init_process_group("gloo")
rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
"""


def of_ranks(program, folder, world=2):
    """What the program sets ``result`` to, for each rank. Each process has the emulated devices of its environment."""
    file = folder / "program.py"
    file.write_text(
        BEGIN
        + program
        + f"\ntorch.save(result, {str(folder)!r} + f'/{{rank}}')\ntorch.distributed.barrier()\n"
        + "torch.distributed.destroy_process_group()\n"
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={world}", str(file)]
    paths = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    env = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return [torch.load(folder / str(rank)) for rank in range(world)]
