"""A simulated cluster that writes walks of a partitioned graph: an event per call of a part, no machine but this one.

    python benchmarks/cluster_simulation.py [--nodes 16] [--cores 32] [--gigabits 25] [--walks 1e10] [--length 80]

Each node has one part. Its cores, the process of its part (which sends and answers calls one after the other) and its
network link (in each direction) serve jobs in the order in which they arrive. Costs are those of
gonextdoor.ray.forecast, which partition_cluster.py measures. A range is driven by one part: each superstep is a call of
every part, with the boxes of the one before, and ends with the slowest. Then traces are collected, joined and written
by that part. A superstep takes the mean time within 10 %. The time of the whole run follows from the rate of two ranges
per place, between a quarter and three quarters of them. Not simulated: garbage, memory bandwidth, skewed parts, lost
nodes, and the limits of object storage.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import random
from collections.abc import Callable
from typing import Any

from gonextdoor.ray import forecast as model
from gonextdoor.ray.atparts import ranges_at_once

ROUNDS = 2  # ranges that each part makes at each of its places
COSTS = {
    "DeepWalk": model.FIRST_ORDER,
    "node2vec (2, 1/2)": model.SECOND_ORDER,
    "node2vec (1/4, 4)": model.RETURNING,
}


class Server:
    """Serves jobs in the order in which they arrive, several at once.

    Attributes:
        used: seconds of all that was served.
    """

    def __init__(self, at_once: int) -> None:
        self._free, self.used = [0.0] * at_once, 0.0

    def serve(self, now: float, seconds: float) -> float:
        """Returns when a job that arrives now ends."""
        self.used += seconds
        end = max(now, self._free[0]) + seconds
        heapq.heapreplace(self._free, end)
        return end


class Node:
    """A node with its part."""

    def __init__(self, cores: int) -> None:
        self.cores, self.process, self.out, self.into = Server(cores), Server(1), Server(1), Server(1)


class Simulation:
    """Ranges of walks on nodes.

    Args:
        given: the options.
        costs: of a step.
        walks: of a range.
    """

    def __init__(self, given: Any, costs: model.Costs, walks: float) -> None:
        self._nodes = [Node(given.cores) for _ in range(given.nodes)]
        self._rate, self._costs = given.gigabits * 1e9 / 8, costs
        self._events: list[tuple[float, int, Callable[..., None], Any]] = []
        self._order, self._random = itertools.count(), random.Random(1)
        parts = given.nodes
        self._supersteps = round(costs.supersteps * given.length) + 1
        self._steps = walks * given.length
        self._step = self._steps * costs.step / self._supersteps / parts  # seconds of a superstep of a part
        # bytes that a part sends, and receives, in a superstep
        self._box = self._steps * costs.messages * costs.message_bytes * (1 - 1 / parts) / self._supersteps / parts
        self._at_once = ranges_at_once(given.cores, parts)
        self._left = ROUNDS * self._at_once * parts
        self.ends: list[float] = []

    def run(self) -> float:
        """Simulates, and returns the seconds per range in the steady state."""
        for driver in self._nodes:
            for place in range(self._at_once):
                self._at(place * 1e-3, self._begin, driver)
        while self._events:
            now, _, action, argument = heapq.heappop(self._events)
            action(now, argument)
        first, last = len(self.ends) // 4, len(self.ends) * 3 // 4
        return (self.ends[last] - self.ends[first]) / (last - first)

    def shares(self) -> dict[str, float]:
        """How busy the resources were, of the time of all."""
        wall, nodes = self.ends[-1], len(self._nodes)
        cores = len(self._nodes[0].cores._free)
        return {
            "cores": sum(node.cores.used for node in self._nodes) / wall / nodes / cores,
            "calls": sum(node.process.used for node in self._nodes) / wall / nodes,
            "network": sum(max(node.out.used, node.into.used) for node in self._nodes) / wall / nodes,
        }

    def _at(self, time: float, action: Callable[..., None], argument: Any) -> None:
        heapq.heappush(self._events, (time, next(self._order), action, argument))

    def _chain(self, now: float, state: tuple[list[tuple[Server, float]], Callable[..., None], Any]) -> None:
        """Is served by one server after the other, each when the one before has ended, and then calls a function."""
        (server, seconds), *rest = state[0]
        end = server.serve(now, seconds)
        if rest:
            self._at(end, self._chain, (rest, *state[1:]))
        else:
            self._at(end, *state[1:])

    def _sent(self, sender: Node, receiver: Node, size: float) -> list[tuple[Server, float]]:
        """The servers by which bytes pass."""
        if sender is receiver:
            return []
        return [(sender.out, size / self._rate), (receiver.into, size / self._rate)]

    def _begin(self, now: float, driver: Node) -> None:
        if self._left:
            self._left -= 1
            self._superstep(now, (driver, 0))

    def _superstep(self, now: float, state: tuple[Node, int]) -> None:
        """Calls all parts, or collects the walks after the last superstep."""
        driver, step = state
        if step == self._supersteps:
            self._collect(now, driver)
            return
        waiting, copy = [len(self._nodes)], model.COPY * self._box
        for part in self._nodes:
            seconds = self._step * self._random.uniform(0.9, 1.1)
            served = [(driver.process, model.CALL / 2), (driver.cores, copy), *self._sent(driver, part, self._box)]
            served += [(part.process, model.CALL), (part.cores, seconds + 2 * copy)]
            served += [*self._sent(part, driver, self._box), (driver.process, model.CALL / 2), (driver.cores, copy)]
            self._chain(now, (served, self._reported, (driver, step, waiting)))

    def _reported(self, now: float, state: tuple[Node, int, list[int]]) -> None:
        """The driver has read a report. The last one ends the superstep."""
        driver, step, waiting = state
        waiting[0] -= 1
        if not waiting[0]:
            self._superstep(now, (driver, step + 1))

    def _collect(self, now: float, driver: Node) -> None:
        """Fetches the traces of all parts."""
        waiting, size = [len(self._nodes)], self._steps * model.TRACE / len(self._nodes)
        for part in self._nodes:
            served = [(part.process, model.CALL), *self._sent(part, driver, size), (driver.process, model.CALL)]
            self._chain(now, (served, self._collected, (driver, waiting)))

    def _collected(self, now: float, state: tuple[Node, list[int]]) -> None:
        """The last traces have arrived: joins the walks and writes the file."""
        driver, waiting = state
        waiting[0] -= 1
        if not waiting[0]:
            seconds = self._steps * (model.JOIN + model.PARQUET + model.COPY * model.TRACE)
            served = [(driver.cores, seconds), (driver.out, self._steps * 4 * model.STORED / self._rate)]
            self._chain(now, (served, self._end, driver))

    def _end(self, now: float, driver: Node) -> None:
        self.ends.append(now)
        self._begin(now, driver)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--nodes", type=int, default=16, help="each with a part (default %(default)s)")
    options.add_argument("--cores", type=int, default=32, help="of a node (default %(default)s)")
    options.add_argument("--gigabits", type=float, default=25, help="per second, of a node (default %(default)s)")
    options.add_argument("--walks", type=float, default=1e10, help="of the run (default %(default)s)")
    options.add_argument("--length", type=int, default=80, help="steps of a walk (default %(default)s)")
    options.add_argument("--mebibytes", default="256,1024", help="sizes of files (default %(default)s)")
    given = options.parse_args()
    print(f"simulated: {given.nodes} nodes of {given.cores} cores, {given.gigabits:g} Gbit/s, "
          f"{given.walks:.3g} walks of {given.length} steps")  # fmt: skip
    print(f"{'':<18}{'file MiB':>9}{'minutes':>9}{'forecast':>9}   busy: cores, calls, network")
    for name, costs in COSTS.items():
        for size in map(int, given.mebibytes.split(",")):
            row = 8 + 4 * (given.length + 1)
            walks = (size << 20) / row
            simulation = Simulation(given, costs, walks)
            seconds = simulation.run() * given.walks / walks
            work = model.Work(given.walks * given.length, given.length, round(given.walks / walks),
                              given.walks * row, costs)  # fmt: skip
            cluster = model.Cluster(given.nodes, given.cores, given.gigabits * 1e9 / 8, given.nodes)
            least = model.forecast(work, cluster)
            shares = ", ".join(f"{share:.2f}" for share in simulation.shares().values())
            print(f"{name:<18}{size:>9}{seconds / 60:>9.1f}{least.seconds / 60:>9.1f}   {shares}  {least.limit}",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
