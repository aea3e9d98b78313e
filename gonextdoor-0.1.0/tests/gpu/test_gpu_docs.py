"""The tutorial on GPUs runs, and prints what it shows."""

import docpages
import pytest

pytestmark = pytest.mark.usefixtures("gpu")


def test_the_tutorial_prints_what_it_shows():
    assert docpages.run_page("docs/tutorials/gpu.md", "py") == 5
