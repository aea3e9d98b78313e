"""What the core says of each app: the shape of its samples, and what to expect of them."""

from __future__ import annotations

import json
import math

import corpus
import pytest

import gonextdoor as gnd
from gonextdoor import _native


@pytest.mark.parametrize("app", corpus.APPS, ids=corpus.names)
def test_facts(app: gnd.apps.SamplingApp) -> None:
    for roots in (1, 3):
        told = json.loads(_native.call("AppFacts", app._planned().number, roots))
        assert told["width"] == (app.width(roots) or 0), roots
        assert told["layered"] == app.layered(roots)
        pool = app.pool()
        assert told["pool"] == (-1 if pool is None else pool)
        if roots == 1 and not isinstance(app, gnd.apps.MultiDimensionalWalk):
            assert (math.inf if told["vertices"] is None else told["vertices"]) == app.steps_expected()
