"""The standard defaults of the apps, and advice for the argument names of other libraries."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import click
import corpus
import numpy as np
import pytest
from gonextdoor.cli.parameters import app_named
from gonextdoor.cli.walk import APPS, parameters_of, walk

import gonextdoor as gnd

WALKS = [
    "DeepWalk", "Node2Vec", "NonBacktracking", "Walk", "MetropolisHastings", "Jump", "Restart", "MultiIndependent",
    "MultiDimensionalWalk",
]  # fmt: skip


@pytest.mark.parametrize("name", WALKS)
def test_walks_have_80_steps(name: str) -> None:
    app = getattr(gnd.apps, name)()
    assert app.length == 80
    assert app == getattr(gnd.apps, name)(length=80)
    assert pickle.loads(pickle.dumps(app)) == copy.deepcopy(app) == app
    assert inspect.signature(type(app)).parameters["length"].default == 80


def test_other_defaults() -> None:
    apps = gnd.apps
    assert apps.Node2Vec() == apps.Node2Vec(1, 1, 80) == apps.Node2Vec(p=1, q=1, length=80)
    assert (apps.Jump().probability, apps.Restart().probability, apps.PPR().stop) == (0.15, 0.15, 0.15)
    graph = corpus.graph()
    walks = gnd.sample(graph, apps.DeepWalk(), 3, seed=1)
    assert walks.numpy().shape == (3, 81)
    assert np.array_equal(walks.numpy(), gnd.sample(graph, apps.DeepWalk(80), 3, seed=1).numpy())


@pytest.mark.parametrize("name", APPS)
def test_the_command_line_has_the_same_defaults(name: str) -> None:
    """Options of an app have no default in the command line: those that are not given are not passed on."""
    context = click.Context(walk)
    defaults = {option.name: option.get_default(context) for option in walk.params}
    assert APPS[name] is app_named(name)
    for option in parameters_of(APPS[name]):
        assert defaults[option] in (None, getattr(click.core, "UNSET", None)), option  # click 8.3 has a sentinel


@pytest.mark.parametrize("name", APPS)
def test_the_command_line_has_every_parameter(name: str) -> None:
    """--weighted and --computed, which the commands have in common, set the other parameters."""
    fields = set(inspect.signature(app_named(name)).parameters)
    assert {field.name for field in parameters_of(APPS[name]).values()} == fields - {"weighted", "computed"}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: gnd.apps.DeepWalk(walk_length=80), r"DeepWalk got .* 'walk_length': did you mean length=\?"),
        (lambda: gnd.apps.Node2Vec(num_walks=10), r"did you mean repeat= of gonextdoor.sample\?"),
        (lambda: gnd.apps.Node2Vec(walks_per_node=10), r"did you mean repeat= of gonextdoor.sample\?"),
        (lambda: gnd.apps.Node2Vec(return_param=2), r"did you mean p=\?"),
        (lambda: gnd.apps.Node2Vec(inout_param=2), r"did you mean q=\?"),
        (lambda: gnd.apps.Node2Vec(epochs=2), "pass epochs= to the model"),
        (lambda: gnd.apps.KHop(num_hops=2, fan_out=5), r"did you mean fanouts=\? \(one number per hop\)"),
        (lambda: gnd.apps.KHop(num_neighbors=[5]), r"did you mean fanouts=\? \(one number per hop\)"),
        (lambda: gnd.apps.Snowball(num_hops=2), r"did you mean depth=\?"),
        (lambda: gnd.apps.Restart(restart_prob=0.1), r"did you mean probability=\?"),
        (lambda: gnd.apps.PPR(alpha=0.1), r"did you mean stop=\?"),
        (lambda: gnd.apps.DeepWalk(seed=1), r"did you mean seed= of gonextdoor.sample\?"),
        (lambda: gnd.apps.DeepWalk(lenght=1), r"did you mean length=\?"),
        (lambda: gnd.apps.DeepWalk(colour=1), "expected length, weighted"),
        (lambda: gnd.sample(corpus.graph(), gnd.apps.DeepWalk(), **other(num_walks=1)), r"did you mean repeat=\?"),
        (
            lambda: gnd.sample(corpus.graph(), gnd.apps.DeepWalk(), **other(walk_length=1)),
            "length= of the app, such as",
        ),
        (lambda: gnd.sample(corpus.graph(), gnd.apps.DeepWalk(), **other(start_nodes=1)), r"did you mean roots=\?"),
        (lambda: gnd.sample(corpus.graph(), gnd.apps.DeepWalk(), **other(workers=1)), r"did you mean threads=\?"),
        (lambda: gnd.sample(corpus.graph(), gnd.apps.DeepWalk(), **other(random_state=1)), r"did you mean seed=\?"),
        (lambda: gnd.sample(corpus.graph(), gnd.apps.DeepWalk(), **other(colour=1)), "expected graph, app, roots"),
    ],
)
def test_names_of_other_libraries_are_answered(call: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        call()


def other(**arguments: Any) -> Any:
    return arguments
