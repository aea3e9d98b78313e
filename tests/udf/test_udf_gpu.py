"""Users' apps on a GPU equal those on the CPU, faults and their places included; errors of their compilation."""

from __future__ import annotations

import daily
import docpages
import gpu_hooks
import numpy as np
import pytest
from agreement import GRAPHS, uniform
from gonextdoor._core import native
from gonextdoor.udf import image, nvrtc
from test_udf import CASES, rising
from test_udf_faults import FAULTS
from test_udf_temporal import BIASES

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: there is nothing to compare with")
pytestmark = pytest.mark.usefixtures("gpu")

GRAPH = GRAPHS["weighted"][0]


@pytest.mark.parametrize("name", CASES)
def test_apps(name):
    assert gpu_hooks.case(name)


@pytest.mark.parametrize("name", gpu_hooks.EXAMPLES)
def test_examples(name):
    assert gpu_hooks.written(name)


@pytest.mark.parametrize("on", ["weighted", "plain"])
def test_tables_of_biases(on):
    graph = GRAPHS[on][0]

    def tolled(ctx, edge, dst):
        return ctx.weight(edge) * ctx.toll[dst]

    app = gnd.App(edge_bias=tolled, steps=9, arrays={"toll": np.arange(1, graph.num_vertices + 1) ** 2 / 1000.0})
    here, there = (gnd.sample(graph, app, repeat=20, seed=5, edges=True, device=device) for device in ("cpu", "cuda"))
    assert there.selector == "Alias" and there.device == "cuda:0"
    assert np.array_equal(here.values, there.values) and np.array_equal(here.edges, there.edges)


@pytest.mark.parametrize("hook", BIASES, ids=lambda hook: hook.__name__)
@pytest.mark.parametrize("width", [1, 3])
def test_candidates_that_may_follow_in_time(hook, width):
    """A hook that reads samples of several walkers takes one step per kernel, which continues from the last edge."""
    random = np.random.default_rng(3)
    n, m = 60, 1500
    ends, times = random.integers(0, n, (2, m)), random.integers(0, 50, m)
    graph = gnd.Graph.from_edges(*ends, weights=random.uniform(1, 5, m), times=times, num_vertices=n, symmetric=True)
    app, roots = gnd.App(edge_bias=hook, steps=30), random.integers(0, n, (200, width)).squeeze()
    here, there = (gnd.sample(graph, app, roots, seed=5, edges=True, device=device) for device in ("cpu", "cuda"))
    assert there.selector == "Reject(4+d/16), Reservoir, by time" and there.device == "cuda:0"
    assert np.array_equal(here.values, there.values) and np.array_equal(here.edges, there.edges)


def test_the_apps_of_the_guide(monkeypatch):
    real, equal = gnd.sample, []

    def on_both(graph, app, *rest, **options):
        here, there = (real(graph, app, *rest, **options, device=device) for device in ("cpu", "cuda"))
        assert there.device == "cuda:0"
        equal.append(np.array_equal(there.values, here.values))
        return here

    monkeypatch.setattr(gnd, "sample", on_both)
    docpages.run_page("docs/your-own-apps.md", "python")
    assert equal == [True] * 4


@pytest.mark.parametrize("place", range(len(FAULTS) + 1))
def test_faults(place):
    assert gpu_hooks.fault(place)


@pytest.mark.parametrize("seed", daily.share([0, 1, 7, 14, 17, 19, 22, 27], 4))
def test_random_hooks(seed):
    assert gpu_hooks.random_app(seed)


@pytest.mark.parametrize("seed", daily.share(range(12), 6, "inferred"))
def test_inferred_bounds(seed):
    assert gpu_hooks.inferred(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 160))
def test_more_random_hooks(seed):
    assert gpu_hooks.random_app(seed)


@pytest.mark.parametrize("seed", daily.share(range(60), 6, "grown"))
def test_random_apps_of_any_kind(seed):
    assert gpu_hooks.grown(seed)


