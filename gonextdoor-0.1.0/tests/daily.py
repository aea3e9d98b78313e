"""The seed that selects which part of the large corpora `make test` runs; `make test-all` runs all of them.

GONEXTDOOR_TEST_SEED sets it. The default is the UTC date as yyyymmdd, so that the selection changes daily. The Go tests
read the same variable (gonextdoor/engine/enginetest/share.go).
"""

from __future__ import annotations

import datetime
import os
import zlib
from collections.abc import Iterable
from typing import Any

import pytest

VARIABLE = "GONEXTDOOR_TEST_SEED"
SEED = int(os.environ.get(VARIABLE) or datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d"))

FULL = False  # whether slow tests run too: set by conftest.py


def share(items: Iterable[Any], every: int, test: str = "") -> list[Any]:
    """Returns parameters of a test: one item in `every`, which the seed selects, and the others marked slow.

    Any `every` consecutive seeds (the days of a month) select each item once between them. Tests with the same items
    pass their names, so that one day's tests have different items.
    """
    chosen = (SEED + zlib.crc32(test.encode())) % every
    return [
        item if i % every == chosen else pytest.param(*_values(item), marks=pytest.mark.slow)
        for i, item in enumerate(items)
    ]


def _values(item: Any) -> tuple[Any, ...]:
    """The values of one parameter set: pytest takes tuples and lists apart if a test has several parameters."""
    return tuple(item) if isinstance(item, (tuple, list)) else (item,)
