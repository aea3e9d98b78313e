"""Random programs with the loaders for PyG, compared with the reference: every attribute of every batch."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import torch
from batchorder import Position, seed_of
from epochprograms import epochs, same
from gonextdoor.pyg import LinkNeighborLoader, NeighborLoader, NeighborSampler
from neighborreference import Neighborhood, SamplingRule, below, neighborhood, scan
from randomgraphs import World, random_world
from samplerprograms import random_fanouts, random_options, random_starts, random_vertices
from torch_geometric.data import Data, HeteroData
from torch_geometric.sampler import NegativeSampling

from gonextdoor import rng


def nodes(draws: random.Random) -> None:
    epochs(draws, Nodes(draws))


def links(draws: random.Random) -> None:
    epochs(draws, Links(draws))


def data_of(world: World) -> Data | HeteroData:
    """The graph with features that tell nodes and edges apart."""
    data: Any = HeteroData() if world.typed else Data()
    for kind, count in world.counts.items():
        store = data[kind] if world.typed else data
        store.num_nodes, store.x = count, torch.arange(count * 2).view(count, 2) * 0.5
        if kind in world.times:
            store.node_time = torch.tensor(world.times[kind], dtype=torch.int64)
    for edges in world.relations:
        store = data[edges.name] if world.typed else data
        store.edge_index = torch.tensor([edges.src, edges.dst], dtype=torch.int64).view(2, -1)
        store.edge_attr = torch.arange(len(edges.src)) * 3
        if edges.weights is not None:
            store.edge_weight = torch.tensor(edges.weights, dtype=torch.float64)
        if edges.times is not None:
            store.edge_time = torch.tensor(edges.times, dtype=torch.int64)
    return data


class Batches:
    """What programs with nodes and with links have in common."""

    def __init__(self, draws: random.Random) -> None:
        self.typed = draws.random() < 0.5
        while True:
            self.world = random_world(draws, self.typed)
            if sum(self.world.counts.values()):
                break
        world = self.world
        for edges in world.relations:
            edges.times = None if world.times else edges.times
        self.data, options = data_of(world), random_options(draws, world)
        options["expand"] = "new"
        self.rule = SamplingRule(**options)
        self.given: dict[str, Any] = {k: v for k, v in options.items() if k not in ("expand", "weighted", "temporal")}
        if options.get("weighted"):
            self.given["weight_attr"] = "edge_weight"
            self.rule = SamplingRule(**{**options, "weighted": "auto"})
        self.temporal = self.rule.temporal is not None
        self.backward = not self.temporal and draws.random() < 0.1
        self.rows = world.rows("from" if self.backward else "into")
        if self.temporal:
            self.given |= {
                "time_attr": "node_time" if world.times else "edge_time",
                "temporal_strategy": self.rule.temporal,
            }
        self.form = draws.choice(["directional"] * 4 + ["induced", "bidirectional"])
        if (self.rule.disjoint and self.form == "induced") or (self.typed and self.form == "bidirectional"):
            self.form = "directional"
        self.given["subgraph_type"] = self.form
        self.fanouts = random_fanouts(draws, world)
        if self.typed and any(len({*hop}) > 1 for hop in self.fanouts):
            self.given["num_neighbors"] = {
                e.name: [hop[r] for hop in self.fanouts] for r, e in enumerate(world.relations)
            }
        else:
            self.fanouts = [[hop[0]] * len(hop) for hop in self.fanouts]
            self.given["num_neighbors"] = [hop[0] for hop in self.fanouts]
        self.strict, self.starts = False, None
        self.batch_size, self.share = draws.choice([1, 2, 5, 16]), draws.choice([1, 1, 2, 3])
        self.same = {"shuffle": draws.random() < 0.6, "drop_last": draws.random() < 0.3}
        self.known: dict[tuple[int, int, int], dict[str, Any]] = {}
        self.count = 0

    def options(self, draws: random.Random, at: Position) -> dict[str, Any]:
        """The arguments of a loader at a rank."""
        options = {**self.same, "batch_size": self.batch_size, "share": self.share}
        if self.backward:  # the loaders' own samplers have no direction
            options["num_neighbors"] = self.given["num_neighbors"]
            options["neighbor_sampler"] = NeighborSampler(
                self.data, **self.given, sample_direction="backward", seed=at.seed
            )
        else:
            options |= {**self.given, "seed": at.seed}
        if draws.random() < 0.02:
            options |= {"num_workers": draws.choice([1, 2]), "multiprocessing_context": "fork"}
        else:
            options |= {"threads": draws.choice([1, 2, 5]), "prefetch": draws.choice([0, 1, 2, 7, None])}
        if (at.rank, at.world) != (0, 1) or draws.random() < 0.5:
            options |= {"rank": at.rank, "world": at.world, "even": at.even}
        return options

    def refusal(self, at: Position, number: int) -> str | None:
        return None

    def drawn(
        self,
        at: Position,
        number: int,
        seeds: dict[str, list[int]],
        times: dict[str, list[int]],
        starts: dict[str, list[int]] | None = None,
        excluded: list[set[int]] | None = None,
    ) -> Neighborhood:
        types = self.world.types
        last = [[time - self.strict for time in times.get(kind, [])] for kind in types]
        first = None if starts is None else [starts.get(kind, []) for kind in types]
        return neighborhood(
            self.rows,
            self.fanouts,
            [seeds.get(kind, []) for kind in types],
            seed_of(at.seed, at.epoch, number, self.share),
            self.rule,
            times=last if self.temporal else None,
            windows=first and [[b - a for a, b in zip(*both, strict=True)] for both in zip(first, last, strict=True)],
            excluded=excluded,
        )

    def check(self, batch: Any, at: Position, number: int) -> None:
        key = at.seed, at.epoch, number
        if key not in self.known:
            self.known[key] = self.wanted(at, number)
        wanted = self.known[key]
        assert type(batch) is type(self.data)
        stores = {"": batch} if not self.typed else {kind: batch[kind] for kind in wanted}
        found = {
            kind: {name: plain(getattr(stores[kind], name, None)) for name in parts} for kind, parts in wanted.items()
        }
        same(found, wanted, f"batch {number} of epoch {at.epoch}")

    def wanted(self, at: Position, number: int) -> dict[str, Any]:
        """The attributes of a batch by the reference, by type of nodes and edges."""
        raise NotImplementedError

    def parts(self, drawn: Neighborhood, owners: list[int]) -> dict[Any, dict[str, Any]]:
        """The attributes of nodes and edges. owners: which seed or link each tree belongs to."""
        world, counted = self.world, self.form == "directional"
        found: dict[Any, dict[str, Any]] = {}
        for i, kind in enumerate(world.types):
            ids = drawn.vertices(i)
            found[kind] = {"n_id": ids, "x": [[v * 1.0, v + 0.5] for v in ids], "num_nodes": len(ids)}
            found[kind]["batch"] = [owners[tree] for tree in drawn.trees(i)] if self.rule.disjoint else None
            found[kind]["num_sampled_nodes"] = drawn.num_nodes[i] if counted else None
            if kind in world.times:
                found[kind]["node_time"] = [world.times[kind][v] for v in ids]
        for r, relation in enumerate(world.relations):
            edges = self.edges(drawn, r)
            ids = [id for _, _, id in edges]
            part = found.setdefault(relation.name, {})
            part["edge_index"] = [[source for source, _, _ in edges], [to for _, to, _ in edges]]
            part |= {"e_id": ids, "edge_attr": [id * 3 for id in ids]}
            part["num_sampled_edges"] = drawn.num_edges(r) if counted else None
            if relation.weights is not None:
                part["edge_weight"] = [relation.weights[id] for id in ids]
        if self.typed:
            return found
        return {"": found["t0"] | found[world.relations[0].name]}

    def edges(self, drawn: Neighborhood, r: int) -> list[tuple[int, int, int]]:
        taken = drawn.edges(r)
        if self.form == "induced":
            rows, place = self.rows[r], {}
            for at, v in enumerate(drawn.vertices(rows.source)):
                place.setdefault(v, at)
            known = enumerate(drawn.vertices(rows.destination))
            taken = [(place[one.end], at, one.id) for at, v in known for one in rows.of[v] if one.end in place]
        if self.backward:
            taken = [(to, source, id) for source, to, id in taken]
        if self.form == "bidirectional":  # by destination, then source; the first of equal edges
            first: dict[tuple[int, int], int] = {}
            for source, to, id in taken + [(to, source, id) for source, to, id in taken]:
                first.setdefault((to, source), id)
            taken = [(source, to, id) for (to, source), id in sorted(first.items())]
        return taken


def windows(batches: Batches) -> dict[str, Any]:
    """The arguments of the time windows of a loader's input."""
    given: dict[str, Any] = {"strict": True} if batches.strict else {}
    return given if batches.starts is None else given | {"input_start_time": torch.tensor(batches.starts)}


def plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, torch.Tensor) else value


class Nodes(Batches):
    """NeighborLoader."""

    def __init__(self, draws: random.Random) -> None:
        super().__init__(draws)
        world = self.world
        self.kind = draws.choice([kind for kind, count in world.counts.items() if count])
        count, own = world.counts[self.kind], world.times.get(self.kind)
        self.nodes = random_vertices(draws, count, 40, draws.random() < 0.3) or [draws.randrange(count)]
        given: Any = torch.tensor(self.nodes, dtype=draws.choice([torch.int64, torch.int64, torch.int32]))
        style = draws.random()
        self.ids: list[int] | None = None
        if style < 0.1:
            self.nodes, given = list(range(count)), None
        elif style < 0.2:
            self.nodes = self.ids = sorted({*self.nodes})  # PyG numbers the elements of the mask
            given = torch.from_numpy(np.isin(np.arange(count), self.nodes))
        self.input = given if not self.typed else self.kind if given is None else (self.kind, given)
        self.times: list[int] | None = None
        if self.temporal and (own is None or draws.random() < 0.5):
            self.times = [draws.randint(-5, 60) for _ in self.nodes]
        self.count = len(self.nodes)
        if self.temporal:
            self.strict, self.starts = random_starts(draws, self.times or [own[v] for v in self.nodes])

    def made(self, draws: random.Random, at: Position) -> Any:
        options = self.options(draws, at) | windows(self)
        if self.times is not None:
            options[draws.choice(["input_time", "input_end_time"])] = torch.tensor(self.times)
        return NeighborLoader(self.data, input_nodes=self.input, **options)

    def wanted(self, at: Position, number: int) -> dict[str, Any]:
        places = at.positions(at.epoch, number)
        seeds = [self.nodes[place] for place in places]
        times = own = starts = None
        if self.temporal:
            own = None if self.times is None else [self.times[place] for place in places]
            times = own or [self.world.times[self.kind][v] for v in seeds]
        if self.starts is not None:
            starts = {self.kind: [self.starts[place] for place in places]}
        drawn = self.drawn(at, number, {self.kind: seeds}, {self.kind: times or []}, starts)
        parts, ids = self.parts(drawn, list(range(len(seeds)))), seeds if self.ids else places
        parts[self.kind if self.typed else ""] |= {"input_id": ids, "batch_size": len(seeds), "seed_time": own}
        return parts