def sampled(app: gnd.App, device: str = "cuda") -> np.ndarray:
    return gnd.sample(GRAPH, app, range(40), seed=1, device=device).numpy()


ANY = {
    "several picks": {"sample_size": [3, 2]},
    "large samples": {"sample_size": 60, "steps": 2, "replace": True},
    "unique per step": {"sample_size": 4, "steps": 2, "unique": "step"},
    "unique per sample": {"sample_size": "all", "steps": 2, "unique": "sample"},
    "collective": {"sample_size": 9, "steps": 2, "scope": "collective", "record": "adjacency"},
    "induced": {"sample_size": 2, "steps": 3, "record": "induced"},
}


@pytest.mark.parametrize("options", ANY.values(), ids=ANY)
def test_samples_of_any_kind_stay_on_the_gpu(options):
    app = gnd.App(edge_bias=rising, **options)
    there, here = (gnd.sample(GRAPH, app, range(40), seed=1, device=device, edges=True) for device in ("cuda", "cpu"))
    assert there.device == "cuda:0" and there.on_device.vertices is not None
    for name in ("values", "offsets", "edges", "roots", *(("parents",) if here.layered else ())):
        assert np.array_equal(getattr(there, name), getattr(here, name)), name
    assert all(map(np.array_equal, there.steps, here.steps))


@pytest.mark.parametrize("options", [{"sample_size": 3}, {"sample_size": "all", "record": "induced"}], ids=repr)
def test_a_hub_that_no_first_workspace_holds(options):
    leaves = np.arange(1, 20_001)
    hub = gnd.Graph.from_edges(np.zeros_like(leaves), leaves, num_vertices=20_001)
    app = gnd.App(edge_bias=rising, steps=1, **options)
    there, here = (gnd.sample(hub, app, [0, 0, 5], seed=1, device=device, edges=True) for device in ("cuda", "cpu"))
    assert there.device == "cuda:0"
    assert np.array_equal(there.values, here.values) and np.array_equal(there.edges, here.edges)


def test_steps_and_fanouts_are_not_compiled(folder, compilations):
    for options in ({"sample_size": [2, 2]}, {"sample_size": [3, 1, 4]}, {"sample_size": "all", "steps": 1}):
        sampled(gnd.App(edge_bias=rising, **options))
    assert len(compilations) == 1  # steps and fan-outs are data
    sampled(gnd.App(edge_bias=rising, sample_size=[2, 2], replace=True))
    assert len(compilations) == 2


def again(ctx):
    return ctx.root(0)


def far_away(ctx, edge, dst):
    return 1 + ctx.degree(ctx.num_vertices + 10**9)


@pytest.mark.parametrize(
    "options", [{"steps": 3}, {"sample_size": [3, 2]}, {"sample_size": [3, 2], "scope": "collective"}]
)
def test_nothing_is_read_outside_of_the_graph(options):
    """A compiler may move a load past the check of its address."""
    for device in ("cpu", "cuda"):
        with pytest.raises(IndexError, match=r"vertex out of range \(sample 0, step 0\)"):
            gnd.sample(GRAPH, gnd.App(edge_bias=far_away, bound=None, **options), range(40), seed=1, device=device)


