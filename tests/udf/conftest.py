"""Fixtures that the tests of users' apps share."""

import pytest
from gonextdoor.udf import tabled
from gonextdoor.udf.bound import acceptance, choice


@pytest.fixture
def no_tables(monkeypatch) -> None:
    """Biases that do not depend on the walk are proposed under their bounds, too."""
    monkeypatch.setattr(tabled, "MOST_EDGES", -1)


@pytest.fixture
def loose_bounds(monkeypatch, no_tables) -> None:
    """Every bound that exists is used, however loose it is; an inferred one instead of a measured one."""
    monkeypatch.setattr(acceptance, "PROPOSAL", 0.0)
    monkeypatch.setattr(choice, "LOOSE", 0.0)


@pytest.fixture
def compilations(monkeypatch) -> list[int]:
    """Grows with each compilation."""
    made: list[int] = []
    objectfile = pytest.importorskip("gonextdoor.udf.objectfile", reason="no llvmlite: hooks cannot be compiled")
    flat = objectfile.flat
    monkeypatch.setattr(objectfile, "flat", lambda code: made.append(1) or flat(code))
    return made
