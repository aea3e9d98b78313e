"""The language of hooks: what is refused, and with which words, before anything is compiled."""

from __future__ import annotations

import functools
import inspect
import linecache
import math
import pathlib
import re
import textwrap
from typing import Any

import numpy as np
import pytest
from gonextdoor.udf.expressions import Names
from gonextdoor.udf.hooks import ALIASES
from gonextdoor.udf.source import Source
from gonextdoor.udf.statements import checked

import gonextdoor as gnd

FILE = pathlib.Path(__file__).name
LIST = [1]
BIG = 2**70
NAMES = Names({"alpha": "float", "k": "int"}, {"x": "float64", "n": "int32"}, {})


def hook(body: str, arguments: str = "ctx, edge, dst") -> Source:
    """A hook with this body, in a separate file."""
    text = f"def hook({arguments}):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    file = f"<hook {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, object] = {**globals()}
    exec(compile(text, file, "exec"), names)
    return Source(names["hook"])


REFUSED = [
    ("while ctx.step > 0:\n    pass\nreturn 1", 2, "a while loop may never end: use for i in range(n)"),
    ("if dst < 0:\n    raise ValueError('no')\nreturn 1", 3, "a hook cannot raise: call ctx.fail()"),
    ("assert dst >= 0\nreturn 1", 2, "a hook cannot raise: call ctx.fail()"),
    ("try:\n    return 1\nexcept ValueError:\n    return 2", 2, "'try' is not supported in hooks"),
    ("return math.exp(ctx.alpha)", 2, "math.exp() is not supported in hooks (int, float, bool, abs, min, max, len"),
    ("return ctx.alpha ** 2", 2, "** has no exact result on every machine: multiply, use math.sqrt, or tabulate it"),
    ("return ctx.beta", 2, "ctx has no 'beta'; the app has parameters ['alpha', 'k'] and arrays ['n', 'x']"),
    ("return LIST[0]", 2, "LIST is no array of ctx: hand it to App by arrays="),
    ("return LIST", 2, "LIST is not a local or a number: hand it to App by params= or arrays="),
    ("return BIG", 2, "does not fit in 64 bits"),
    ("print(dst)\nreturn 1", 2, "print() is not supported in hooks"),
    ("ctx.x[0] = 1\nreturn 1", 2, "only local variables can be assigned; arrays and ctx are read-only"),
    ("ctx.k = 1\nreturn 1", 2, "only local variables can be assigned"),
    ("ctx.k += 1\nreturn 1", 2, "only local variables can be assigned"),
    ("ctx = 1\nreturn 1", 2, "ctx cannot be assigned"),
    ("a = b = 1\nreturn a", 2, "only local variables can be assigned"),
    ("a, b = 1, 2\nreturn a", 2, "only local variables can be assigned"),
    ("return 'heavy'", 2, "'heavy': not supported in hooks: use ints, floats"),
    ("return f'{dst}'", 2, "text is not supported in hooks: use ints, floats"),
    ("return None", 2, "None: not supported in hooks"),
    ("return 1j", 2, "1j: not supported in hooks: use ints"),
    ("pass", 1, "a path ends without return"),
    ("if dst > 3:\n    return 1", 1, "a path ends without return"),
    ("for i in range(3):\n    return i", 1, "a path ends without return"),
    ("return", 2, "return without a value"),
    ("return ctx.alpha // 2", 2, "// takes ints: write int(x / y) for floats"),
    ("return ctx.alpha % 2", 2, "% takes ints"),
    ("return ctx.alpha & 1", 2, "& takes ints, ctx.alpha is a float: write int(ctx.alpha)"),
    ("return ~ctx.alpha", 2, "~ takes ints, ctx.alpha is a float"),
    ("return (1, 2)", 2, "lists, tuples, sets and dicts are not supported in hooks"),
    ("return [dst][0]", 2, "[dst] is no array of ctx"),
    ("return sum([i for i in range(3)])", 2, "sum() is not supported in hooks"),
    ("if dst > 2:\n    w = 1\nreturn w", 4, "w may be used before it is set"),
    ("for i in range(3):\n    w = i\nreturn w", 4, "w may be used before it is set"),
    (
        "w = 1\nif dst > 2:\n    w = 0.5\nreturn w",
        4,
        "w is a float here and an int elsewhere: a local has one type (write 1.0",
    ),
    ("w = dst > 1\nw = 3\nreturn w", 3, "w is an int here and a condition elsewhere"),
    ("w = edge\nw = 3\nreturn 1", 3, "w is an int here and an edge elsewhere"),
    ("return ctx.x[ctx.alpha]", 2, "an array index takes ints, ctx.alpha is a float"),
    ("return ctx.x[1:2]", 2, "an array is read element by element"),
    ("return ctx.x", 2, "ctx.x is an array: index it"),
    ("return ctx.degree", 2, "ctx.degree is a method: call it"),
    ("return ctx.degree()", 2, "ctx.degree takes 1 arguments, got 0"),
    ("return ctx.degree(v=1)", 2, "arguments have no names here"),
    ("return ctx.degrees(1)", 2, "ctx has no method 'degrees'"),
    ("return ctx.degree(0.5)", 2, "ctx.degree takes ints, 0.5 is a float"),
    ("return ctx.weight(3)", 2, "ctx.weight takes an edge, 3 is an int: use the hook's, or ctx.edge(v, i)"),
    ("return edge + 1", 2, "+ takes numbers, edge is an edge: ctx.edge_id() is its place"),
    ("return edge", 1, "returns an edge, expected a weight (edge_bias)"),
    ("return edge < ctx.edge(dst, 0)", 2, "an edge equals an edge or not, and compares with nothing else"),
    ("return edge == 3", 2, "an edge equals an edge or not"),
    ("return 1 if edge else 2", 2, "a condition takes numbers, edge is an edge"),
    ("return edge if dst else 2", 2, "an edge in one case, an int in the other"),
    ("return dst and 1", 2, "and/or take conditions, dst is an int: compare it"),
    ("return dst in LIST", 2, "'in' is not supported in hooks"),
    ("return dst is 3", 2, "'is' is not supported in hooks"),
    ("return min(3)", 2, "min takes 2 arguments or more"),
    ("return int(1, 2)", 2, "int takes 1 argument"),
    ("return len(LIST)", 2, "len takes an array of ctx"),
    ("return abs(edge)", 2, "abs takes numbers, edge is an edge"),
    ("for i in range(0, 9, 2):\n    pass\nreturn 1", 2, "range takes one or two arguments here"),
    ("for i in range(0.5):\n    pass\nreturn 1", 2, "range takes ints, 0.5 is a float"),
    ("for i in LIST:\n    pass\nreturn 1", 2, "a loop is for i in range(...), without else"),
    ("for i in range(2):\n    pass\nelse:\n    pass\nreturn 1", 2, "a loop is for i in range(...), without else"),
    ("def f():\n    return 1\nreturn f()", 2, "functions cannot be made inside a hook"),
    ("f = lambda: 1\nreturn 1", 2, "functions cannot be made inside a hook"),
    ("class A:\n    pass\nreturn 1", 2, "functions cannot be made inside a hook"),
    ("import math\nreturn 1", 2, "import outside of the hook"),
    ("global LIST\nreturn 1", 2, "a hook keeps nothing from call to call"),
    ("with ctx:\n    pass\nreturn 1", 2, "'with' is not supported in hooks"),
    ("w: int = 1\nreturn w", 2, "write the assignment without a type"),
    ("if (w := 1):\n    pass\nreturn 1", 2, "assign in a separate statement"),
    ("dst + 1\nreturn 1", 2, "this line does nothing: assign it, or return it"),
    ("return ctx.fail()", 2, "ctx.fail() has no value: write it as a separate statement"),
    ("ctx.fail(1)\nreturn 1", 2, "expected ctx.fail()"),
    ("return 1 @ 2", 2, "there are no matrices here"),
    ("return 9223372036854775808", 2, "9223372036854775808 does not fit in 64 bits"),
    ("return ctx", 2, "ctx alone is no number"),
    ("return dst.real", 2, "dst.real: only names of ctx can be read"),
    ("if dst:\n    return 1\nreturn edge", 4, "returns an edge here and an int elsewhere"),
]