def test_a_sample_that_never_ends_is_an_error():
    app = gnd.App(next=again, steps=gnd.INF)
    with pytest.raises(RuntimeError, match=r"the sample has not ended after 65535 steps \(sample 0, step 65535\)"):
        gnd.sample(GRAPH, app, [0], seed=1, device="cuda")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of compiled hooks, empty."""
    monkeypatch.setenv("GONEXTDOOR_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def compilations(monkeypatch) -> list[str]:
    """Grows with each compilation."""
    made: list[str] = []
    real = nvrtc.Compiler.image

    def counted(self, text, *rest):
        made.append(text)
        return real(self, text, *rest)

    monkeypatch.setattr(nvrtc.Compiler, "image", counted)
    return made


def light(ctx):
    return (ctx.transit + ctx.add) % ctx.num_vertices


def hop(add: int, **rest) -> gnd.App:
    return gnd.App(next=light, steps=3, params={"add": add}, **rest)


def test_an_app_is_compiled_once(folder, compilations):
    for add in (1, 2, 3):
        assert np.array_equal(sampled(hop(add)), sampled(hop(add), "cpu"))
    assert len(compilations) == 1
    sampled(hop(1, strict=False, arrays={"unused": [1.0]}))
    assert len(compilations) == 1
    with pytest.raises(ValueError, match="strict"):
        sampled(hop(1, strict=True))
    assert len(compilations) == 2


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:-9] + b"something"])
def test_a_damaged_file_is_made_again(folder, compilations, damage):
    want = sampled(hop(1))
    for path in folder.iterdir():
        path.write_bytes(damage(path.read_bytes()))
    assert np.array_equal(sampled(hop(1)), want)
    assert len(compilations) == 2


@pytest.fixture
def no_compiler(monkeypatch):
    """No NVRTC anywhere, until the end of the test."""

    def forget():
        nvrtc.compiler.cache_clear()
        nvrtc.identity.cache_clear()

    monkeypatch.setenv("GONEXTDOOR_NVRTC", "/nowhere/libnvrtc.so.12")
    forget()
    yield
    forget()


def test_without_a_compiler_it_says_what_to_install(folder, no_compiler, monkeypatch):
    with pytest.raises(ImportError, match=r"NVRTC, and none was found.*CUDA \d+.*pip install 'gonextdoor\[jit\]'"):
        sampled(hop(1))
    assert sampled(hop(1), "cpu").shape == (40, 4)
    monkeypatch.setenv("GONEXTDOOR_DEVICE", "cuda")
    assert gnd.sample(GRAPH, hop(1), range(40), seed=1).device == "cpu"
    assert gnd.sample(GRAPH, gnd.apps.DeepWalk(3), seed=1, device="cuda").device == "cuda:0"


def test_without_llvm_a_gpu_runs_hooks(folder, monkeypatch):
    want = sampled(hop(5), "cpu")
    monkeypatch.setitem(__import__("sys").modules, "llvmlite", None)
    assert np.array_equal(sampled(hop(5)), want)

    def fails(ctx):
        ctx.fail()
        return 0

    with pytest.raises(ValueError, match=r"^ctx.fail\(\) was called \(sample 0, step 0\)"):
        sampled(gnd.App(next=fails, steps=1))


def test_text_that_does_not_compile_is_an_error_with_its_messages(folder):
    target = image.target(0)
    with pytest.raises(RuntimeError, match=r"(?s)NVRTC \d+\.\d+ for sm_\d+:.*nonsense"):
        nvrtc.compiler(target.driver).image("nonsense", {}, f"sm_{target.sm}")


def test_a_run_goes_on_behind_a_fault():
    with pytest.raises(IndexError):
        sampled(gnd.App(next=far, steps=2))
    assert np.array_equal(sampled(hop(2)), sampled(hop(2), "cpu"))


def far(ctx):
    return ctx.degree(ctx.num_vertices + ctx.step)


def test_runs_in_pieces_and_on_several_devices():
    app = gnd.App(next=uniform, steps=6)
    want = gnd.sample(GRAPH, app, range(40), seed=2, device="cpu").numpy()
    parts = [gnd.sample(GRAPH, app, range(a, a + 10), seed=2, first_id=a, device="cuda") for a in range(0, 40, 10)]
    assert np.array_equal(np.concatenate([part.numpy() for part in parts]), want)
    if native.call("DeviceCount") > 1:
        both = gnd.sample(GRAPH, app, range(40), seed=2, device=["cuda:0", "cuda:1"])
        assert np.array_equal(both.numpy(), want)
