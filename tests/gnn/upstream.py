"""Runs PyG's and DGL's own tests of loaders, samplers and walks on this package.

    DGLBACKEND=pytorch python tests/gnn/upstream.py pyg CHECKOUT
    DGLBACKEND=pytorch python tests/gnn/upstream.py dgl CHECKOUT [--only EXPRESSION]

CHECKOUT is a git repository of the library, with or without a work tree, or GONEXTDOOR_PYG_CHECKOUT and
GONEXTDOOR_DGL_CHECKOUT name them. The tests are those of the tag of the installed version, or of the latest tag before
it. They run twice, from a temporary folder: PyG's once with the plug-in alone, DGL's once with this package's names in
the place of DGL's (``upstream_names.py``), and both once as they are. Failures that ``upstream_left_out.py`` does not
explain, and explanations that explain nothing, make the exit status 1. Nothing of the libraries' sources is kept.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from dataclasses import dataclass

from upstream_left_out import LEFT_OUT

HERE = pathlib.Path(__file__).resolve().parent
PATHS = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]

# Python 3.11 may fail to parse a file while the garbage collector runs finalizers, as it does after tests with workers:
# so pytest is to parse none for its reports.
PYTEST = (
    "-p", "upstream_names", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-q", "--no-header", "--tb=native",
    "--assert=plain", "--timeout=600", "-W", "ignore",
)  # fmt: skip


@dataclass(frozen=True)
class Library:
    """A library whose tests are run.

    Attributes:
        package: its name on PyPI. tag: how its tags are made of versions.
        folders: the folders that are copied from the repository.
        path: folders that its tests import from.
        tests: the files and folders that are run, each group in a process.
    """

    package: str
    tag: str
    folders: tuple[str, ...]
    path: tuple[str, ...]
    tests: tuple[tuple[str, ...], ...]


LIBRARIES = {
    "pyg": Library(
        "torch-geometric",
        "{}",
        ("test",),
        (),
        (
            ("test/loader", "test/sampler", "test/transforms"),
            (
                "test/nn/conv/test_pna_conv.py",
                "test/nn/models",
                "test/utils/test_dropout.py",
                "test/utils/test_negative_sampling.py",
                "test/utils/test_ppr.py",
                "test/utils/test_subgraph.py",
                "test/utils/test_trim_to_layer.py",
            ),
        ),
    ),
    "dgl": Library(
        "dgl",
        "v{}",
        ("tests/backend", "tests/utils", "tests/python/common", "tests/python/pytorch"),
        ("tests",),
        (
            ("tests/python/common/dataloading", "tests/python/common/sampling"),
            ("tests/python/pytorch/dataloading",),
            (
                "tests/python/pytorch/graphbolt/impl/test_neighbor_sampler.py",
                "tests/python/pytorch/graphbolt/test_base.py",
                "tests/python/pytorch/graphbolt/test_dataloader.py",
                "tests/python/pytorch/graphbolt/test_feature_fetcher.py",
                "tests/python/pytorch/graphbolt/test_integration.py",
                "tests/python/pytorch/graphbolt/test_subgraph_sampler.py",
                "tests/python/pytorch/graphbolt/test_utils.py",
            ),
        ),
    ),
}


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers that compare: 2.8.0.post1 is (2, 8, 0, 1)."""
    return tuple(int(number) for number in re.findall(r"\d+", version.partition("+")[0]))


def git(checkout: pathlib.Path, *command: str) -> subprocess.CompletedProcess[bytes]:
    inside = checkout / ".git" if (checkout / ".git").exists() else checkout
    return subprocess.run(["git", f"--git-dir={inside}", *command], capture_output=True)


def tag_of(checkout: pathlib.Path, library: Library, version: str) -> str:
    """The tag of a version, or the latest one before it with the same first two numbers.

    Raises:
        SystemExit: there is none.
    """
    asked = git(checkout, "tag")
    if asked.returncode:
        raise SystemExit(f"{checkout} is no git repository: {asked.stderr.decode().strip()}")
    prefix = library.tag.format("")
    pattern = re.compile(re.escape(prefix) + r"\d+\.\d+\.\d+(\.post\d+)?")
    tags = {numbers(tag): tag for tag in asked.stdout.decode().split() if pattern.fullmatch(tag)}
    wanted = numbers(version)
    before = [found for found in tags if found[:2] == wanted[:2] and found <= wanted]
    if not before:
        raise SystemExit(f"{checkout} has no tag for {library.package} {version}; fetch its tags")
    return tags[max(before)]


def extract(checkout: pathlib.Path, tag: str, folders: tuple[str, ...], into: pathlib.Path) -> None:
    archive = into / "tests.tar"
    made = git(checkout, "archive", f"--output={archive}", tag, *folders)
    if made.returncode:
        raise SystemExit(f"git archive {tag}: {made.stderr.decode().strip()}")
    with tarfile.open(archive) as file:
        file.extractall(into, filter="data")
    archive.unlink()


