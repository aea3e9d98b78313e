"""Random programs with gnd.loader, compared with the reference."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from batchorder import Position, seed_of
from epochprograms import epochs, same
from neighborreference import neighborhood
from randomgraphs import as_ints
from samplerprograms import Sampler, as_times, host, random_starts, random_vertices

import gonextdoor as gnd


def loading(draws: random.Random) -> None:
    """Epochs of a loader."""
    epochs(draws, Loading(draws))


class Loading:
    """The arguments of a loader that stay the same, and what it returns by the reference."""

    def __init__(self, draws: random.Random) -> None:
        self.sampler = Sampler(draws)
        world, rule = self.sampler.world, self.sampler.rule
        self.kind = draws.choice(world.types)
        count = world.counts[self.kind]
        self.own_times = world.times.get(self.kind)
        repeated = draws.random() < (0.5 if rule.disjoint else 0.05)
        self.nodes = random_vertices(draws, count, 40, repeated)
        given: Any = as_ints(draws, self.nodes)
        style = draws.random()
        if style < 0.1:
            self.nodes, given = list(range(count)), None
        elif style < 0.2:
            self.nodes = sorted({*self.nodes})
            given = np.isin(np.arange(count), self.nodes)
        self.input = given if not self.sampler.typed else self.kind if given is None else (self.kind, given)
        self.times: list[int] | None = None
        if self.sampler.temporal and (self.own_times is None or draws.random() < 0.5):
            self.times = [draws.randint(-5, 60) for _ in self.nodes]
        self.count, self.batch_size = len(self.nodes), draws.choice([1, 2, 5, 7, 16, 64])
        self.same = {"shuffle": draws.random() < 0.6, "drop_last": draws.random() < 0.3}
        self.share = draws.choice([1, 1, 1, 2, 3])
        self.features = self._features(draws) if draws.random() < 0.4 else None
        self.input_time = None if self.times is None else as_times(draws, self.times)
        self.ends = draws.choice(["input_time", "input_end_time"])
        self.strict, self.starts = False, None
        if self.times is not None:
            self.strict, self.starts = random_starts(draws, self.times)
        self.known: dict[tuple[int, int, int], dict[str, Any]] = {}

    def _features(self, draws: random.Random) -> Any:
        made = {
            kind: (np.arange(count * width, dtype=np.float64) * 1.5 % 251).astype(dtype).reshape(count, width)
            for kind, count in self.sampler.world.counts.items()
            for width, dtype in [(draws.randint(1, 3), draws.choice([np.float32, np.float64, np.int64, np.uint8]))]
        }
        return made if self.sampler.typed else made[self.kind]

    def made(self, draws: random.Random, at: Position) -> gnd.Loader:
        """A loader at a rank, with random numbers of threads and batches in advance."""
        sampler = self.sampler
        options: dict[str, Any] = {"threads": draws.choice([1, 2, 5]), "prefetch": draws.choice([0, 1, 2, 7, None])}
        if draws.random() < 0.2:
            options["prefetch_bytes"] = draws.choice([1, 1000])
        if (at.rank, at.world) != (0, 1) or draws.random() < 0.5:
            options |= {"rank": at.rank, "world": at.world, "even": at.even}
        return gnd.loader(
            sampler.graph,
            sampler.fanouts_given,
            self.input,
            self.batch_size,
            input_start_time=None if self.starts is None else as_times(draws, self.starts),
            strict=self.strict,
            seed=at.seed,
            share=self.share,
            features=self.features,
            **{self.ends: self.input_time},
            **self.same,
            **options,
            **sampler.given,
        )

    def wanted(self, at: Position, number: int) -> dict[str, Any]:
        """A batch by the reference."""
        key = at.seed, at.epoch, number
        if key not in self.known:
            sampler, places = self.sampler, at.positions(at.epoch, number)
            seeds = [self.nodes[place] for place in places]
            times = windows = None
            if sampler.temporal:
                own = self.own_times
                times = [self.times[p] for p in places] if self.times else [own[v] for v in seeds] if own else []
                times = [time - self.strict for time in times]
            if times is not None and self.starts is not None:
                windows = [time - self.starts[p] for time, p in zip(times, places, strict=True)]
            batch = neighborhood(
                sampler.rows,
                sampler.fanouts,
                sampler.by_type(seeds, self.kind),
                seed_of(*key, self.share),
                sampler.rule,
                times=None if times is None else sampler.by_type(times, self.kind),
                windows=None if windows is None else sampler.by_type(windows, self.kind),
            )
            self.known[key] = sampler.wanted(batch)
        return self.known[key]

    def refusal(self, at: Position, number: int) -> str | None:
        nodes = [self.nodes[place] for place in at.positions(at.epoch, number)]
        repeated = not self.sampler.rule.disjoint and len({*nodes}) < len(nodes)
        return "seed_nodes" if repeated else None

    def check(self, batch: gnd.NeighborBatch, at: Position, number: int) -> None:
        name = f"batch {number} of epoch {at.epoch}"
        same(self.sampler.found(batch), self.wanted(at, number), name)
        if self.features is None:
            assert batch.features is None
            return
        nodes = batch.split(batch.arena).nodes
        features, rows = (
            (self.features, batch.features) if self.sampler.typed else ({"t0": self.features}, {"t0": batch.features})
        )
        assert [*rows] == self.sampler.world.types
        for kind, ids in zip(self.sampler.world.types, nodes, strict=True):
            found, wanted = host(rows[kind]), features[kind][host(ids)]
            assert found.dtype == wanted.dtype, f"{name}.features of {kind}"
            assert np.array_equal(found, wanted), f"{name}.features of {kind}"
