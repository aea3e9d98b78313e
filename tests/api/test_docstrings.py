"""Every public name has a docstring with an example that runs and prints what it shows. tests/gnn has pyg and dgl."""

import inspect
import re
from pathlib import Path

import docstrings
import pytest

import gonextdoor as gnd

ROOT = Path(__file__).resolve().parents[2]
CONSTANTS = docstrings.constants()
MODULES = {"gonextdoor": dir(gnd), "gonextdoor.apps": gnd.apps.__all__}
MODULES |= {"gonextdoor.saint": gnd.saint.__all__, "gonextdoor.rng": gnd.rng.__all__}
MODULES |= {"gonextdoor.ranges": gnd.ranges.__all__, "gonextdoor.partition": gnd.partition.__all__}
PUBLIC = {
    f"{module}.{name}": getattr(eval(module, {"gonextdoor": gnd}), name)
    for module in MODULES
    for name in MODULES[module]
}
FUNCTIONS = getattr(gnd.plot, "__all__", ["plot"])
PUBLIC |= {
    f"gonextdoor.plot.{name}": getattr(gnd.plot, name) for name in FUNCTIONS if callable(getattr(gnd.plot, name))
}
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}
MEMBERS = {name: thing for cls in CLASSES for name, thing in docstrings.members(cls, CLASSES[cls])}
TEXTS = {name: docstrings.docstring(name, thing, CONSTANTS) for name, thing in (PUBLIC | MEMBERS).items()}
EXAMPLES = [name for name in TEXTS if ">>>" in TEXTS[name] or (name in PUBLIC and not inspect.ismodule(PUBLIC[name]))]


def test_the_public_names_are_all_here():
    assert len(PUBLIC) > 70 and len(CLASSES) > 30 and len(MEMBERS) > 100


@pytest.mark.parametrize("name", TEXTS)
def test_every_public_name_has_a_docstring(name):
    assert TEXTS[name].strip()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name, tmp_path, monkeypatch):
    docstrings.run(name, TEXTS[name], tmp_path, monkeypatch)


@pytest.mark.parametrize("name", [name for name in TEXTS if "\nArgs:\n" in TEXTS[name]])
def test_every_argument_has_an_entry(name):
    docstrings.check_arguments(name, (PUBLIC | MEMBERS)[name], TEXTS[name])


@pytest.mark.parametrize("name", [name for name in TEXTS if "\nRaises:\n" in TEXTS[name]])
def test_every_error_has_an_entry(name):
    docstrings.check_raises(name, TEXTS[name])


@pytest.mark.parametrize("name", [name for name in CLASSES if docstrings.fields(CLASSES[name])])
def test_every_field_is_described(name):
    for field in docstrings.fields(CLASSES[name]):
        assert f"\n    {field}: " in TEXTS[name], field


def test_functions_with_parameters_describe_them():
    """Short functions of gonextdoor.rng and the apps' base class may do so in one sentence."""
    for name, thing in PUBLIC.items():
        if inspect.isfunction(thing) and not name.startswith("gonextdoor.rng.") and inspect.signature(thing).parameters:
            assert "\nArgs:\n" in TEXTS[name], name


@pytest.mark.parametrize("name", [name for name in CLASSES if "\nArgs:\n" not in TEXTS[name]])
def test_classes_that_examples_make_describe_their_arguments(name):
    """The reference omits the constructors of the others (docs/constructors.py)."""
    made = re.findall(rf"^(?:>>>|\.\.\.).*\b{name.rpartition('.')[2]}\(", TEXTS[name], re.MULTILINE)
    assert not made or issubclass(CLASSES[name], Exception), made


def test_the_reference_has_every_public_name():
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    # The reference names functions with the name of their module, as partition.sample.sample, by the module.
    named = re.findall(r"^::: ([\w.]+)$", pages, re.MULTILINE)
    shown = {re.sub(r"(\.\w+)\1$", r"\1", name).replace(".errors.", ".") for name in named} | {*named}
    listed = {x for x, thing in PUBLIC.items() if not inspect.ismodule(thing) and not x.startswith("gonextdoor.rng.")}
    assert "gonextdoor.rng" in shown  # one page has the whole module
    assert listed - shown == {"gonextdoor.__version__"}
