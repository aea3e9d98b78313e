"""The CPUs and GPUs of a cluster's nodes, and the share of them that actors get."""

from __future__ import annotations

import math

from ..errors import warn
from .framework import ray

__all__ = ["check", "cpus", "share"]

UNIT = 10_000  # Ray rounds resources to ten-thousandths
MOST_ACTORS = 10_000  # per CPU


def share(actors: int, reserved: float = 0.0, most: float = 1) -> float:
    """CPUs for each of several actors that run at once: the largest whole number or 1/k with which all fit the nodes.

    Args:
        actors: their number.
        reserved: CPUs of one more actor.
        most: the largest number of CPUs (default 1).

    Returns:
        The share; 1 if the cluster has no CPUs yet.
    """
    nodes = _totals("CPU")
    for whole in range(int(min(most, max(nodes, default=0))), 1, -1):
        if _room(nodes, whole, reserved) >= actors:
            return whole
    k = max(1, math.ceil(actors / max(sum(nodes), 1e-9)) if any(nodes) else 1)
    while k <= MOST_ACTORS and any(nodes):
        cpus = math.floor(UNIT / k) / UNIT
        if _room(nodes, cpus, reserved) >= actors:
            return cpus
        k += 1
    return 1.0


def check(num_cpus: float, num_gpus: float = 0.0, actors: int = 1, reserved: float = 0.0) -> None:
    """Warns if the nodes lack the resources of a number of actors that have to run at once.

    It is no error, because nodes may be added to the cluster while the actors wait.

    Args:
        num_cpus, num_gpus: of each actor.
        actors: their number.
        reserved: CPUs of one more actor.
    """
    for name, kind, each in (("num_cpus", "CPU", num_cpus), ("num_gpus", "GPU", num_gpus)):
        nodes = _totals(kind)
        if not each:
            continue
        if _room(nodes, each, reserved if kind == "CPU" else 0.0) >= actors:
            continue
        slots = _slots(nodes, each)
        if actors == 1:
            most = max(nodes, default=0)
            lack = f"no node of the cluster has {each:g} {kind}s (the largest has {most:g})"
            less = f"{name}={most:g} or less" if most else ""
        else:
            lack = f"{actors} actors run at once, but the cluster has room for {slots} with {each:g} {kind}s each"
            less = f"{name}={share(actors, reserved):g} or less" if any(nodes) and kind == "CPU" else ""
        advice = f"; pass {less}, or add nodes" if less else "; add nodes"
        warn(f"{name} = {each:g}: {lack}. The run waits until they are added{advice}")


def cpus() -> list[float]:
    """The CPUs of each node, used or not. Starts Ray if it does not run, as Ray's own calls do."""
    return _totals("CPU")


def _room(nodes: list[float], each: float, reserved: float) -> int:
    """The number of actors that fit the nodes beside one more, on whichever node that is."""
    if not reserved:
        return _slots(nodes, each)
    less = ([*nodes[:at], node - reserved, *nodes[at + 1 :]] for at, node in enumerate(nodes) if node >= reserved)
    return min((_slots(some, each) for some in less), default=0)


def _slots(nodes: list[float], each: float) -> int:
    """The number of actors that fit the nodes."""
    return sum(round(node * UNIT) // max(1, round(each * UNIT)) for node in nodes)


def _totals(kind: str) -> list[float]:
    """The resources of that kind of each node, used or not. Starts Ray if it does not run, as Ray's own calls do."""
    if not ray.is_initialized():
        ray.init()
    return [node["Resources"].get(kind, 0.0) for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
