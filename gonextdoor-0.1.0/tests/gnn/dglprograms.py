"""Random programs with PGSampler and the DataLoader for DGL, compared with the reference: every block."""

from __future__ import annotations

import hashlib
import itertools
import random
from typing import Any

import dgl
import torch
from batchorder import Position, seed_of
from epochprograms import epochs, random_seed, same
from gonextdoor.dgl import DataLoader, PGSampler
from neighborreference import Neighborhood, SamplingRule, neighborhood
from randomgraphs import World, random_world
from samplerprograms import random_fanouts, random_options, random_vertices

from gonextdoor import rng


def batches(draws: random.Random) -> None:
    epochs(draws, Batches(draws))


def calls(draws: random.Random) -> None:
    """Calls of a sampler, whose batches are named by their number, or in an epoch by a hash of their seeds."""
    program, seed = Blocks(draws), random_seed(draws)
    sampler, epoch, seen = program.sampler(seed), None, {}
    several = [random_nodes(draws, program.world) for _ in range(3)]
    number = 0
    for _ in range(draws.randint(1, 6)):
        if draws.random() < 0.4:
            epoch, seen = draws.randint(0, 5), {}
            sampler.set_epoch(epoch)
        given = draws.choice(several)
        excluded = program.excluded(draws) if draws.random() < 0.4 else None
        ids = tensors(given, program.graph.idtype) if program.typed else torch.tensor(given["t0"])
        if epoch is None:
            batch_seed, number = seed_of(seed, 0, number), number + 1
        else:
            name = name_of(given, program.typed)
            batch_seed, again = seed_of(seed, epoch, name), seen.get(name, 0)
            seen[name] = again + 1
            batch_seed = rng.word(rng.key(batch_seed, again), 0) if again else batch_seed
        out = None
        if excluded is not None:
            out = {e.name: torch.tensor(sorted(ids)) for e, ids in zip(program.world.relations, excluded, strict=True)}
            out = out if program.typed else next(iter(out.values()))
        found = sampler.sample(program.graph, ids, out)
        program.check_blocks(found, given, program.drawn(given, batch_seed, excluded), "a call")


def name_of(ids: dict[str, list[int]], typed: bool) -> int:
    """The name of a batch, by the contract."""
    text = b"".join(
        (repr((kind, len(part))).encode() if typed else b"") + b"".join(v.to_bytes(8, "little") for v in part)
        for kind, part in ids.items()
    )
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def random_nodes(draws: random.Random, world: World) -> dict[str, list[int]]:
    """Vertices of some types, in a random order of the types."""
    kinds = draws.sample(world.types, draws.randint(1, len(world.types)))
    return {kind: random_vertices(draws, world.counts[kind], 10, draws.random() < 0.3) for kind in kinds}


def tensors(ids: dict[str, list[int]], dtype: Any) -> dict[str, Any]:
    return {kind: torch.tensor(part, dtype=dtype) for kind, part in ids.items()}