def run(name: str, library: Library, folder: pathlib.Path, theirs: bool, only: str) -> dict[str, dict[str, object]]:
    """The outcome of each test."""
    outcomes: dict[str, dict[str, object]] = {}
    for number, tests in enumerate(library.tests):
        report = folder / f"{'theirs' if theirs else 'ours'}{number}.json"
        environment = {
            **os.environ,
            "DGLBACKEND": "pytorch",
            "OMP_NUM_THREADS": "2",  # more wait for each other where other processes need the cores; fewer fail a test
            "PYTHONPATH": os.pathsep.join([str(HERE), *(str(folder / part) for part in library.path), *PATHS]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "GONEXTDOOR_UPSTREAM": name + "-theirs" * theirs,
            "GONEXTDOOR_UPSTREAM_REPORT": str(report),
        }
        command = [sys.executable, "-m", "pytest", *PYTEST, f"--rootdir={folder}", *(["-k", only] if only else [])]
        output = report.with_suffix(".txt")
        with output.open("w") as file:
            status = subprocess.run([*command, *tests], cwd=folder, env=environment, stdout=file, stderr=file)
        if status.returncode == 5:  # --only has left no test
            continue
        if not report.exists():
            raise SystemExit(f"pytest ended with status {status.returncode}:\n{output.read_text()[-4000:]}")
        if status.returncode not in (0, 1):
            print(f"pytest ended with status {status.returncode}, see the test without an outcome", file=sys.stderr)
        outcomes |= json.loads(report.read_text())
    return outcomes


def explained(name: str, test: str) -> str | None:
    """The pattern of the list that a test falls under."""
    return next((pattern for pattern in LEFT_OUT[name] if fnmatch.fnmatchcase(test, pattern)), None)


def compare(name: str, ours: dict[str, dict[str, object]], theirs: dict[str, dict[str, object]], only: str) -> int:
    """Prints what passes, what is skipped and what fails, each with its reason; the exit status."""
    counts = Counter(one["outcome"] for one in ours.values())
    used = sum(1 for one in ours.values() if one["outcome"] == "passed" and one["ours"])
    gained = sum(
        1 for test, one in ours.items()
        if one["outcome"] == "passed" and theirs.get(test, {}).get("outcome") != "passed"
    )  # fmt: skip
    how = f"{used} of them by calling gonextdoor" if used else f"{gained} of them not without the plug-in"
    print(f"{len(ours)} tests: {counts['passed']} pass, {how}; "
          f"{counts['skipped']} skipped, {counts['failed']} fail")  # fmt: skip
    plain = Counter(one["outcome"] for one in theirs.values())
    print(f"as they are: {plain['passed']} pass, {plain['skipped']} skipped, {plain['failed']} fail")
    for reason, count in Counter(one["why"] for one in ours.values() if one["outcome"] == "skipped").most_common():
        print(f"  skipped {count}: {reason}")
    needed: Counter[str] = Counter()
    bad = 0
    for test, one in ours.items():
        if one["outcome"] != "failed":
            continue
        pattern = explained(name, test)
        without = theirs.get(test, {}).get("outcome", "not run")
        if pattern is not None:
            needed[pattern] += 1
            continue
        bad += 1
        print(f"FAILS {test} ({without} as it is)\n    {str(one['why'])[:600]}")
    for pattern, reason in LEFT_OUT[name].items():
        if needed[pattern]:
            print(f"  left out {needed[pattern]}: {pattern}: {reason}")
        elif not only and not reason.startswith("downloads"):  # with a network those pass
            bad += 1
            print(f"NOT NEEDED {pattern}: no such test fails")
    return int(bad > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("checkout", nargs="?", type=pathlib.Path, help="a git repository of the library")
    parser.add_argument("--only", default="", help="an expression for pytest's -k")
    parser.add_argument("--keep", type=pathlib.Path, help="an empty folder for the outputs and reports of pytest")
    asked = parser.parse_args()
    variable = f"GONEXTDOOR_{asked.library.upper()}_CHECKOUT"
    checkout = asked.checkout or (pathlib.Path(os.environ[variable]) if variable in os.environ else None)
    if checkout is None:
        parser.error(f"name a git repository of {asked.library}, or set {variable}")
    library = LIBRARIES[asked.library]
    version = importlib.metadata.version(library.package)
    tag = tag_of(checkout, library, version)
    print(f"{library.package} {version}, tests of {tag}", flush=True)
    with tempfile.TemporaryDirectory() as work:
        folder = asked.keep.resolve() if asked.keep else pathlib.Path(work)
        folder.mkdir(exist_ok=True)
        extract(checkout, tag, library.folders, folder)
        ours = run(asked.library, library, folder, False, asked.only)
        theirs = run(asked.library, library, folder, True, asked.only)
    return compare(asked.library, ours, theirs, asked.only)


if __name__ == "__main__":
    sys.exit(main())
