"""Random programs with NeighborSampler and PGSampler, compared with the reference."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
from epochprograms import random_seed, same
from neighborreference import Neighborhood, Rows, SamplingRule, neighborhood
from randomgraphs import World, as_graph, as_hetero, as_ints, random_world

import gonextdoor as gnd
from gonextdoor import rng

DEVICE = "cpu"  # on which batches are drawn; a test replaces it


class Sampler:
    """The arguments of a random NeighborSampler, and its reference."""

    def __init__(self, draws: random.Random) -> None:
        self.typed = draws.random() < 0.5
        self.world: World = random_world(draws, self.typed)
        world = self.world
        self.direction = "into" if self.typed else draws.choice(["out", "in"])
        self.rows: list[Rows] = world.rows(self.direction)
        self.graph: Any
        if self.typed:
            self.graph = as_hetero(draws, world)
        else:
            self.graph = as_graph(draws, world.relations[0], into=False, vertices=world.counts["t0"])
        self.options = random_options(draws, world)
        self.layout = draws.choice(["coo", "csc"])
        self.given: dict[str, Any] = {**self.options, "layout": self.layout, "device": DEVICE}
        if not self.typed:
            self.given["direction"] = self.direction
            if world.times and self.options.get("temporal"):
                self.given["times"] = as_times(draws, world.times["t0"])
        self.rule = SamplingRule(**self.options)
        self.fanouts = random_fanouts(draws, world)
        names = [edges.name for edges in world.relations]
        self.fanouts_given: list[Any] = [
            hop[0]
            if (len({*hop}) == 1 and draws.random() < 0.8) or not self.typed
            else dict(zip(names, hop, strict=True))
            for hop in self.fanouts
        ]

    @property
    def temporal(self) -> bool:
        return self.rule.temporal is not None

    def by_type(self, values: Any, kind: str) -> list[Any]:
        """The values for one type, and none for all others."""
        return [values if name == kind else [] for name in self.world.types]

    def found(self, batch: gnd.NeighborBatch) -> dict[str, Any]:
        """A batch as lists."""
        parts = batch.split(batch.arena)
        assert batch.arena.dtype == np.int64
        found = {"nodes": lists(parts.nodes), "trees": lists(parts.trees)}
        found |= {"num_nodes": batch.num_nodes, "num_edges": batch.num_edges}
        if self.layout == "coo":
            return found | {"row": lists(parts.row), "col": lists(parts.col), "edges": lists(parts.edges)}
        return found | {"destinations": batch.destinations, "hops": [[lists(r) for r in hop] for hop in parts.hops]}

    def wanted(self, batch: Neighborhood) -> dict[str, Any]:
        """What ``found`` returns for a batch of the reference."""
        kinds, relations = range(len(self.world.types)), range(len(self.rows))
        wanted: dict[str, Any] = {
            "nodes": [batch.vertices(kind) for kind in kinds],
            "trees": [batch.trees(kind) for kind in kinds] if self.rule.disjoint else [],
            "num_nodes": batch.num_nodes,
            "num_edges": [batch.num_edges(r) for r in relations],
        }
        if self.layout == "coo":
            ends = {name: [[e[i] for e in batch.edges(r)] for r in relations] for i, name in enumerate(COO)}
            return wanted | ends
        hops = [
            [csc(edges, *batch.destinations[h][r]) for r, edges in enumerate(hop)] for h, hop in enumerate(batch.hops)
        ]
        return wanted | {"destinations": batch.destinations, "hops": hops}


COO = ("row", "col", "edges")


def lists(arrays: Any) -> list[list[int]]:
    return [host(array).tolist() for array in arrays]


def host(array: Any) -> Any:
    """The array in host memory."""
    return array if isinstance(array, np.ndarray) else array.numpy()


def csc(edges: list[tuple[int, int, int]], first: int, count: int) -> list[list[int]]:
    """The indptr, the indices and the edge ids of a hop."""
    degrees = [0] * count
    for _, at, _ in edges:
        degrees[at - first] += 1
    return [[0, *itertools.accumulate(degrees)], [source for source, _, _ in edges], [id for _, _, id in edges]]


def as_times(draws: random.Random, values: list[int]) -> Any:
    given = as_ints(draws, values)
    return given.astype(np.int64) if isinstance(given, np.ndarray) and given.dtype == np.uint64 else given


def random_starts(draws: random.Random, ends: list[int]) -> tuple[bool, list[int] | None]:
    """Whether edges at the end of a time window are left out, and its begin for each seed, or None."""
    strict = draws.random() < 0.3
    starts = [end - strict - draws.choice([0, 1, 5, 30, 1 << 40]) for end in ends]
    return strict, starts if draws.random() < 0.5 else None


def random_options(draws: random.Random, world: World) -> dict[str, Any]:
    """Options that do not contradict each other."""
    weighted = [edges.weighted for edges in world.relations]
    options: dict[str, Any] = {"expand": draws.choice(["new", "new", "all"])}
    if any(weighted) and draws.random() < 0.7:
        options["weighted"] = draws.choice([True, "auto"]) if all(weighted) else "auto"
    if draws.random() < 0.25:
        options["method"] = "labor" if options.get("weighted") else draws.choice(["labor", "labor-poisson"])
        return options | {"layer_dependency": draws.random() < 0.3}
    options |= {"replace": draws.random() < 0.3, "disjoint": draws.random() < 0.3}
    if world.timed and draws.random() < 0.8:
        options |= {"temporal": draws.choice(["uniform", "last"]), "disjoint": True}
        options["replace"] &= options["temporal"] == "uniform"
    return options


def random_fanouts(draws: random.Random, world: World) -> list[list[int]]:
    """By hop and relation."""
    choices = draws.choice([[1, 2, 3, 4], [-1, 0, 1, 3], [2, 10], [-1], [5, 25, 300]])
    hops = []
    for _ in range(draws.choice([1, 1, 2, 2, 3])):
        hop = [draws.choice(choices) for _ in world.relations]
        hops.append(hop if draws.random() < 0.5 else [hop[0]] * len(hop))
    return hops


def random_vertices(draws: random.Random, count: int, most: int, repeated: bool) -> list[int]:
    if not count:
        return []
    size = draws.randint(0, most)
    if repeated:
        return [draws.randrange(count) for _ in range(size)]
    return draws.sample(range(count), min(size, count))


def drawing(draws: random.Random) -> None:
    """Batches by draw and draw_many: seeds of several types, times, windows, excluded edges, repeated seeds."""
    sampler = Sampler(draws)
    core = gnd.NeighborSampler(sampler.graph, sampler.fanouts_given, **sampler.given)
    world, rule = sampler.world, sampler.rule
    one_window = draws.randint(0, 30)
    batches, wanted = [], []
    excluding, windowed = draws.random() < 0.4, sampler.temporal and draws.random() < 0.5
    own = sampler.temporal and all(kind in world.times for kind in world.types) and draws.random() < 0.5
    for _ in range(draws.randint(1, 4)):
        kinds = [kind for kind in world.types if draws.random() < 0.7 or not sampler.typed]
        seeds = {
            k: random_vertices(draws, world.counts[k], 12, rule.disjoint) if k in kinds else [] for k in world.types
        }
        times = windows = None
        if sampler.temporal:
            times = {k: [draws.randint(-5, 60) for _ in seeds[k]] for k in world.types}
            if own:
                times = {k: [world.times[k][v] for v in seeds[k]] for k in world.types}
            if windowed:
                draw = draws.choice([lambda: one_window, lambda: draws.choice([0, 3, 20, (1 << 63) - 1])])
                windows = {k: [draw() for _ in seeds[k]] for k in world.types}
        excluded = None
        if excluding:
            excluded = [
                {*draws.sample(range(len(e.src)), draws.randint(0, len(e.src)))} if draws.random() < 0.7 else set()
                for e in world.relations
            ]
        batch_seed = random_seed(draws)
        reference = neighborhood(
            sampler.rows,
            sampler.fanouts,
            [*seeds.values()],
            batch_seed,
            rule,
            times=None if times is None else [*times.values()],
            windows=None if windows is None else [*windows.values()],
            excluded=excluded,
        )
        wanted.append(sampler.wanted(reference))
        flat = (
            None
            if excluded is None
            else {e.name: sorted(ids) for e, ids in zip(world.relations, excluded, strict=True)}
        )
        given = {"times": None if own else times, "time_window": windows, "exclude": flat}
        batches.append(
            (as_given(draws, sampler, seeds), batch_seed, {k: as_given(draws, sampler, v) for k, v in given.items()})
        )
    check_draws(draws, sampler, core, batches, wanted)


def as_given(draws: random.Random, sampler: Sampler, values: dict[Any, list[int]] | None) -> Any:
    """Ints by type or relation, or those of the one that there is."""
    if values is None:
        return None
    made = {key: as_ints(draws, part) for key, part in values.items() if part or draws.random() < 0.5}
    if sampler.typed:
        return made
    return next(iter(made.values()), [])


def check_draws(draws: random.Random, sampler: Sampler, core: Any, batches: list[Any], wanted: list[Any]) -> None:
    if draws.random() < 0.5:
        found = [core.draw(seeds, seed, threads=draws.choice([1, 2, 4]), **given) for seeds, seed, given in batches]
    else:
        many = {name: [given[name] for _, _, given in batches] for name in ("times", "time_window", "exclude")}
        many = {name: parts for name, parts in many.items() if any(part is not None for part in parts)}
        threads = draws.choice([0, 1, 2, 4])
        found = core.draw_many([b[0] for b in batches], [b[1] for b in batches], threads=threads, **many)
    for number, (batch, reference) in enumerate(zip(found, wanted, strict=True)):
        same(sampler.found(batch), reference, f"batch {number}")


def blocks(draws: random.Random) -> None:
    """Blocks by sample and sample_many: the seeds of successive calls, excluded edges, the order of hops."""
    world = random_world(draws, typed=False)
    direction, edges = draws.choice(["in", "out"]), world.relations[0]
    graph = as_graph(draws, edges, into=False, vertices=world.counts["t0"])
    options = random_options(draws, World(world.counts, world.relations, {}, False))
    for name in ("expand", "disjoint", "temporal"):
        options.pop(name, None)
    options["replace"] = options.get("replace", False)
    rule = SamplingRule(**options, expand="all")
    fanouts = [[hop[0] or 1] for hop in random_fanouts(draws, world)]
    seed = random_seed(draws)
    sampler = gnd.PGSampler(
        [hop[0] for hop in reversed(fanouts)], seed=seed, direction=direction, device=DEVICE, **options
    )
    calls = 0
    for _ in range(draws.randint(1, 4)):
        many = draws.randint(0, 3) if draws.random() < 0.5 else None
        given, wanted, excluding = [], [], draws.random() < 0.4
        for _ in range(1 if many is None else many):
            nodes = random_vertices(draws, world.counts["t0"], 12, False)
            own = draws.getrandbits(64) if draws.random() < 0.3 else None
            batch_seed = rng.word(rng.key(rng.stream(seed, rng.SEEDS), 0), calls) if own is None else own
            calls += own is None
            out = draws.sample(range(len(edges.src)), draws.randint(0, len(edges.src))) if excluding else None
            reference = neighborhood(
                world.rows(direction), fanouts, [nodes], batch_seed, rule, excluded=None if out is None else [{*out}]
            )
            wanted.append(reference)
            given.append((as_ints(draws, nodes), None if out is None else as_ints(draws, out), own))
        if many is None:
            found = [sampler.sample(graph, nodes, out, seed=own) for nodes, out, own in given]
        else:
            nodes, outs, seeds = ([one[i] for one in given] for i in range(3))
            found = sampler.sample_many(graph, nodes, outs, seeds=seeds, threads=draws.choice([0, 1, 3]))
        for number, (one, reference) in enumerate(zip(found, wanted, strict=True)):
            check_blocks(one, reference, f"batch {number}")


def check_blocks(found: Any, reference: Neighborhood, name: str) -> None:
    inputs, outputs, made = found
    known, nodes = [*itertools.accumulate(reference.num_nodes[0])], reference.vertices(0)
    same(lists([inputs, outputs]), [nodes, nodes[: known[0]]], f"{name}: inputs and outputs")
    assert len(made) == len(reference.hops)
    for h, block in enumerate(reversed(made)):
        arrays = block.indptr, block.indices, block.edge_ids, block.src_nodes, block.dst_nodes
        wanted = csc(reference.hops[h][0], 0, known[h])
        same(lists(arrays), [*wanted, nodes[: known[h + 1]], nodes[: known[h]]], f"{name}: hop {h}")
