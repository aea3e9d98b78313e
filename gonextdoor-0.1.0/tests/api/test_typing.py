"""The program that mypy and pyright check runs, and has a call of every app."""

from __future__ import annotations

import userprogram

import gonextdoor as gnd


def test_the_program_runs() -> None:
    userprogram.right()


def test_every_app_is_in_the_program() -> None:
    made = {type(app).__name__ for app in userprogram.apps(userprogram.graphs())}
    assert made == set(gnd.apps.__all__) - {"SamplingApp", "Weighted"} | {"App"}