@pytest.mark.parametrize(("body", "line", "text"), REFUSED, ids=[body.split("\n")[0] for body, _, _ in REFUSED])
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_a_mistake_is_named_with_its_file_and_line(body: str, line: int, text: str) -> None:
    source = hook(body)
    with pytest.raises(gnd.AppError) as refused:
        checked(source, "edge_bias", NAMES)
    assert f"{source.file}:{line}: in hook: " in str(refused.value)
    assert text in str(refused.value)


ACCEPTED = [
    "return 2**40 + -2**63 + (2**63 - 1)",
    "return math.pi * ctx.alpha",
    "if ctx.degree(dst):\n    return 1\nelse:\n    return 0.5",
    "n = True\nfor i in range(2, ctx.k):\n    if i == 3:\n        continue\n    n = dst > i\nreturn n",
    "w = 0\nw = dst > 3\nreturn w",
    "e = edge\nif ctx.k > 2:\n    e = ctx.edge(dst, 0)\nreturn ctx.x[e] + ctx.weight(e)",
    "return 1 if edge == ctx.edge(ctx.transit, 0) else 2",
    "return 1 < dst <= ctx.k != 3.5",
    "return (dst > 1) ^ (dst < 5)",
    "return max(1, dst, 2.5) + min(ctx.k, 3) + abs(-dst) + len(ctx.n) + int(True) + float(dst) + bool(2)",
    "'''What it does.'''\npass\nreturn +dst - -dst",
    "ctx.fail()\nreturn 0",
    "dst += 1\ndst //= 2\nreturn dst",
    "return gnd.NULL + ctx.previous(1, 0) + ctx.count(1)",
    "if dst:\n    return 1\nelif ctx.k:\n    return 2\nelse:\n    return 3\nreturn 4",
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_what_is_in_the_language(body: str) -> None:
    assert checked(hook(body), "edge_bias", NAMES).body


def test_a_deep_expression_is_checked_in_time() -> None:
    checked(hook("return " + "(" * 60 + "dst" + " // 3)" * 60), "edge_bias", NAMES)


def test_an_endless_expression_is_refused() -> None:
    with pytest.raises(gnd.AppError, match="in hook: an expression of hundreds of parts: give some of them names"):
        checked(hook("return dst" + " + dst" * 2000), "edge_bias", NAMES)


def one(ctx, edge, dst):
    return 1


def half(ctx):
    return 0.5


def no_argument():
    return 1


def wait(ctx):
    return 1


@functools.lru_cache
def wrapped(ctx, edge, dst):
    return 1


async def later(ctx, edge, dst):
    return 1


def defaults(ctx, edge, dst=1):
    return 1


def stars(ctx, *rest):
    return 1


class Callable:
    def __call__(self, ctx, edge, dst):
        return 1


LINE = inspect.getsourcelines(half)[1]


def in_one_step(**arguments):
    return gnd.App(**{"edge_bias": one, "steps": 1, **arguments})


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: in_one_step(edge_bais=one), TypeError, "argument 'edge_bais': did you mean edge_bias=?"),
        (lambda: in_one_step(EdgeBias=one), TypeError, "EdgeBias and edge_bias: they are the same hook; pass only one"),
        (lambda: gnd.App(edge_bias=lambda c, e, d: 1, steps=1), gnd.AppError, "expected a function written with def"),
        (lambda: gnd.App(edge_bias=len, steps=1), gnd.AppError, "edge_bias: <built-in function len>: expected a func"),
        (lambda: gnd.App(edge_bias=wrapped, steps=1), gnd.AppError, "expected a function written with def"),
        (lambda: gnd.App(edge_bias=Callable(), steps=1), gnd.AppError, "expected a function written with def"),
        (lambda: gnd.App(edge_bias=3, steps=1), gnd.AppError, "edge_bias: 3: expected a function written with def"),
        (lambda: gnd.App(edge_bias=later, steps=1), gnd.AppError, "in later: expected a plain function"),
        (lambda: gnd.App(edge_bias=half, steps=1), gnd.AppError, f"{FILE}:{LINE}: in half: takes 1 arguments, expect"),
        (lambda: gnd.App(next=no_argument, steps=1), gnd.AppError, "takes 0 arguments, expected 1"),
        (lambda: gnd.App(edge_bias=defaults, steps=1), gnd.AppError, "without defaults: edge_bias is (ctx, edge, dst"),
        (lambda: gnd.App(edge_bias=stars, steps=1), gnd.AppError, "takes 1 arguments, expected 3"),
        (lambda: gnd.App(next=half, steps=1), gnd.AppError, "in half: returns a float, expected a vertex or NULL (ne"),
        (lambda: in_one_step(bound=half), gnd.AppError, "returns a float, but edge_bias returns an int: their units"),
        (lambda: in_one_step(sample_size=half), gnd.AppError, "returns a float, expected an int (sample_size)"),
        (lambda: gnd.App(bound=half, steps=1), TypeError, "bound applies only to edge_bias: pass edge_bias too"),
        (lambda: in_one_step(next=wait), TypeError, "next and edge_bias: pass only one of them"),
        (lambda: gnd.App(next=wait, unique=True, steps=1), ValueError, "next: it may return any vertex"),
        (lambda: gnd.App(next=wait, sample_size=-1, steps=1), ValueError, "next: sample_size gives the number of"),
        (lambda: in_one_step(weighted=True), ValueError, "edge_bias and next compute their own biases"),
        (lambda: gnd.App(steps=1, weighted=True, scope="collective"), ValueError, "rows have different units"),
        (lambda: gnd.App(edge_bias=one), TypeError, "missing steps: pass an int from 1 to 65535, or gonextdoor.INF"),
        (lambda: in_one_step(steps=0), ValueError, "steps = 0: expected from 1 to 65535"),
        (lambda: in_one_step(steps=65536), ValueError, "steps = 65536: expected from 1 to 65535"),
        (lambda: in_one_step(steps=2.5), TypeError, "steps = 2.5: expected an int from 1 to 65535, or gonextdoor.INF"),
        (lambda: in_one_step(steps=True), TypeError, "steps = True: expected an int"),
        (lambda: in_one_step(sample_size=0), ValueError, "sample_size = 0: expected at least 1, or -1 for all"),
        (lambda: in_one_step(sample_size="most"), ValueError, "sample_size = 'most': expected an int,"),
        (lambda: in_one_step(sample_size=None), TypeError, "sample_size = None: expected an int,"),
        (lambda: in_one_step(sample_size=[]), ValueError, "sample_size = []: expected one number per step"),
        (lambda: in_one_step(sample_size=[1, 2]), ValueError, "sample_size = [1, 2]: expected one number, or one for"),
        (lambda: in_one_step(sample_size=[0]), ValueError, "sample_size[0] = 0: expected at least 1, or -1 for all"),
        (lambda: in_one_step(sample_size=[1000] * 9, steps=9), ValueError, "expected at most 2^28 vertices per sample"),
        (lambda: in_one_step(unique="never"), ValueError, "unique = 'never': expected False or True or 'step' or 'sa"),
        (lambda: in_one_step(unique=1), TypeError, "unique = 1: expected False or True"),
        (lambda: in_one_step(scope="both"), ValueError, "scope = 'both': expected 'individual' or 'collective'"),
        (lambda: in_one_step(record="all"), ValueError, "record = 'all': expected None or 'adjacency' or 'induced'"),
        (lambda: in_one_step(replace=1), TypeError, "replace = 1: expected True or False"),
        (lambda: in_one_step(strict="yes"), TypeError, "strict = 'yes': expected True or False"),
        (lambda: in_one_step(params=[1]), TypeError, "params = [1]: expected a dict of names and values"),
        (lambda: in_one_step(params={"a": "x"}), TypeError, "params['a'] = 'x': expected an int or a float"),
        (lambda: in_one_step(params={"a": 2**63}), ValueError, "params['a'] = 9223372036854775808: expected an int o"),
        (lambda: in_one_step(params={"step": 1}), ValueError, "params['step']: ctx.step is taken"),
        (lambda: in_one_step(params={"a b": 1}), TypeError, "params: 'a b' is not a valid name"),
        (lambda: in_one_step(params={f"p{i}": i for i in range(33)}), ValueError, "params: 33 given, expected at mos"),
        (lambda: in_one_step(arrays={"a": np.ones((2, 2))}), TypeError, "arrays['a']: expected shape (n,), got (2, 2)"),
        (lambda: in_one_step(arrays={"a": np.ones(2, np.uint64)}), TypeError, "got uint64"),
        (lambda: in_one_step(arrays={"a": ["x"]}), TypeError, "arrays['a']: expected bool, int8,"),
        (lambda: in_one_step(arrays={"a": np.ma.masked_less([1, 2], 2)}), Exception, "arrays['a']"),
        (lambda: in_one_step(arrays={"a": [1]}, params={"a": 1}), ValueError, "arrays['a']: there is a parameter of"),
        (lambda: in_one_step(arrays={f"a{i}": [1] for i in range(17)}), ValueError, "arrays: 17 given, expected at m"),
        (lambda: in_one_step(vertex_bias=lambda c, v: 1), gnd.AppError, "vertex_bias"),
        (lambda: gnd.fixed(0.0), ValueError, "fixed(0.0, 65536): expected from 1 to 2^31 - 1"),
        (lambda: gnd.fixed(math.inf), ValueError, "fixed(inf, 65536)"),
    ],
)  # fmt: skip
def test_arguments_are_refused_when_the_app_is_made(make, error, text) -> None:
    with pytest.raises(error) as refused:
        make()
    assert text in str(refused.value)