class Blocks:
    """A sampler on a random graph of DGL, and its reference."""

    def __init__(self, draws: random.Random) -> None:
        self.typed = draws.random() < 0.5
        self.world = world = random_world(draws, self.typed, timed=False)
        self.typed = len(world.types) > 1 or len(world.relations) > 1
        world.relations.sort(key=lambda edges: edges.name)  # as DGL numbers them
        ends = {e.name: (torch.tensor(e.src).long(), torch.tensor(e.dst).long()) for e in world.relations}
        graph: Any = dgl.heterograph(ends, num_nodes_dict=world.counts)
        self.graph = graph.int() if draws.random() < 0.3 else graph
        for kind, count in world.counts.items():
            self.graph.nodes[kind].data["x"] = torch.arange(count * 2).view(count, 2) * 0.5
        for edges in world.relations:
            self.graph.edges[edges.name].data["e"] = torch.arange(len(edges.src)) * 3
        options = random_options(draws, world)
        self.masked: list[set[int]] | None = None
        if options.pop("weighted", False):
            options["weighted"] = "auto"
            for edges in world.relations:
                if edges.weights is not None:
                    weights = torch.tensor(edges.weights, dtype=torch.float64)
                    self.graph.edges[edges.name].data["w"] = weights
        elif draws.random() < 0.3:
            self.masked = self.excluded(draws)
            for edges, out in zip(world.relations, self.masked, strict=True):
                inside = torch.tensor([i not in out for i in range(len(edges.src))], dtype=torch.bool)
                self.graph.edges[edges.name].data["m"] = inside
        options |= {"expand": "all", "disjoint": False}
        self.rule, self.direction = SamplingRule(**options), draws.choice(["in", "in", "out"])
        self.rows = world.rows("into" if self.direction == "in" else "from")
        self.fanouts = random_fanouts(draws, world)
        names = [edges.name for edges in world.relations]
        hops = [hop[0] if len({*hop}) == 1 else dict(zip(names, hop, strict=True)) for hop in self.fanouts]
        self.given = {
            name: value for name, value in options.items() if name in ("replace", "method", "layer_dependency")
        }
        self.given |= {"fanouts": hops[::-1], "edge_dir": self.direction}
        self.given |= {"prob": "w" if self.rule.weighted else None, "mask": None if self.masked is None else "m"}

    def sampler(self, seed: int) -> PGSampler:
        return PGSampler(**self.given, seed=seed)

    def excluded(self, draws: random.Random) -> list[set[int]]:
        counts = [len(edges.src) for edges in self.world.relations]
        return [{*draws.sample(range(count), draws.randint(0, count))} for count in counts]

    def drawn(self, ids: dict[str, list[int]], batch_seed: int, excluded: list[set[int]] | None = None) -> Neighborhood:
        rows = self.rows
        if self.masked is not None:  # edges that are masked are no candidates, which excluded ones may be
            rows = [
                relation._replace(of=[[one for one in row if one.id not in out] for row in relation.of])
                for relation, out in zip(rows, self.masked, strict=True)
            ]
        seeds = [ids.get(kind, []) for kind in self.world.types]
        return neighborhood(rows, self.fanouts, seeds, batch_seed, self.rule, excluded=excluded)

    def check_blocks(self, found: Any, given: dict[str, list[int]], drawn: Neighborhood, name: str) -> None:
        inputs, outputs, blocks = found
        kinds = self.world.types
        nodes = {kind: drawn.vertices(i) for i, kind in enumerate(kinds)}
        known = {kind: [*itertools.accumulate(drawn.num_nodes[i])] for i, kind in enumerate(kinds)}
        if len(kinds) == 1:
            inputs = {kinds[0]: inputs}
        same({kind: ids.tolist() for kind, ids in inputs.items()}, nodes, f"{name}: inputs")
        outputs = outputs if isinstance(outputs, dict) else {kinds[0]: outputs}
        same({kind: ids.tolist() for kind, ids in outputs.items()}, given, f"{name}: outputs")
        assert len(blocks) == len(drawn.hops)
        for h, block in enumerate(reversed(blocks)):
            assert block.idtype == self.graph.idtype
            for kind in kinds:
                sources, targets = block.srcnodes[kind].data, block.dstnodes[kind].data
                begins = {"sources": nodes[kind][: known[kind][h + 1]], "targets": nodes[kind][: known[kind][h]]}
                same(
                    {"sources": sources[dgl.NID].tolist(), "targets": targets[dgl.NID].tolist()},
                    begins,
                    f"{name}: {kind}",
                )
                same(sources["x"].tolist(), [[v, v + 0.5] for v in begins["sources"]], f"{name}: x of {kind}")
            for r, edges in enumerate(self.world.relations):
                etype = edges.name if self.direction == "in" else edges.name[::-1]
                src, dst = block.edges(etype=etype, order="eid")
                data = block.edges[etype].data
                triples = list(zip(src.tolist(), dst.tolist(), data[dgl.EID].tolist(), strict=True))
                same(triples, drawn.hops[h][r], f"{name}: hop {h}, {edges.name}")
                same(data["e"].tolist(), [id * 3 for _, _, id in triples], f"{name}: e of {edges.name}")


class Batches(Blocks):
    """DataLoader."""

    def __init__(self, draws: random.Random) -> None:
        super().__init__(draws)
        self.nodes = random_nodes(draws, self.world)
        if not any(self.nodes.values()):
            kind = next(kind for kind in self.world.types)
            self.nodes = {kind: [0] if self.world.counts[kind] else []}
        self.flat = [(kind, v) for kind, ids in self.nodes.items() for v in ids]
        self.count, self.batch_size = len(self.flat), draws.choice([1, 2, 5, 16])
        self.share = draws.choice([1, 1, 2, 3])
        self.same = {"shuffle": draws.random() < 0.6, "drop_last": draws.random() < 0.3}
        self.known: dict[tuple[int, int, int], Neighborhood] = {}

    def made(self, draws: random.Random, at: Position) -> Any:
        options: dict[str, Any] = {"prefetch": draws.choice([0, 1, 2, 7, None])}
        if (at.rank, at.world) != (0, 1) or draws.random() < 0.5:
            options |= {"rank": at.rank, "world": at.world, "even": at.even}
        ids = tensors(self.nodes, self.graph.idtype)
        given = ids if self.typed else ids["t0"]
        sampler = self.sampler(at.seed)
        return DataLoader(
            self.graph, given, sampler, batch_size=self.batch_size, share=self.share, **self.same, **options
        )

    def refusal(self, at: Position, number: int) -> str | None:
        return None

    def check(self, batch: Any, at: Position, number: int) -> None:
        key, given = (at.seed, at.epoch, number), {}
        for place in at.positions(at.epoch, number):
            kind, v = self.flat[place]
            given.setdefault(kind, []).append(v)
        if key not in self.known:
            self.known[key] = self.drawn(given, seed_of(*key, self.share))
        self.check_blocks(batch, given, self.known[key], f"batch {number} of epoch {at.epoch}")
