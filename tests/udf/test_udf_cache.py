"""Compiled hooks between processes: kept, found again, never used when damaged, and loaded only when needed."""

from __future__ import annotations

import os
import pathlib
import sys

import numpy as np
import pytest
from corpus import program
from gonextdoor.udf import cache, objectfile
from gonextdoor.udf.code import Code

import gonextdoor as gnd

pytest.importorskip("llvmlite", reason="no llvmlite for this Python: hooks cannot be compiled")

GRAPH = gnd.rmat(6, 4, seed=1)


def light(ctx, edge, dst):
    return 1 + (dst & ctx.mask)


def app(**rest) -> gnd.App:
    return gnd.App(**{"edge_bias": light, "steps": 3, "params": {"mask": 3}, **rest})


def sampled(one: gnd.App) -> np.ndarray:
    return gnd.sample(GRAPH, one, seed=4).numpy()


@pytest.fixture
def folder(tmp_path, monkeypatch) -> pathlib.Path:
    path = tmp_path / "kept" / "hooks"
    monkeypatch.setenv("GONEXTDOOR_CACHE", str(path))
    return path


def test_an_app_is_compiled_once(folder, compilations, no_tables):
    first = sampled(app())
    assert len(compilations) == 1 and [name for name in os.listdir(folder) if name.startswith(".")] == []
    assert np.array_equal(sampled(app()), first)
    sampled(app(steps=5, replace=True))
    sampled(app(params={"mask": 5}))
    gnd.sample(gnd.rmat(7, 4, seed=2), app(), seed=4)  # its inferred bound has another number
    assert len(compilations) == 1
    sampled(app(sample_size=2))  # without a bound
    sampled(app(bound=None))
    assert len(compilations) == 2


def test_what_a_key_depends_on(folder):
    def names(**rest):
        one = app(**rest)
        return cache.key(one._functions, strict=one.strict)

    def same(ctx, edge, dst):
        """The same, in other words."""
        return 1 + (dst & ctx.mask)  # and with a comment

    def other(ctx, edge, dst):
        return 2 + (dst & ctx.mask)

    assert names() == names(params={"mask": 7}) == names(edge_bias=same) == names(steps=7, replace=True)
    different = [
        names(), names(edge_bias=other), names(params={"mask": 1, "more": 2, "other": 0.5}, edge_bias=third),
        names(params={"more": 2, "mask": 1}), names(strict=True), names(stop=tired), names(next=None),
    ]  # fmt: skip
    assert len(set(different)) == len(different) - 1  # the last is the first


def third(ctx, edge, dst):
    return 1 + (dst & ctx.mask) if ctx.other > 0.5 else 1


def tired(ctx):
    return ctx.step > 1


@pytest.mark.parametrize("damage", ["cut", "empty", "foreign", "one bit", "another version"])
def test_a_damaged_file_is_made_again(folder, compilations, damage):
    first = sampled(app())
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes({
        "cut": whole[:-1], "empty": b"", "foreign": b"\x7fELF" + whole,
        "another version": whole.replace(b"hooks 1", b"hooks 0"),
        "one bit": whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
    }[damage])  # fmt: skip
    assert np.array_equal(sampled(app()), first)
    assert len(compilations) == 2 and path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch, compilations):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GONEXTDOOR_CACHE", str(tmp_path / "file" / "below"))
    sampled(app())
    sampled(app())
    assert len(compilations) == 2


def test_off(tmp_path, monkeypatch, compilations):
    monkeypatch.setenv("GONEXTDOOR_CACHE", "off")
    monkeypatch.chdir(tmp_path)
    sampled(app())
    sampled(app())
    assert len(compilations) == 2 and not list(tmp_path.iterdir())


def test_the_user_s_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("GONEXTDOOR_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == str(tmp_path / "gonextdoor")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.folder() == os.path.join(os.path.expanduser("~/.cache"), "gonextdoor")


def test_a_file_of_code_is_what_it_says():
    code = Code({"stop": 16}, b"\xc3" * 64)
    other = Code.unpacked(code.packed())
    assert other is not None and other.kernels == {"stop": 16} and other.code == code.code
    assert Code.unpacked(code.packed() + b"\0") is None


def test_on_other_processors_llvm_holds_the_code(folder, monkeypatch):
    first = sampled(app())

    def refuse(code):
        raise ValueError("not an ELF object for x86-64")

    monkeypatch.setattr(objectfile, "flat", refuse)
    kept = sorted(folder.iterdir())
    other = app(edge_bias=again)
    assert np.array_equal(sampled(other), first) and sorted(folder.iterdir()) == kept


def again(ctx, edge, dst):
    return (dst & ctx.mask) + 1


def test_an_object_file_with_outer_references_is_refused():
    import llvmlite.binding as llvm
    from gonextdoor.udf import compile

    llvm.initialize_native_target()
    text = "declare void @outer()\ndefine void @f() {\n  call void @outer()\n  ret void\n}\n"
    with pytest.raises(ValueError, match="a reference of kind"):
        objectfile.flat(compile.object_code(text))
    with pytest.raises(ValueError, match="not an ELF object"):
        objectfile.flat(b"no object file")


def test_llvm_is_loaded_only_to_compile(folder):
    text = """
    import sys
    import gonextdoor as gnd
    assert not [name for name in sys.modules if name.startswith(("llvmlite", "numba"))]
    graph = gnd.rmat(6, 4, seed=1)
    gnd.sample(graph, gnd.apps.DeepWalk(3), seed=1)
    from udf_module import app
    print(gnd.sample(graph, app, seed=4).numpy().sum(), "llvmlite.binding" in sys.modules)
    """
    (folder.parent.parent / "udf_module.py").write_text(
        "import gonextdoor as gnd\n\n\ndef light(ctx, edge, dst):\n    return 1 + dst\n\n\n"
        "app = gnd.App(edge_bias=light, steps=3)\n"
    )
    text = f"    import sys\n    sys.path.insert(0, {str(folder.parent.parent)!r})" + text
    first, second = program(text).split(), program(text).split()
    assert first[0] == second[0] and (first[1], second[1]) == ("True", "False")


def test_without_llvm_built_in_apps_work(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    one = app()
    gnd.sample(GRAPH, gnd.apps.DeepWalk(3), seed=1)
    with pytest.raises(ImportError, match=r"pip install 'gonextdoor\[udf\]'"):
        gnd.sample(GRAPH, one, seed=1)
    gnd.sample(GRAPH, gnd.App(steps=2), seed=1)
