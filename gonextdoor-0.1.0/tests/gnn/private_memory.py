"""The private memory of a process that samples. This imports no framework, so that a spawned process starts fast."""

import pathlib


def private_bytes():
    """Returns the bytes of dirty private memory, without mapped graphs. Clean pages are those of libraries."""
    total, of_graph = 0, False
    for line in pathlib.Path("/proc/self/smaps").read_text().splitlines():
        head = line.split()
        if not head[0].endswith(":"):
            of_graph = "gonextdoor-graph" in line
        elif head[0] == "Private_Dirty:" and not of_graph:
            total += int(head[1]) << 10
    return total


def drawing(core_sampler, pipe):
    """Draws a mini-batch and sends the private memory of this process."""
    core_sampler.draw([1, 2, 3], 5)
    pipe.send(private_bytes())
