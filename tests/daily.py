"""The seed that chooses what `make test` takes of the large corpora; `make test-all` takes all of them.

GONEXTDOOR_TEST_SEED sets it; the default is the UTC date as yyyymmdd, so that the choice changes daily. The Go tests
read the same variable (gonextdoor/engine/enginetest/share.go).
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable
from typing import Any

import pytest

VARIABLE = "GONEXTDOOR_TEST_SEED"
SEED = int(os.environ.get(VARIABLE) or datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d"))

FULL = False  # whether slow tests run too: set by conftest.py


def share(items: Iterable[Any], every: int) -> list[Any]:
    """Parameters of a test: one item in `every` by the seed, the rest marked slow. As many consecutive seeds (days of a
    month) as that select every item once."""
    return [
        item if i % every == SEED % every else pytest.param(item, marks=pytest.mark.slow)
        for i, item in enumerate(items)
    ]
