"""Parameters that must be mistakes are refused at once with their name; odd but valid ones are accepted."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gonextdoor as gnd
from gonextdoor.apps import LADIES, MVS, PPR, FastGCN, ForestFire, Jump, KHop, MetaPath, Neighbor, Node2Vec

HUGE = 10**400
SEQUENCES: list[tuple[str, Callable[[Any], Any]]] = [
    ("labels", MetaPath),
    ("fanouts", KHop),
    ("fanouts", lambda values: MVS(2, values)),
    ("sizes", FastGCN),
    ("sizes", LADIES),
    ("sample_size", lambda values: gnd.App(steps=2, sample_size=values)),
]
SHAPELESS = [np.ones((2, 2), int), np.ma.array([1, 2], mask=[0, 1]), [1, [2]], [None], [True]]


@pytest.mark.parametrize("make", [PPR, lambda p: Node2Vec(p, 1, 3), lambda p: Jump(3, p), ForestFire])
@pytest.mark.parametrize("value", [HUGE, -HUGE])
def test_an_int_beyond_floats_is_out_of_range(make: Callable[[int], Any], value: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        make(value)


@pytest.mark.parametrize("scores", [HUGE, [1, HUGE]])
def test_scores_beyond_floats(scores: Any) -> None:
    with pytest.raises(ValueError, match="scores: expected"):
        MVS(2, [2], scores=scores)


@pytest.mark.parametrize("x", [HUGE, 1e308, -HUGE])
def test_weights_beyond_ints(x: float) -> None:
    with pytest.raises(ValueError, match="expected from 1 to"):
        gnd.fixed(x)


@pytest.mark.parametrize(("name", "make"), SEQUENCES)
@pytest.mark.parametrize("values", SHAPELESS)
def test_the_ints_of_a_sequence_are_named(name: str, make: Callable[[Any], Any], values: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{name}\[\d\] = .*: expected an int"):
        make(values)


@pytest.mark.parametrize(("name", "make"), SEQUENCES[:-1])
@pytest.mark.parametrize("values", [np.array(3), 3, "3", None, 1.5])
def test_a_sequence_is_named(name: str, make: Callable[[Any], Any], values: Any) -> None:
    with pytest.raises(TypeError, match=f"^{name} = .*: expected a sequence of ints"):
        make(values)


def test_arrays_that_are_no_arrays() -> None:
    with pytest.raises(TypeError, match=r"^arrays\['x'\]: expected shape \(n,\)"):
        gnd.App(steps=1, arrays={"x": [1, [2]]})


def test_deep_trees_are_refused_at_once() -> None:
    began = time.monotonic()
    with pytest.raises(ValueError, match=r"fanouts = 2, depth = 16777216: expected at most 2\^28 vertices"):
        Neighbor(2, depth=1 << 24)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="fanouts"):
        KHop([2] * 100_000)  # type: ignore[arg-type]
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "app",
    [KHop([2] + [1] * 70), Neighbor([2] + [1] * 70), gnd.App(steps=71, sample_size=[2] + [1] * 70)],  # type: ignore
)
def test_trees_may_be_deeper_than_arrays_have_dimensions(app: Any) -> None:
    samples = gnd.sample(gnd.rmat(6, 8, seed=1), app, [[3, 4], [5, 6]], seed=1)
    assert [step.shape for step in samples.steps[28:32]] == [
        (2, 2, 2, *[1] * 28), (2, 2, 2, *[1] * 29), (2, 2, 2), (2, 2, 2),
    ]  # fmt: skip
    assert np.array_equal(samples.steps[-1], samples.numpy()[:, -4:].reshape(2, 2, 2))


def test_many_levels_take_little_memory() -> None:
    app = gnd.App(steps=30_000, sample_size=[2] + [1] * 29_999)
    assert app.width() == 60_001
    assert app.slots()[-1] == (2,)


def test_a_wide_frontier_is_no_wider_than_its_tree() -> None:
    app = Neighbor((10, 10), frontier_size=1 << 28)
    assert app.steps_expected() == 110
    graph = gnd.rmat(6, 8, seed=1)
    whole = gnd.sample(graph, Neighbor((10, 10)), repeat=100, seed=1)
    assert np.array_equal(gnd.sample(graph, app, repeat=100, seed=1).lengths, whole.lengths)


def test_collective_steps_do_not_multiply() -> None:
    app = gnd.App(steps=2000, sample_size=2, scope="collective")
    assert app.steps_expected() == 4000
    assert gnd.sample(gnd.rmat(6, 8, seed=1), app, 3, seed=1).numpy().shape == (3, 4001)