def test_a_function_without_text_is_refused() -> None:
    names: dict[str, object] = {}
    exec("def typed(ctx):\n    return 1", names)
    with pytest.raises(
        gnd.AppError, match="stop: typed: its source is not available: define it in a file or a notebook cell"
    ):
        gnd.App(stop=names["typed"], steps=1)


def test_other_names_of_the_same() -> None:
    assert gnd.App(get_weight=one, steps=1, samplingType="Collective", sampleSize=[3]).hooks.keys() == {"edge_bias"}
    assert (
        repr(gnd.App(EdgeBias=one, steps=2)) == repr(gnd.App(edge_bias=one, steps=2)) == "App(edge_bias=one, steps=2)"
    )


def test_other_names_are_those_of_the_docs() -> None:
    """The keywords that docs/coming-from.md says are accepted."""
    text = (pathlib.Path(__file__).parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
    cells = [line.rstrip("|\n ").rpartition("|")[2] for line in text.splitlines() if line.count("|") == 4]
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} >= ALIASES.keys()
    one_step = gnd.App(edge_bias=one, steps=1, samplingType="CollectiveNeighborhood", stepSize=2)
    assert repr(one_step) == "App(edge_bias=one, steps=1, sample_size=2, scope='collective')"


def test_fixed() -> None:
    assert (gnd.fixed(0.5), gnd.fixed(1.5, 10), gnd.fixed(1)) == (32768, 15, 65536)


