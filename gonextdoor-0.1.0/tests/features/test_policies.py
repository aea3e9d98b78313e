"""Which rows a cache has first, and the visits that loaders count for it."""

import numpy as np
import pytest
from gonextdoor.features import policies
from gonextdoor.neighbor import presample
from gonextdoor.neighbor.order import BatchOrder, Positions
from gonextdoor.neighbor.ranks import Ranks

import gonextdoor as gnd

GRAPH = gnd.rmat(8, seed=1)


@pytest.mark.parametrize("scores", [np.arange(5000)[::-1], np.random.default_rng(1).permutation(5000) / 7])
@pytest.mark.parametrize("slots", [1, 3, 100, 4999])
def test_classes_are_ranks_on_a_logarithmic_scale(scores, slots):
    ranks = np.argsort(np.argsort(-scores))
    bounds = np.unique([max(1, int(slots * 2 ** (k / 2 - 4))) for k in range(15)])
    got = policies.classes(scores, slots)
    assert got.dtype == np.uint8 and got.max() <= 15
    for bound in bounds[bounds < len(scores)]:
        assert got[ranks < bound].max() < got[ranks >= bound].min()


def test_equal_scores_have_equal_classes():
    assert set(policies.classes(np.zeros(50), 10)) == {0}
    got = policies.classes(np.array([2, 1, 1, 1, 0, 0, 0, 0]), 2)
    assert got[0] < got[1] < got[4] and len(set(got[1:4])) == len(set(got[4:])) == 1


def loader(**given):
    return gnd.loader(GRAPH, [4, 3], range(120), **{"batch_size": 10, "seed": 7, "shuffle": True, **given})


def visits(made, ids_of=lambda batch: {None: batch.split(batch.arena).nodes[0]}):
    return made._presampled(ids_of, {None: 256})


def counted(batches):
    return gnd.features.count_visits([batch.split(batch.arena).nodes[0] for batch in batches], 256)


def test_the_visits_of_the_next_batches(monkeypatch):
    monkeypatch.setattr(presample, "PASSES", 100)
    made = loader()
    np.testing.assert_array_equal(visits(made)[None], counted(made))
    ahead = visits(made)[None]  # of the second epoch
    rank = loader(rank=1, world=3)
    rank.set_epoch(1)
    of_rank = visits(rank)[None]
    batches = list(made)
    np.testing.assert_array_equal(ahead, counted(batches))
    np.testing.assert_array_equal(of_rank, counted(batches[1::3]))


@pytest.mark.parametrize(("passes", "most"), [(1, 256), (100, 3)])
def test_counting_ends(passes, most, monkeypatch):
    monkeypatch.setattr(presample, "PASSES", passes)
    monkeypatch.setattr(presample, "MOST", most)
    monkeypatch.setattr(presample, "GROUP", 1)
    some = visits(loader())[None].sum()
    sizes = np.cumsum([len(batch.split(batch.arena).nodes[0]) for batch in loader()])
    assert some == (sizes[2] if most == 3 else sizes[np.argmax(sizes >= 256)])


def test_a_batch_that_fails_is_left_out(monkeypatch):
    made = loader()
    sample_many = made.sampler.sample_many

    def failing(batches, *given, **more):
        if any(5 in seeds for seeds in batches):
            raise ValueError("broken")
        return sample_many(batches, *given, **more)

    monkeypatch.setattr(made.sampler, "sample_many", failing)
    monkeypatch.setattr(presample, "PASSES", 100)
    kept = [batch for batch, ids in zip(loader(), epoch_ids(), strict=True) if 5 not in ids]
    assert len(kept) == 11
    np.testing.assert_array_equal(visits(made)[None], counted(kept))


def epoch_ids():
    return [named.ids for named in loader()._order.preview()]


def test_a_preview_leaves_the_position():
    order = BatchOrder(Positions(10, 3, True, False), 5, 1, Ranks(None, None, None, "wrap"))
    first = [named.ids.tolist() for named in order.preview()]
    assert [named.ids.tolist() for named in order.named(order.begin(dict))] == first


def test_a_batch_sampler_is_not_read_in_advance():
    batching = Positions(10, 3, False, False)
    batching = type("Given", (), {"exact": False, "__len__": lambda _: 4, "facts": {}, "ids": batching.ids})()
    assert list(BatchOrder(batching, 5, 1, Ranks(None, None, None, "wrap")).preview()) == []


def test_the_rows_that_gpus_share():
    rows = 10_000
    even, steep = np.ones(rows), 1.0 / np.arange(1, rows + 1) ** 2
    assert policies.divide(even, 1000, 2) == (2000, 0)  # all rows alike: as many different ones as possible
    slots, hot = policies.divide(steep, 1000, 2)
    assert 500 < hot < 1000 and slots == 2000 - hot
    slots, hot = policies.divide(np.linspace(2, 1, rows), 6000, 2)
    assert slots == rows and 1900 <= hot <= 2000  # all rows fit, and the rest is copies
    assert policies.divide(even, 0, 3) == (0, 0)
    assert policies.divide(np.zeros(10), 20, 3)[0] == 10


def test_no_other_division_costs_less():
    scores = np.random.default_rng(1).random(500) ** 8
    ordered = np.sort(scores)[::-1]

    def cost(hot):
        slots = min(500, hot + 3 * (60 - hot))
        return ordered[hot:slots].sum() * 2 / 3 + 4 * ordered[slots:].sum()

    slots, hot = policies.divide(scores, 60, 3)
    assert slots == hot + 3 * (60 - hot) and np.isclose(cost(hot), min(cost(h) for h in range(61)))
