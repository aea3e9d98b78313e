"""Trees on a GPU in sample order, in transit order and as planned: G edges per second, and the planned order's share
of the better one.

    python benchmarks/gpu/order.py [--graphs G1,G3] [--reps 5]

The result stays on the GPU. The rates are medians of whole calls. The GPU's random-gather rate is printed above the
table.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import board
import graphs
import numpy as np
import walks

import gonextdoor as gnd

KINDS: list[tuple[str, dict[str, Any]]] = [
    ("with replacement", {"replace": True, "weighted": False}),
    ("without replacement", {"weighted": False}),
    ("by weight, with replacement", {"replace": True, "weighted": True}),
    ("by weight, without replacement", {"weighted": True}),
]
PLANS: dict[str, Any] = {"sample": {"order": "sample"}, "transit": {"order": "transit"}, "planned": None}


def lines() -> list[tuple[str, Any, dict[str, Any]]]:
    """The apps with their roots."""
    found: list[tuple[str, Any, dict[str, Any]]] = []
    for name, kind in KINDS:
        found.append((f"KHop 25,10 {name}", gnd.apps.KHop((25, 10), **kind), {}))
    for name, kind in KINDS[:2]:
        found.append((f"KHop 5,5,5 {name}", gnd.apps.KHop((5, 5, 5), **kind), {}))
        found.append((f"KHop 25,10 {name}, 20,000 roots", gnd.apps.KHop((25, 10), **kind), {"roots": 20_000}))
    found.append(("Neighbor 10,10 by degree", gnd.apps.Neighbor((10, 10), bias="degree"), {}))
    return found


def rates(graph: gnd.Graph, app: Any, repetitions: int, **given: Any) -> dict[str, float]:
    """G edges per second by order."""
    found = {}
    for order, plan in PLANS.items():

        def call(seed: int, plan: Any = plan) -> Any:
            return gnd.sample(graph, app, seed=seed, device="cuda", progress=False, plan=plan, **given)

        lengths = np.asarray(call(0).lengths)
        times = walks.seconds(call, repetitions, together=3, skipped=1)
        found[order] = (int(lengths.sum()) - len(lengths)) / statistics.median(times) / 1e9
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--graphs", default="G1,G3")
    options.add_argument("--reps", type=int, default=5)
    given = options.parse_args()
    print(f"{board.name()}; random gather of 4 bytes over 268 MB {board.gather():.1f} G/s", flush=True)
    for name in given.graphs.split(","):
        graph = graphs.arrays(name, weights="uniform").graph()
        print(f"{name:<44}{'sample':>10}{'transit':>10}{'planned':>10}   planned / better", flush=True)
        for what, app, roots in lines():
            rate = rates(graph, app, given.reps, **roots)
            share = rate["planned"] / max(rate["sample"], rate["transit"])
            numbers = "".join(f"{rate[order]:>10.1f}" for order in PLANS)
            print(f"{what:<44}{numbers}   {share:.2f}", flush=True)


if __name__ == "__main__":
    main()
