"""Makes a folder with a CPython for aarch64, for qemu-aarch64 -L: python build_backend/arm64.py VERSION

apt downloads Debian's packages into the build's cache folder and unpacks them there; nothing is installed. Needs apt
and dpkg-deb with Debian as a source, and qemu-aarch64 (package qemu-user).
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import toolchain

SUITES = {"3.11": "bookworm", "3.13": "trixie", "3.14": "sid"}  # Debian releases with a Python of that version
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
    if version not in SUITES:
        raise Unavailable(f"no Debian release has Python {version} for aarch64")
    if not KEYS.exists():
        raise Unavailable(f"{KEYS}, with which Debian's packages are verified, does not exist")
    folder = toolchain.cache_folder() / f"arm64-{SUITES[version]}"
    if not (folder / "usr" / "bin" / f"python{version}").exists():
        _fill(folder, version)
    return folder


def _fill(folder: pathlib.Path, version: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    work = folder.with_name(f"{folder.name}-packages")
    archives = work / "cache" / "archives"
    for part in (archives / "partial", work / "state" / "lists" / "partial"):
        part.mkdir(parents=True, exist_ok=True)
    (work / "status").touch()
    (work / "sources.list").write_text(f"deb [signed-by={KEYS}] {_mirror()} {SUITES[version]} main\n")
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
    packages = [f"python{version}-minimal", f"libpython{version}-stdlib", "libstdc++6"]  # NumPy needs libstdc++
    for words in (["update"], ["install", "--yes", "--download-only", "--no-install-recommends", *packages]):
        done = subprocess.run([*apt, *words], capture_output=True, text=True)
        if done.returncode:
            raise Unavailable(f"apt-get {words[0]} failed: {done.stderr.strip()}")
    partial = folder.with_name(f"{folder.name}-partial")
    shutil.rmtree(partial, ignore_errors=True)
    # Since Debian 13 the folders are links into usr, but not all packages unpack to there.
    for name in ("bin", "lib", "sbin"):
        (partial / "usr" / name).mkdir(parents=True, exist_ok=True)
        (partial / name).symlink_to(f"usr/{name}")
    for package in archives.glob("*.deb"):
        files = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE)
        # --keep-directory-symlink: the links above stay.
        subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", str(partial)], stdin=files.stdout, check=True)
        if files.wait():
            raise Unavailable(f"dpkg-deb failed on {package.name}")
    partial.rename(folder)
    shutil.rmtree(work)


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
