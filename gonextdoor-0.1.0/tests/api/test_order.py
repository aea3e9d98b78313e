"""The argument plan=, which forces the order of execution of trees on a GPU."""

from __future__ import annotations

import corpus
import numpy as np
import pytest

import gonextdoor as gnd

TREE = gnd.apps.KHop([3, 2])


@pytest.mark.parametrize("order", ["sample", "transit"])
def test_it_changes_nothing_on_the_cpu(order: str) -> None:
    for app in (TREE, gnd.apps.DeepWalk(4)):
        forced = gnd.sample(corpus.graph(), app, seed=1, device="cpu", plan={"order": order})
        assert np.array_equal(forced, gnd.sample(corpus.graph(), app, seed=1, device="cpu", plan={}))
        assert gnd.explain(corpus.graph(), app, device="cpu", plan={"order": order}).orders == ()


@pytest.mark.parametrize(
    ("plan", "error", "text"),
    [
        ({"order": "transits"}, ValueError, "plan['order'] = 'transits': expected 'sample' or 'transit'"),
        ({"order": None}, TypeError, "plan['order'] = None: expected 'sample' or 'transit'"),
        ({"device": "cpu"}, ValueError, "plan has the key 'device': the only possible key is 'order'"),
        ("transit", TypeError, "plan = 'transit': expected a dict such as {'order': 'transit'}, or None"),
    ],
)
def test_other_plans_are_refused(plan: object, error: type[Exception], text: str) -> None:
    for call in (gnd.sample, gnd.explain):
        with pytest.raises(error) as caught:
            call(corpus.graph(), TREE, plan=plan)  # type: ignore[arg-type]
        assert str(caught.value) == text
