"""Build the emulated driver: libcuda.so.1 with all kernels and test kernels, and libnvrtc.so.12 in the same folder.

    python kernels/host/build.py             print the path of libcuda.so.1
    python kernels/host/build.py FOLDER      the same for a modified copy of the folder kernels

It needs a C++ compiler ($CXX, else g++ or clang++) and nothing else. A file is compiled again only if it, its includes,
the compiler or the options changed. Without a compiler it prints the reason and exits with status 3: tests are skipped.
"""

import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HOST = pathlib.Path(__file__).resolve().parent
KERNELS = HOST.parent
OUT = KERNELS.parent / "_gobuild" / "host"

KERNEL = ["-x", "c++", "-std=c++17", "-O2", "-fPIC", "-w", "-ffp-contract=off", "-fno-strict-aliasing", "-DND_HOST"]
DRIVER = ["-x", "c++", "-std=c++17", "-O2", "-fPIC", "-Wall", "-Wextra", "-Wno-cast-function-type"]
DRIVER += ["-fvisibility=hidden", "-U_FORTIFY_SOURCE"]


class NoCompilerError(Exception):
    """No C++ compiler was found."""


def compiler() -> str:
    """Returns the path of the C++ compiler."""
    for name in filter(None, [os.environ.get("CXX"), "g++", "c++", "clang++"]):
        if path := shutil.which(name):
            return path
    raise NoCompilerError(
        "the emulated driver needs a C++ compiler, g++ or clang++ (Debian, Ubuntu: sudo apt install g++)"
    )


def texts(kernels: pathlib.Path, name: str, seen: dict[str, str]) -> dict[str, str]:
    """Returns the texts of a file and of all its includes, by their paths within the folder kernels."""
    if name in seen:
        return seen
    seen[name] = (kernels / name).read_text()
    for included in re.findall(r'^\s*#\s*include\s+"([^"]+)"', seen[name], re.M):
        for path in (f"{pathlib.PurePosixPath(name).parent}/{included}", included):
            if (kernels / path).is_file():
                texts(kernels, path, seen)
                break
    return seen


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def compile_one(cxx: str, version: str, kernels: pathlib.Path, name: str, options: list[str]) -> pathlib.Path:
    """Returns the object file of a source, compiling it if necessary."""
    parts = [f"{path}\0{text}" for path, text in sorted(texts(kernels, name, {}).items())]
    target = OUT / "objects" / f"{pathlib.PurePosixPath(name).stem}-{digest(version, *options, *parts)}.o"
    if not target.exists():
        part = target.with_suffix(f".{os.getpid()}")
        command = [cxx, *options, f"-I{kernels}", "-c", str(kernels / name), "-o", str(part)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        part.rename(target)
    os.utime(target)
    return target


def link(cxx: str, folder: pathlib.Path, name: str, objects: list[pathlib.Path]) -> None:
    part = folder / f"{name}.{os.getpid()}"
    libraries = ["-pthread", "-ldl"] + (["-lstdc++fs"] if "nvrtc" in name else [])
    command = [cxx, "-shared", f"-Wl,-soname,{name}", "-Wl,-Bsymbolic", "-o", str(part), *map(str, objects), *libraries]
    subprocess.run(command, check=True, stdout=sys.stderr)
    part.rename(folder / name)


def sources(cxx: str, kernels: pathlib.Path) -> list[tuple[str, list[str]]]:
    """Returns all sources with their options, kernels first: they take longest."""
    words = [f'-DEMULATED_COMPILER="{cxx}"', f'-DEMULATED_FLAGS="{" ".join(KERNEL)}"']
    entries = sorted([*kernels.glob("entries/*.cu"), *kernels.glob("testkernels/*.cu")])
    return [(p.relative_to(kernels).as_posix(), KERNEL) for p in entries] + [
        (f"host/{p.name}", DRIVER + (words if p.stem == "nvrtc" else [])) for p in sorted(kernels.glob("host/*.cc"))
    ]


def build(kernels: pathlib.Path = KERNELS) -> pathlib.Path:
    """Compiles what changed, and returns the path of libcuda.so.1."""
    cxx = compiler()
    version = subprocess.run([cxx, "--version"], check=True, capture_output=True, text=True).stdout
    (OUT / "objects").mkdir(parents=True, exist_ok=True)
    with open(OUT / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda u: compile_one(cxx, version, kernels, *u), sources(cxx, kernels)))
        folder = OUT / digest(*map(str, objects))
        if not (folder / "libnvrtc.so.12").exists():
            folder.mkdir(exist_ok=True)
            link(cxx, folder, "libcuda.so.1", [o for o in objects if not o.name.startswith("nvrtc-")])
            link(cxx, folder, "libnvrtc.so.12", [o for o in objects if o.name.startswith("nvrtc-")])
        os.utime(folder)
        forget_old(folder)
    return folder / "libcuda.so.1"


def forget_old(present: pathlib.Path) -> None:
    """Removes libraries that are older than a day (other processes may use newer ones), and all but 600 objects."""
    for folder in OUT.iterdir():
        stale = folder.is_dir() and folder.name != "objects" and folder.stat().st_mtime < time.time() - 86400
        if stale and folder != present:
            shutil.rmtree(folder, ignore_errors=True)
    for old in sorted((OUT / "objects").iterdir(), key=lambda p: p.stat().st_mtime)[:-600]:
        old.unlink(missing_ok=True)


if __name__ == "__main__":
    try:
        print(build(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else KERNELS))
    except NoCompilerError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    except subprocess.CalledProcessError as error:
        print(f"{error.cmd[0]} failed", file=sys.stderr)
        sys.exit(1)
