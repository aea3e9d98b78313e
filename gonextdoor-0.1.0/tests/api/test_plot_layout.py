"""The positions of vertices in gonextdoor.plot."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from gonextdoor.plot import layout, nodelink


class TestLayout:
    def test_distances_follow_the_graph(self):
        count = 12
        sources = np.arange(count)
        places = layout.positions(count, sources, (sources + 1) % count)
        centre = places.mean(axis=0)
        radii = np.linalg.norm(places - centre, axis=1)
        assert radii.min() > 0.95 * radii.max(), "a ring is drawn as a circle"

    def test_no_two_vertices_are_at_one_position(self):
        random = np.random.default_rng(1)
        for count, edges in ((1, 0), (2, 1), (3, 0), (30, 20), (30, 200), (60, 59)):
            sources = random.integers(0, count, edges)
            targets = random.integers(0, count, edges)
            places = layout.positions(count, sources, targets)
            apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 9 * np.eye(count)
            assert np.isfinite(places).all()
            assert apart.min() > 0.05

    def test_forest(self):
        places = layout.forest([-1, 0, 0, 1, 1, 2, -1], [0, 1, 1, 2, 2, 2, 0])
        assert places[:, 1].tolist() == [0, -1, -1, -2, -2, -2, 0]
        assert places[[3, 4, 5, 6], 0].tolist() == [0, 1, 2, 3]
        assert places[1, 0] == 0.5 and places[0, 0] == 1.25

    def test_columns_of_a_chain_do_not_cross(self):
        links = [(np.array([0, 1, 2]), np.array([2, 1, 0]))]
        first, second = layout.columns([3, 3], links)
        assert (first[links[0][0], 1] == second[links[0][1], 1]).all()

    def test_colours_are_defined_for_every_step(self):
        assert nodelink.step_colour(99) == nodelink.COLOURS[-1]
