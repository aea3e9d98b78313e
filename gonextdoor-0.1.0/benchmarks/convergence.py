"""Convergence: the test accuracy of GNNs that are trained with our loader, on the whole graph, and with the samplers of
PyG and DGL if they are installed. It prints rows of a Markdown table.

    python benchmarks/convergence.py --device cuda --json convergence.json

The graphs are those of labelled.py, the models those of gnnmodels.py. Seed s determines the planted graph, the division
of the vertices (50 % training, 20 % validation, 30 % test), the initial weights, dropout and the sampled edges. All
loaders train the same number of steps, with fan-outs 15,10; the whole graph is one batch per step. The accuracy is that
of the weights with the best validation accuracy. All predictions use the whole graph, so only training differs.

"within": the mean of our loader's accuracies differs from that of the peer by at most the standard deviation of the
peer's accuracies over the seeds.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

import gnnbatches
import numpy as np
import torch
import torch.nn.functional as F
from gnnmodels import Network
from labelled import TO, Labelled, airports, planted, planted_types

MODELS = ["GraphSAGE", "GCN", "GAT"]  # of graphs with one type
GRAPHS = ["planted", "types", "airports", "airlines"]
OURS = "gonextdoor"
DATA = pathlib.Path("../shared/data/openflights")
CHECK = 10  # steps between validations

Runs = dict[tuple[str, str], list[dict[str, Any]]]  # by graph and model: for each seed, the accuracy by loader


def main() -> None:
    given = arguments()
    torch.set_num_threads(given.threads)
    loaders = given.loaders
    machine = torch.cuda.get_device_name() if given.device.startswith("cuda") else platform.processor() or "CPU"
    print(f"{machine}, torch {torch.__version__}, loaders: {', '.join(loaders)}", flush=True)
    runs, begin = collections.defaultdict(list), time.perf_counter()
    for seed in range(given.seeds):
        for task in tasks(given, seed):
            for model in MODELS if list(task.edges) == [TO] else ["R-GCN"]:
                if model not in given.models:
                    continue
                found = {loader: train(task, model, loader, given, seed) for loader in loaders}
                runs[task.name, model].append({"seed": seed, **task.bounds, **found})
        if given.json:
            write(given.json, runs, given, machine)
        if time.perf_counter() - begin > given.seconds * (seed + 1) / (seed + 2) and seed + 1 < given.seeds:
            print(f"--seconds {given.seconds:g}: {seed + 1} of {given.seeds} seeds")
            break
    for line in table(runs, loaders):
        print(line)
    print(f"{time.perf_counter() - begin:.0f} s")


def arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default="cpu", help="cpu or cuda (default %(default)s)")
    options.add_argument("--seeds", type=int, default=10, help="runs of each row (default %(default)s)")
    options.add_argument("--steps", type=int, default=200, help="optimizer steps of a run (default %(default)s)")
    options.add_argument("--vertices", type=int, default=8000, help="of the planted graphs (default %(default)s)")
    options.add_argument("--batch", type=int, default=1024, help="seed nodes of a batch (default %(default)s)")
    options.add_argument("--rate", type=float, default=0.03, help="of learning, at first (default %(default)s)")
    options.add_argument("--graphs", help=f"default: {','.join(GRAPHS)}")
    options.add_argument("--models", help=f"default: {','.join(MODELS)},R-GCN; the last is for graphs with types")
    options.add_argument("--loaders", help=f"of {','.join(gnnbatches.LOADERS)}; default: all that are installed")
    options.add_argument("--data", type=pathlib.Path, default=DATA, help="OpenFlights (default %(default)s)")
    options.add_argument("--seconds", type=float, default=1e9, help="begin no seed that would end later")
    options.add_argument("--threads", type=int, default=1, help="of torch on the CPU (default %(default)s)")
    options.add_argument("--json", type=pathlib.Path, help="a file for all accuracies")
    given = options.parse_args()
    for name, known in (("graphs", GRAPHS), ("models", [*MODELS, "R-GCN"]), ("loaders", gnnbatches.available())):
        asked = getattr(given, name)
        chosen = known if asked is None else asked.split(",")
        for choice in chosen:
            if choice not in known:
                options.error(
                    f"--{name} {asked}: {choice!r} is not one of {', '.join(known)}, which this machine can run"
                )
        setattr(given, name, chosen)
    if given.seeds < 1 or given.steps < 1 or given.batch < 1:
        options.error("--seeds, --steps and --batch: expected at least 1")
    return given


def tasks(given: argparse.Namespace, seed: int) -> list[Labelled]:
    """The graphs of a seed; the real ones only if their files are there."""
    make: dict[str, Callable[[], Labelled]] = {
        "planted": lambda: planted(given.vertices, seed),
        "types": lambda: planted_types(given.vertices, seed),
        "airports": lambda: airports(given.data),
        "airlines": lambda: airports(given.data, types=True),
    }
    names = given.graphs
    if not given.data.is_dir() and {"airports", "airlines"} & set(names):
        if not seed:
            print(f"{given.data} is not a folder: without the graph of airports")
        names = [name for name in names if name not in ("airports", "airlines")]
    return [make[name]() for name in names]


def train(task: Labelled, model: str, loader: str, given: argparse.Namespace, seed: int) -> float:
    """Trains a model; the test accuracy of the weights with the best validation accuracy."""
    device = given.device
    nodes, valid, test = (torch.from_numpy(part).to(device) for part in task.split(seed))
    x = {kind: torch.from_numpy(of).to(device) for kind, of in task.features.items()}
    labels, graph = torch.from_numpy(task.labels).to(device), gnnbatches.whole(task, device)
    width, n = next(iter(x.values())).shape[1], len(task.labels)
    degrees = torch.from_numpy(np.bincount(task.edges[TO][1], minlength=n)).to(device) if TO in task.edges else None
    torch.manual_seed(seed)
    network = Network(model, width, list(task.edges), task.target, task.classes).to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=given.rate, weight_decay=5e-4)
    rate = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, given.steps)
    batches = gnnbatches.LOADERS[loader](task, nodes.cpu(), given.batch, seed, device)
    best = (-1.0, 0.0)
    for step in range(given.steps):
        batch = next(batches)
        ids = batch.ids[task.target]
        network.train()
        out = network({kind: x[kind][of] for kind, of in batch.ids.items()}, batch.layers, _of(degrees, ids))
        rows = slice(batch.count) if batch.count else nodes
        optimizer.zero_grad()
        F.cross_entropy(out[rows], labels[ids[rows]]).backward()
        optimizer.step()
        rate.step()
        if step % CHECK == CHECK - 1 or step == given.steps - 1:
            network.eval()
            with torch.no_grad():
                right = network(x, graph.layers, degrees).argmax(1) == labels
            best = max(
                best, (float(right[valid].float().mean()), float(right[test].float().mean())), key=lambda b: b[0]
            )
    return best[1]


def _of(degrees: Any, ids: Any) -> Any:
    return None if degrees is None else degrees[ids]


def table(runs: Runs, loaders: list[str]) -> list[str]:
    """The lines of the table, in percent: means and standard deviations."""
    peers = [loader for loader in loaders if loader != OURS]
    head = ["graph", "model", "seeds", "best", *loaders, *(f"difference to {peer}" for peer in peers), "within"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (graph, model), found in runs.items():
        bound = f"{100 * statistics.mean(run['best'] for run in found):.1f}" if "best" in found[0] else ""
        row = [graph, model, str(len(found)), bound, *(_spread([run[loader] for run in found]) for loader in loaders)]
        within = []
        for peer in peers if OURS in loaders else []:
            row.append(_spread([run[OURS] - run[peer] for run in found], sign="+"))
            within.append(f"{peer}: {_within([run[OURS] for run in found], [run[peer] for run in found])}")
        lines.append(f"| {' | '.join([*row, ', '.join(within)])} |")
    return lines


def _spread(values: list[float], sign: str = "") -> str:
    deviation = f" ± {100 * statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{100 * statistics.mean(values):{sign}.1f}{deviation}"


def _within(ours: list[float], peer: list[float]) -> str:
    if len(peer) < 2:
        return "one seed"
    return "yes" if abs(statistics.mean(ours) - statistics.mean(peer)) <= statistics.stdev(peer) else "no"


def write(path: pathlib.Path, runs: Runs, given: argparse.Namespace, machine: str) -> None:
    """Writes all accuracies, and how they were measured."""
    options = {name: str(value) for name, value in vars(given).items()}
    rows = [{"graph": graph, "model": model, "runs": found} for (graph, model), found in runs.items()]
    path.write_text(
        json.dumps({"machine": machine, "torch": torch.__version__, "options": options, "rows": rows}, indent=1)
    )


if __name__ == "__main__":
    main()
