"""Compiles kernels/entries/*.cu to kernels/bin/*.fatbin: machine code (cubin) for each GPU architecture, and PTX.

The compiler is NVRTC from PyPI: no CUDA, no GPU and no C++ compiler is needed. Results are cached in the user's cache
folder by a hash of all inputs, so a change recompiles only the affected entries, and another checkout or Python version
recompiles none. GONEXTDOOR_CUDA_ARCHS selects the targets:

    unset       PTX, and machine code for the GPUs of this machine
    all         PTX, and machine code for every architecture, as in a wheel
    70,90,ptx   exactly these
    none        nothing: no GPU support

    python build_backend/nvrtc.py [--tests] [NAME ...]    compiles; prints the compiled files and the time

With --tests it compiles kernels/testkernels/*.cu to kernels/testkernels/bin instead: kernels used only by tests. The
emulated driver compiles them itself, so only a real GPU needs them here, and no wheel holds them.
"""

from __future__ import annotations

import concurrent.futures
import ctypes
import hashlib
import multiprocessing
import os
import pathlib
import re
import sys
import time
from typing import NamedTuple

import gpus
import toolchain

FOLDER = toolchain.ROOT / "kernels"
BIN = FOLDER / "bin"
TESTS = "testkernels"  # the folder of test kernels within FOLDER, and of their sources
ARCHITECTURES = ("70", "75", "80", "86", "89", "90", "100", "120")
# The driver compiles PTX for GPUs without machine code in the package, for every GPU from this one on. NVRTC labels it
# with CUDA 12.9's version of the language, which drivers before 575 refuse. It uses nothing that CUDA 12.0 lacks, so it
# is labelled as that one's: tests/gpu/test_gpu_targets.py has CUDA 12.0's assembler read it.
PTX = "70"
PTX_VERSION = "8.0"
# A hint to the assembler that NVRTC writes for some loads. Newer assemblers refuse it under a version before 8.3.
NEWER_HINT = rb'^\s*\.pragma "used_bytes_mask [^"]*";\n'
# -fmad=false: computed weights are bit-identical to the host's.
OPTIONS = ("-std=c++17", "-fmad=false", "-default-device")
DAYS_KEPT = 30  # cached files unused for longer are deleted


class Piece(NamedTuple):
    """One entry for one architecture."""

    source: pathlib.Path
    target: str  # sm_90, or compute_70 for PTX
    kept: pathlib.Path


def targets() -> list[str]:
    """Returns the targets that GONEXTDOOR_CUDA_ARCHS selects, such as ["sm_70", "compute_70"]; empty for none.

    Raises:
        SystemExit: it names no architecture, or one that the compiler or the kernels do not support.
    """
    words = os.environ.get("GONEXTDOOR_CUDA_ARCHS", "").replace(",", " ").split()
    if words == ["none"]:
        return []
    if words == ["all"]:
        words = [*ARCHITECTURES, "ptx"]
    elif not words:
        words = [*_native(), "ptx"]
    known = _supported()
    for word in words:
        if word != "ptx" and (not re.fullmatch(r"\d{2,3}[af]?", word) or word.rstrip("af") not in known):
            raise SystemExit(
                f"gonextdoor: GONEXTDOOR_CUDA_ARCHS: {word!r} is not an architecture that kernels can be compiled for: "
                f"name some of {', '.join(known)} and ptx, or all or none alone"
            )
    words = list(dict.fromkeys(words))
    return [f"sm_{w}" for w in words if w != "ptx"] + [f"compute_{PTX}" for w in words if w == "ptx"]


def _native() -> list[str]:
    """The architectures of this machine's GPUs that get machine code. GPUs newer than the compiler take the PTX."""
    known = _supported()
    return [capability for capability in gpus.present() if capability in known]