OLD = "def first(ctx):\n    return ctx.step > 3\n"
NEW = "def other(ctx):\n    return False\n\n\n" + OLD


@pytest.mark.parametrize("text", [NEW, OLD.replace("3", "4"), OLD.replace(">", "<"), "# empty by now\n"])
def test_a_function_whose_file_has_changed_is_refused(tmp_path, text) -> None:
    file = tmp_path / "hooks.py"
    file.write_text(OLD)
    names: dict[str, object] = {}
    exec(compile(OLD, str(file), "exec"), names)
    assert gnd.App(stop=names["first"], steps=2)
    file.write_text(text)
    with pytest.raises(
        gnd.AppError, match=r"^stop: (hooks.py:\d: in )?first: its (file has changed|source is not available)"
    ):
        gnd.App(stop=names["first"], steps=2)


def test_code_that_depends_on_what_is_around_it_is_known_again(tmp_path) -> None:
    file = tmp_path / "hooks.py"
    text = textwrap.dedent(
        """
        import math
        def outer(limit):
            class Inner:
                @staticmethod
                def stop(ctx):
                    "Says when."
                    return ctx.step > limit + math.pi
            return Inner.stop
        """
    )
    file.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(file), "exec"), names)
    assert gnd.App(stop=names["outer"](2), steps=2)


def test_a_decorator_that_would_not_run_is_refused() -> None:
    @functools.wraps(halts)
    def twice(*given):
        return halts(*given)

    with pytest.raises(gnd.AppError, match="halts: it is wrapped by a decorator, which would not run"):
        gnd.App(stop=twice, steps=2)


def halts(ctx):
    return ctx.step > 3
