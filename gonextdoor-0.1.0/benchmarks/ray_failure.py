"""The cost of a node that is killed while walks are made on a partitioned graph on Ray, by phase.

    RAY_AUTH_MODE=disabled python benchmarks/ray_failure.py [--scale 18] [--parts 3] [--length 40] [--reps 5]
        [--usual]

Three nodes of one core are processes of this machine, so no network is measured. A node with a part is killed when a
third of the supersteps was started. Each repetition also makes the walks without a failure. "noticed" is the time until
a call of a lost part fails, "there again" the time from then until all parts answer, and "walks" the rest beyond the
walks without a failure: the cohorts that begin again, and the tables of the lost part.
"""

from __future__ import annotations

import logging
import os
import pathlib
import signal
import statistics
import tempfile
import time
from typing import Any

import gonextdoor.ray as gray
import measure
import ray
from ray.cluster_utils import Cluster

import gonextdoor as gnd

NODE = {"num_cpus": 1, "object_store_memory": 1_000_000_000, "include_dashboard": False}
NOTICED = {"health_check_period_ms": 500, "health_check_failure_threshold": 4, "health_check_initial_delay_ms": 0}
IN_FLIGHT = 2


class Killing(gray.ActorTransport):
    """Kills a node at a call for a superstep.

    Attributes:
        started: the supersteps that were started.
        times: when the node was killed, when the first call failed, and when all parts were there again.
    """

    def __init__(self, parts: Any, cluster: Cluster) -> None:
        super().__init__(parts, num_cpus=0.2)
        self._cluster, self.at, self.started = cluster, 0, 0
        self.times: list[float] = []

    def superstep(self, part: int, cohort: Any, step: int, inboxes: Any) -> Any:
        self.started += 1
        if self.started == self.at:
            states = ray._private.state.actors(actor_state_name="ALIVE")
            busy = {states[actor._actor_id.hex()]["Address"]["NodeID"] for actor in self._actors.values()}
            node = next(node for node in self._cluster.worker_nodes if node.node_id in busy)
            self.times = [time.perf_counter()]
            self._cluster.remove_node(node, allow_graceful=False)
            for state in states.values():  # workers live a little longer than the process that started them
                if state["Address"]["NodeID"] == node.node_id:
                    os.kill(state["Pid"], signal.SIGKILL)
        return super().superstep(part, cohort, step, inboxes)

    def result(self, ticket: Any) -> Any:
        try:
            return super().result(ticket)
        except gnd.partition.PartLostError:
            if len(self.times) == 1:
                self.times.append(time.perf_counter())
            raise

    def restart(self, part: int) -> None:
        super().restart(part)
        self.times.append(time.perf_counter())


def walks(parts: Any, app: Any, transport: Any) -> float:
    """Seconds of the walks from every vertex."""
    begin = time.perf_counter()
    cohort = -(-parts.num_vertices // 8)
    gnd.partition.end_points(parts, app, seed=1, transport=transport, cohort=cohort, in_flight=IN_FLIGHT)
    return time.perf_counter() - begin


def cost(parts: Any, app: Any, cluster: Cluster) -> list[float]:
    """Seconds that a killed node costs, and those of its phases; and the seconds of a cohort."""
    with Killing(parts, cluster) as transport:
        walks(parts, app, transport)  # starts the actors and builds tables
        transport.started = 0
        alone = walks(parts, app, transport)
        transport.at, transport.started = transport.started // 3, 0
        lost = walks(parts, app, transport)
        killed, noticed, *_, there = transport.times
    cluster.add_node(**NODE)
    cluster.wait_for_nodes()
    phases = [noticed - killed, there - noticed, lost - alone - (there - killed)]
    return [lost - alone, *phases, alone / 8 * IN_FLIGHT]


def main() -> None:
    options = measure.parser(__doc__, 5)
    options.add_argument("--scale", type=int, default=18)
    options.add_argument("--parts", type=int, default=3)
    options.add_argument("--length", type=int, default=40)
    options.add_argument("--usual", action="store_true", help="notice lost nodes as Ray does without settings")
    given = options.parse_args()
    settings = {} if given.usual else {"_system_config": NOTICED}
    cluster = Cluster(initialize_head=True, head_node_args=NODE | settings)
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = str(pathlib.Path(folder) / "parts")
            gnd.partition.write(gnd.rmat(given.scale, seed=1), path, parts=given.parts)
            for _ in range(2):
                cluster.add_node(**NODE)
            cluster.wait_for_nodes()
            ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
            measure.head()
            app = gnd.apps.Node2Vec(p=0.5, q=2, length=given.length)
            rows = []
            for _ in range(given.reps):
                rows.append(cost(gnd.partition.open(path), app, cluster))
                text = (
                    "cost {:.1f} s: noticed {:.1f}, there again {:.1f}, walks {:.1f}; cohorts in flight take {:.1f} s"
                )
                print(text.format(*rows[-1]), flush=True)
            for name, column in zip(("cost", "noticed", "there again", "walks"), zip(*rows, strict=True), strict=False):
                print(f"{name}: median {statistics.median(column):.1f} s, {min(column):.1f} to {max(column):.1f}")
        finally:
            ray.shutdown()
            cluster.shutdown()


if __name__ == "__main__":
    main()