def _supported() -> list[str]:
    """The architectures that the compiler knows and the kernels run on."""
    nvrtc, count = _library("nvrtc"), ctypes.c_int()
    _check(nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    known = (ctypes.c_int * count.value)()
    _check(nvrtc.nvrtcGetSupportedArchs(known))
    return [str(a) for a in known if a >= int(PTX)]


def build(names: list[str] | None = None, *, tests: bool = False) -> list[Piece]:
    """Brings the compiled kernels up to date.

    Args:
        names: the entries to compile; None or empty for all.
        tests: compile the test kernels, instead of those in the wheel.

    Returns:
        The pieces that had to be compiled.
    """
    wanted = targets() if toolchain.for_gpu() else []
    entries, to = (FOLDER / TESTS, FOLDER / TESTS / "bin") if tests else (FOLDER / "entries", BIN)
    sources = sorted(entries.glob("*.cu"))
    if not wanted:
        for old in (*to.glob("*.fatbin"), to / "targets.txt"):
            old.unlink(missing_ok=True)
        return []
    compiler, cache = _compiler(), toolchain.cache_folder() / "kernels"
    cache.mkdir(parents=True, exist_ok=True)
    named = [s for s in sources if not names or s.stem in names]
    pieces = {s: [Piece(s, t, cache / f"{s.stem}.{t}.{_key(s, t, compiler)}") for t in wanted] for s in named}
    missing = [p for t in range(len(wanted)) for p in (of[t] for of in pieces.values()) if not p.kept.exists()]
    _compile_all(missing)
    to.mkdir(exist_ok=True)
    for source, of in pieces.items():
        _join(of, to / f"{source.stem}.fatbin")
    _write(to / "targets.txt", " ".join(wanted).encode())
    for old in to.glob("*.fatbin"):
        if not (entries / f"{old.stem}.cu").exists():
            old.unlink()
    _forget(cache)
    return missing


def _compiler() -> str:
    """Identifies the compiler."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _library("nvrtc").nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value} {_path('nvrtc').stat().st_size}"


def _key(source: pathlib.Path, target: str, compiler: str) -> str:
    """A hash of the entry, all files that it includes, and the compiler's options."""
    h = hashlib.sha256(f"{compiler}\0{target}\0{OPTIONS}\0{PTX_VERSION}\0{NEWER_HINT!r}\0".encode())
    for f in sorted(_included(source)):
        h.update(f"{f.relative_to(FOLDER)}\0".encode() + f.read_bytes() + b"\0")
    return h.hexdigest()[:24]


def _included(source: pathlib.Path, seen: set[pathlib.Path] | None = None) -> set[pathlib.Path]:
    seen = {source} if seen is None else seen
    for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', source.read_text(), re.M):
        f = FOLDER / name
        if f not in seen and f.exists():
            seen.add(f)
            _included(f, seen)
    return seen


def _compile_all(pieces: list[Piece]) -> None:
    if not pieces:
        return
    print(f"+ NVRTC: {len(pieces)} pieces of {len({p.source for p in pieces})} kernel files", flush=True)
    # Processes: NVRTC lets one thread of a process compile at a time. Forked, since no threads were started yet, and a
    # spawned one would run the build's own script again.
    context = multiprocessing.get_context("fork")
    workers = min(len(pieces), len(os.sched_getaffinity(0)))
    with concurrent.futures.ProcessPoolExecutor(workers, context) as pool:
        for failed in pool.map(_compile, pieces):
            if failed:
                raise SystemExit(f"gonextdoor: {failed}")


def _compile(piece: Piece) -> str:
    """Compiles one piece into the cache. Returns the compiler's messages if it fails."""
    nvrtc = _library("nvrtc")
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    text = piece.source.read_bytes()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, piece.source.name.encode(), 0, None, None))
    options = [o.encode() for o in (f"-arch={piece.target}", *OPTIONS, f"-I{FOLDER}")]
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if status:
        _check(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
        log = ctypes.create_string_buffer(size.value)
        _check(nvrtc.nvrtcGetProgramLog(program, log))
        return f"{piece.source.name} for {piece.target}: NVRTC error {status}\n{log.value.decode(errors='replace')}"
    kind = "CUBIN" if piece.target.startswith("sm_") else "PTX"
    _check(getattr(nvrtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size)))
    made = ctypes.create_string_buffer(size.value)
    _check(getattr(nvrtc, f"nvrtcGet{kind}")(program, made))
    _check(nvrtc.nvrtcDestroyProgram(ctypes.byref(program)))
    if not piece.kept.name.endswith(_key(piece.source, piece.target, _compiler())):  # it would be found by a wrong key
        return f"{piece.source.name}: a kernel file changed during the build; build again"
    _write(piece.kept, made.raw if kind == "CUBIN" else _labelled(made.raw))
    return ""


