"""The rules that find the columns of a table."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from gonextdoor.graph.columns import choose

import gonextdoor as gnd


def test_columns_are_found_by_name_and_position() -> None:
    found = choose(["node1", "node2", "weight"], ["text", "text", "float"])
    assert (found.source, found.target, found.weight, found.time, found.label) == (0, 1, 2, None, None)
    assert found.said == "columns node1 -> node2, weight 'weight'"
    assert choose(["", "", ""], ["int"] * 3, symmetric=True).said == "columns 0 -> 1, weight column 2; symmetric=True"
    chosen = choose(["a", "b", "c", "d"], ["int"] * 4, source="b", target=np.int64(0), weight=False, time="c", label=3)
    assert (chosen.source, chosen.target, chosen.weight, chosen.time, chosen.label) == (1, 0, None, 2, 3)
    for none in (False, None, np.False_):
        assert choose(["a", "b", "weight"], ["int"] * 3, weight=none).weight is None  # type: ignore[arg-type]


def test_a_column_that_is_not_read_is_warned_about() -> None:
    with pytest.warns(gnd.InputWarning, match="'relation' is not read: labels are integers") as caught:
        choose(["head", "relation", "tail"], ["text"] * 3)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choose(["head", "relation", "tail"], ["text"] * 3, label=False)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"source": "x"}, ValueError, "there is no column of that name; the columns are 'a', 'b', 'c'"),
        ({"weight": -1}, ValueError, "numbered from 0"),
        ({"source": 0, "target": 0}, ValueError, "source and target are both column 'a'"),
        ({"source": True}, TypeError, "source = True: expected None, or a column's name or number"),
        ({"time": True}, TypeError, "time = True: expected None, False, or a column's name or number"),
        ({"weight": 1.5}, TypeError, 'weight = 1.5: expected "auto", True, False, or a column\'s name or number'),
        ({"label": ["a"]}, TypeError, "label = "),
    ],
)
def test_wrong_choices_are_refused(given: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text.replace("(", r"\(")):
        choose(["a", "b", "c"], ["int"] * 3, **given)