class Links(Batches):
    """LinkNeighborLoader."""

    def __init__(self, draws: random.Random) -> None:
        super().__init__(draws)
        usable = [e for e in self.world.relations if all(e.sizes)]
        while not usable:
            super().__init__(draws)
            usable = [e for e in self.world.relations if all(e.sizes)]
        world, self.relation = self.world, draws.choice(usable)
        self.kinds = self.relation.name[0], self.relation.name[2]
        self.count = draws.randint(1, 25)
        self.src, self.dst = ([draws.randrange(n) for _ in range(self.count)] for n in self.relation.sizes)
        self.times = [draws.randint(-5, 60) for _ in range(self.count)] if self.temporal else None
        modes = [("", 0), ("binary", 1), ("binary", 0.5), ("binary", 2.3), ("triplet", 1), ("triplet", 3)]
        self.mode, self.amount = draws.choice(modes)
        if self.times is not None:
            self.strict, self.starts = random_starts(draws, self.times)
        self.exclude, self.back = False, self.leads_back()
        if self.form == "directional" and draws.random() < 0.5:
            self.exclude = draws.choice(["self", "self" if self.back is None else "reverse"])
        self.labels = [draws.randint(0, 3) for _ in range(self.count)] if draws.random() < 0.4 else None
        if self.mode == "triplet":
            self.labels = None
        self.weights: list[list[float] | None] = [None, None]
        for end in (0, 1):
            if self.mode and draws.random() < 0.2:
                self.weights[end] = [draws.choice([0.0, 0.25, 1.0, 3.0]) for _ in range(world.counts[self.kinds[end]])]
                self.weights[end][0] = 1.0

    def made(self, draws: random.Random, at: Position) -> Any:
        options, index = self.options(draws, at), torch.tensor([self.src, self.dst])
        if self.mode:
            weights = [None if w is None else torch.tensor(w) for w in self.weights]
            options["neg_sampling"] = NegativeSampling(self.mode, self.amount, *weights)
        if self.labels is not None:
            options["edge_label"] = torch.tensor(self.labels)
        options |= windows(self) | {"exclude_seed_edges": self.exclude}
        if self.times is not None:
            options[draws.choice(["edge_label_time", "input_end_time"])] = torch.tensor(self.times)
        return LinkNeighborLoader(
            self.data, edge_label_index=(self.relation.name, index) if self.typed else index, **options
        )

    def leads_back(self) -> Any:
        """The relation that leads back; None if there is none, or several."""
        if self.kinds[0] == self.kinds[1]:
            return self.relation
        back = [e for e in self.world.relations if (e.name[2], e.name[0]) == self.kinds]
        return back[0] if len(back) == 1 else None

    def excluded(self, places: list[int]) -> list[set[int]] | None:
        """Ids of the edges that a batch leaves out."""
        if not self.exclude:
            return None
        pairs, found = {(self.src[place], self.dst[place]) for place in places}, []
        for e in self.world.relations:
            out = pairs if e is self.relation else set()
            if self.exclude == "reverse" and e is self.back:
                out = out | {(v, u) for u, v in pairs}
            found.append({i for i, ends in enumerate(zip(e.src, e.dst, strict=True)) if ends in out})
        return found

    def negatives(self, own_seed: int, end: int, count: int, times: list[int]) -> list[int]:
        """The negative end points of a batch."""
        key = rng.key(rng.stream(own_seed, rng.NEGATIVES), end)
        known = self.world.times.get(self.kinds[end]) if self.temporal else None
        order = list(range(self.world.counts[self.kinds[end]]))
        whole, weights = None, self.weights[end]
        if weights is not None:
            unit = 2.0 ** (math.frexp(max(weights))[1] - 32)
            whole = [max(round(w / unit), int(w > 0)) for w in weights]
        if known is not None:
            order.sort(key=lambda v: known[v])
        found = []
        for i in range(count):
            there = order if known is None else [v for v in order if known[v] <= times[i % len(times)]]
            word, some = rng.word(key, i), whole and [whole[v] for v in there]
            if some is None and there:
                found.append(there[below(word, len(there))])
            else:
                found.append(there[scan(some, word)] if some and any(some) else order[0])
        return found

    def wanted(self, at: Position, number: int) -> dict[str, Any]:
        places = at.positions(at.epoch, number)
        count, own_seed = len(places), seed_of(at.seed, at.epoch, number)
        times = [self.times[place] for place in places] if self.times else []
        src, dst = ([ends[place] for place in places] for ends in (self.src, self.dst))
        more = math.ceil(count * self.amount)
        if self.mode == "binary":
            src += self.negatives(own_seed, 0, more, times)
        if self.mode:
            dst += self.negatives(own_seed, 1, more, times)
        # 1. The seed nodes, and the place of each end among those of its type.
        ends = {kind: [] for kind in self.kinds}
        owners, first = {kind: [] for kind in self.kinds}, []
        for kind, values in zip(self.kinds, (src, dst), strict=True):
            first.append(len(ends[kind]))
            ends[kind] += values
            owners[kind] += [i % count for i in range(len(values))]
        seeds = ends if self.rule.disjoint else {kind: sorted({*values}) for kind, values in ends.items()}
        places_of = [
            list(range(begin, begin + len(values))) if self.rule.disjoint else [seeds[kind].index(v) for v in values]
            for kind, values, begin in zip(self.kinds, (src, dst), first, strict=True)
        ]
        of_tree = [owner for kind in self.world.types for owner in owners.get(kind, [])]
        at_times = {kind: [times[i] for i in owners[kind]] for kind in self.kinds} if self.temporal else {}
        starts = None
        if self.starts is not None:
            own = [self.starts[place] for place in places]
            starts = {kind: [own[i] for i in owners[kind]] for kind in self.kinds}
        drawn = self.drawn(at, number, seeds, at_times, starts, self.excluded(places))
        # 2. What the batch tells of its links.
        parts = self.parts(drawn, of_tree)
        names = [*self.kinds, self.relation.name] if self.typed else ["", "", ""]
        to_src, to_dst, to_links = (parts[name] for name in names)
        to_links["input_id"] = places
        if self.mode == "triplet":
            others: Any = places_of[1][count:]
            if self.amount > 1:
                others = [others[i::count] for i in range(count)]
            to_src["src_index"], to_dst["dst_pos_index"] = places_of[0], places_of[1][:count]
            to_dst["dst_neg_index"] = others
            return parts
        label = None if self.labels is None else [self.labels[place] for place in places]
        if self.mode == "binary":
            if label is not None and min(self.labels or []) == 0:
                label = [one + 1 for one in label]
            label = (label or [1.0] * count) + [0] * more
        to_links["edge_label"], to_links["edge_label_index"] = label, places_of
        to_links["edge_label_time"] = [times[i % count] for i in range(len(src))] if self.temporal else None
        return parts