def _labelled(ptx: bytes) -> bytes:
    """PTX labelled as PTX_VERSION, without what that version lacks."""
    text, changed = re.subn(rb"^\.version \d+\.\d+$", b".version " + PTX_VERSION.encode(), ptx, count=1, flags=re.M)
    if not changed:
        raise SystemExit(
            "gonextdoor: the compiler's PTX names no version: this is another NVRTC than the build asks for"
        )
    return re.sub(NEWER_HINT, b"", text, flags=re.M)


def _join(pieces: list[Piece], out: pathlib.Path) -> None:
    """Writes the pieces of an entry as one compressed fatbin, unless it exists already."""
    fatbin = _library("nvfatbin")
    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = [b"-64", b"-compress-all", b"-host=linux"]
    _check(fatbin.nvFatbinCreate(ctypes.byref(handle), (ctypes.c_char_p * 3)(*options), ctypes.c_size_t(3)))
    for p in pieces:
        data, arch = p.kept.read_bytes(), p.target.partition("_")[2].encode()
        p.kept.touch()  # marks it as used
        if p.target.startswith("sm_"):
            _check(fatbin.nvFatbinAddCubin(handle, data, ctypes.c_size_t(len(data)), arch, p.source.name.encode()))
        else:
            _check(fatbin.nvFatbinAddPTX(handle, data, ctypes.c_size_t(len(data)), arch, p.source.name.encode(), None))
    _check(fatbin.nvFatbinSize(handle, ctypes.byref(size)))
    made = ctypes.create_string_buffer(size.value)
    _check(fatbin.nvFatbinGet(handle, made))
    _check(fatbin.nvFatbinDestroy(ctypes.byref(handle)))
    _write(out, made.raw)


def _path(name: str) -> pathlib.Path:
    part = toolchain.cuda_part(name)
    if part is None:
        raise SystemExit(
            f"gonextdoor: compiling kernels needs {' '.join(toolchain.CUDA_FROM_PYPI)}: pip install them "
            "(GONEXTDOOR_CUDA_ARCHS=none builds without GPU support)"
        )
    return next((part / "lib").glob(f"lib{name}.so.*"))


def _library(name: str) -> ctypes.CDLL:
    return ctypes.CDLL(str(_path(name)))


def _check(status: int) -> None:
    if status:
        raise SystemExit(f"gonextdoor: the compiler of the kernels gave error {status}")


def _write(path: pathlib.Path, data: bytes) -> None:
    if path.exists() and path.read_bytes() == data:
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)


def _forget(cache: pathlib.Path) -> None:
    for f in cache.iterdir():
        if time.time() - f.stat().st_mtime > 86400 * DAYS_KEPT:
            f.unlink(missing_ok=True)


if __name__ == "__main__":
    start = time.monotonic()
    compiled = build([name for name in sys.argv[1:] if name != "--tests"], tests="--tests" in sys.argv)
    names = sorted({p.source.stem for p in compiled})
    print(f"compiled {len(compiled)} pieces in {time.monotonic() - start:.1f} s:", *names)
