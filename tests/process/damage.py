"""Damaged folders and .npz files: a program that makes them, uses them, and prints what it got for each.

    python damage.py folder|npz|live SEED COUNT FOLDER

Each case prints its number before and its outcome after, so that a process that dies names the case.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import pickle
import random
import shutil
import sys
import threading
import time
import zipfile

import numpy as np
from gonextdoor.errors import FormatError

import gonextdoor as gnd

FINE = (FormatError, MemoryError, OSError)


def light(ctx, edge, dst):
    return 1 + ctx.degree(dst)


def later(ctx, edge, dst):
    return 1 + ctx.degree(dst) + ctx.step


def wide(ctx):
    return ctx.width


HOOKED = gnd.App(edge_bias=later, steps=4)  # called while a walk is made
TABLED = gnd.App(edge_bias=light, steps=4)  # called before, for all edges


def graphs(folder: pathlib.Path) -> list[pathlib.Path]:
    """Folders with every kind of array."""
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, 60, 400), rng.integers(0, 60, 400)
    more = {"weights": rng.random(400), "labels": rng.integers(0, 3, 400), "times": rng.integers(0, 99, 400)}
    (folder / "text.txt").write_text("".join(f"n{u} m{v}\n" for u, v in zip(src, dst, strict=True)))
    (folder / "numbers.txt").write_text("".join(f"{7 * u} {9 * v} {u + 1}\n" for u, v in zip(src, dst, strict=True)))
    made = {
        "plain": gnd.rmat(6, 6, seed=1),
        "all": gnd.Graph.from_edges(src, dst, **more),
        "wide": gnd.Graph.from_csr([0, 2, 3], [0, 1, 1], edge_ids=[1 << 40, 3, 5]),
        "text": gnd.read(folder / "text.txt"),
        "numbers": gnd.read(folder / "numbers.txt"),
        "empty": gnd.Graph.from_edges([], [], num_vertices=3),
    }
    for name, graph in made.items():
        graph.save(folder / name)
    return [folder / name for name in made]


def mutate(folder: pathlib.Path, r: random.Random) -> str:
    """Damages a folder."""
    names = sorted(os.listdir(folder))
    path = folder / r.choice(names)
    data = bytearray(path.read_bytes())
    how = r.choice(["bits", "cut", "grow", "head", "json", "json", "swap", "odd", "values", "remade"])
    if how == "bits":
        for _ in range(r.choice([1, 1, 3, 20])):
            data[r.randrange(len(data))] ^= 1 << r.randrange(8)
    elif how == "cut":
        del data[r.randrange(len(data)) :]
    elif how == "grow":
        data += r.randbytes(r.choice([1, 8, 4096, 9000]))
    elif how == "head":
        data[: r.choice([10, 60, 128])] = r.randbytes(r.choice([0, 10, 60, 128]))
    elif how == "values":
        at = min(128, len(data))
        data[at:] = r.choice([b"\xff", b"\0", b"\x7f", b"\x80"]) * (len(data) - at)
    if how == "json":
        record = json.loads((folder / "graph.json").read_text())
        spot, key = record, r.choice(sorted(record))
        if key == "arrays" and r.random() < 0.8:
            spot = record["arrays"][r.choice(sorted(record["arrays"]))]
            key = r.choice(sorted(spot))
        spot[key] = r.choice([
            None, -1, 0, 1, 1 << 31, 1 << 40, (1 << 63) - 1, 1 << 64, 1e300, "", "x", "<", "<u8", [], [0], [-1],
            [1 << 62], {}, True, "\udc80", [1, 2], "00000000",
        ])  # fmt: skip
        if r.random() < 0.2:
            spot.pop(key)
        path, data = folder / "graph.json", bytearray(json.dumps(record).encode())
    elif how == "swap" and len(names) > 1:
        other = folder / r.choice(names)
        data = bytearray(other.read_bytes())
    elif how == "odd":
        path.unlink()
        kind = r.choice(["fifo", "folder", "loop", "null", "zero", "none", "self"])
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        elif kind != "none":
            target = {"loop": path, "null": "/dev/null", "zero": "/dev/zero", "self": folder / r.choice(names)}[kind]
            path.symlink_to(target)
        return f"{kind} {path.name}"
    path.write_bytes(data)
    if how == "remade" and path.suffix == ".npy":  # other values with the right checksum
        remake(folder, path.stem, r)
    return f"{how} {path.name}"


def remake(folder: pathlib.Path, name: str, r: random.Random) -> None:
    array = np.load(folder / f"{name}.npy")
    flat = array.view(np.uint8).copy()
    for _ in range(r.choice([1, 5])):
        if flat.size:
            flat[r.randrange(flat.size)] = r.choice([0, 1, 127, 128, 255])
    with open(folder / f"{name}.npy", "r+b") as file:
        file.seek(128)
        file.write(flat.tobytes())
    record = json.loads((folder / "graph.json").read_text())
    record["arrays"][name]["crc32c"] = f"{crc32c(flat.tobytes()):08x}"
    (folder / "graph.json").write_text(json.dumps(record))


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def use(folder: pathlib.Path, r: random.Random) -> None:
    """Opens, inspects, samples, saves and pickles, each in spite of what failed before; raises the first failure."""
    graph = gnd.Graph.open(folder) if r.random() < 0.8 else gnd.read(folder, weight=r.choice(["auto", False]))
    failed: list[Exception] = []
    roots = [0] if graph.num_vertices else []
    calls = [
        lambda: (repr(graph), graph.weighted, graph.num_edges),
        lambda: graph.weights,
        lambda: graph.vertex_names,
        lambda: pickle.loads(pickle.dumps(graph)),
        lambda: gnd.sample(graph, gnd.apps.DeepWalk(4), roots, seed=1).numpy(),
        lambda: gnd.sample(graph, HOOKED, roots, seed=1).numpy(),
        lambda: gnd.sample(graph, TABLED, roots, seed=1).numpy(),
        lambda: gnd.sample(graph, gnd.apps.Snowball(2), roots, seed=1),
        lambda: gnd.PGSampler([3, 3], seed=1).sample(graph, np.array(roots, np.int64)),
        lambda: gnd.NeighborSampler(gnd.HeteroGraph({("a", "r", "a"): graph}, {"a": graph.num_vertices}), [2]),
        lambda: graph.reverse(),
        lambda: graph.save(folder.with_name("saved")),
    ]
    r.shuffle(calls)
    for call in calls:
        try:
            call()
        except Exception as error:  # noqa: PERF203
            failed.append(error)
    for error in failed:
        if not isinstance(error, FINE):
            raise error
    if failed:
        raise failed[0]


def folder_case(bases: list[pathlib.Path], r: random.Random) -> str:
    target = bases[0].with_name("damaged")
    shutil.copytree(r.choice(bases), target)
    try:
        said = mutate(target, r)
        if r.random() < 0.2 and all(path.is_file() for path in target.iterdir()):
            with contextlib.suppress(Exception):  # what cannot be damaged once more
                said += " and " + mutate(target, r)
        return said + ": " + outcome(lambda: use(target, r))
    finally:
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(target.with_name("saved"), ignore_errors=True)


def matrices(folder: pathlib.Path) -> list[pathlib.Path]:
    """Matrices in each format that save_npz writes."""
    from scipy import sparse

    matrix = sparse.random(40, 40, 0.1, random_state=1)
    made = []
    for kind in ("csr", "csc", "coo", "bsr", "dia"):
        sparse.save_npz(folder / f"{kind}.npz", matrix.asformat(kind), compressed=kind != "csc")
        made.append(folder / f"{kind}.npz")
    return made


def npz_case(bases: list[pathlib.Path], r: random.Random) -> str:
    target = bases[0].with_name("damaged.npz")
    base = r.choice(bases)
    how = r.choice(["bytes", "entry", "entry", "entry", "drop", "cut", "shape", "format"])
    data = bytearray(base.read_bytes())
    if how == "bytes":
        for _ in range(r.choice([1, 3, 30])):
            data[r.randrange(len(data))] ^= 1 << r.randrange(8)
    elif how == "cut":
        del data[r.randrange(len(data)) :]
    else:
        with np.load(base) as file:
            entries = {name: file[name] for name in file.files}
        name = {"shape": "shape", "format": "format"}.get(how) or r.choice(sorted(entries))
        if how == "drop":
            del entries[name]
        elif how == "format":
            entries[name] = np.array(r.choice([b"csr", b"csc", b"bsr", b"dia", b"coo", b"lil", b"x", "csr", 5]))
        else:
            entries[name] = other(entries[name], r)
        written = io.BytesIO()
        np.savez(written, **entries)
        data = bytearray(written.getvalue())
        if how == "entry" and r.random() < 0.2:
            data = header(data, r)
    target.write_bytes(data)
    options = r.choice([{}, {"symmetric": True}, {"weight": False}, {"weight": True}])
    return f"{base.stem} {how} {options}: " + outcome(lambda: verified(gnd.read(target, **options)))


def other(array: np.ndarray, r: random.Random) -> np.ndarray:
    """The array with other values, dtype or shape."""
    if array.dtype.kind not in "biuf":
        return np.zeros(3)
    wide = array.astype(
        r.choice([np.int64, np.int32, np.uint64, np.int8, np.float64]) if r.random() < 0.4 else array.dtype
    )
    flat = wide.reshape(-1).copy()
    odd = [-1, -5, 40, 39, 41, 127, -128, 2**31 - 1, -(2**31), 2**31, 2**40, -(2**40), 2**63 - 1, -(2**63), 500_000]
    with np.errstate(all="ignore"):
        for _ in range(r.choice([0, 1, 1, 4])):
            if flat.size:
                flat[r.randrange(flat.size)] = np.array(r.choice(odd)).astype(flat.dtype)
    shape = r.choice([wide.shape] * 6 + [(-1,), (1, -1), (-1, 1)])
    flat = flat.reshape(shape)
    return flat[: r.randrange(len(flat) + 1)] if flat.ndim and r.random() < 0.2 else flat


def header(data: bytearray, r: random.Random) -> bytearray:
    """The archive with another shape in the header of one of its arrays."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as old, zipfile.ZipFile(written, "w") as new:
        for entry in old.namelist():
            text = old.read(entry)
            if r.random() < 0.4:
                text = text.replace(b"(4", r.choice([b"(5", b"(9", b"(-"]), 1)
            new.writestr(entry, text)
    return bytearray(written.getvalue())


def verified(graph: gnd.Graph) -> None:
    """What was read is a graph after all."""
    assert (np.diff(graph.indptr) >= 0).all() and int(graph.indptr[-1]) == graph.num_edges == len(graph.indices)
    assert not graph.num_edges or 0 <= int(graph.indices.min()) <= int(graph.indices.max()) < graph.num_vertices
    gnd.sample(graph, gnd.apps.DeepWalk(2), [0] if graph.num_vertices else [], seed=1)


def live_bases(folder: pathlib.Path) -> list[pathlib.Path]:
    gnd.rmat(12, 16, weights=(1, 5), seed=1).save(folder / "weighted")
    gnd.rmat(12, 16, seed=1).save(folder / "plain")
    return [folder / "weighted", folder / "plain"]


def live_case(bases: list[pathlib.Path], r: random.Random) -> str:
    """Cuts or overwrites a file while, or before, the graph is sampled."""
    target = bases[0].with_name("live")
    shutil.copytree(r.choice(bases), target)
    graph = gnd.Graph.open(target)
    roots = np.arange(0, graph.num_vertices, 4)
    calls = {
        "walk": lambda: gnd.sample(graph, gnd.apps.DeepWalk(40), roots, seed=1),
        "node2vec": lambda: gnd.sample(graph, gnd.apps.Node2Vec(2, 0.5, 20), roots, seed=1),
        "hook": lambda: gnd.sample(graph, HOOKED, roots, seed=1),
        "table": lambda: gnd.sample(graph, TABLED, roots, seed=1),
        "layers": lambda: gnd.sample(graph, gnd.apps.LADIES([50, 50]), roots[:512].reshape(-1, 64)),
        "snowball": lambda: gnd.sample(graph, gnd.apps.Snowball(2, fanout=3), roots[:100]),
        "batch": lambda: gnd.PGSampler([10, 10], seed=1).sample(graph, roots[:500]),
        "hetero": lambda: gnd.NeighborSampler(
            gnd.HeteroGraph({("a", "r", "a"): graph}, {"a": graph.num_vertices}), [5, 5]
        ).draw({"a": roots[:500]}, 1),
        "visits": lambda: gnd.visit_counts(graph, gnd.apps.DeepWalk(10), roots, seed=1),
        "weights": lambda: graph.weights,
        "pickle": lambda: pickle.dumps(graph),
        "save": lambda: graph.save(target.with_name("saved")),
        "reverse": lambda: graph.reverse(),
    }
    name = r.choice(sorted(calls))
    damage = r.choice(["cut", "values", "noise"])
    file = r.choice([path for path in sorted(target.iterdir()) if path.suffix == ".npy"])
    if r.random() < 0.5:
        gnd.sample(graph, gnd.apps.DeepWalk(2), [0], seed=1)  # checked before

    def spoil() -> None:
        if damage == "cut":
            os.truncate(file, r.choice([0, 128, 200, 4096]))
            return
        with open(file, "r+b") as handle:
            size = os.fstat(handle.fileno()).st_size
            handle.seek(r.choice([128, 136, 4096]))
            handle.write(r.choice([b"\xff", b"\x7f", b"\1"]) * size if damage == "values" else r.randbytes(size))

    thread = threading.Timer(r.choice([0, 0.0005, 0.002, 0.01]), spoil)
    try:
        if r.random() < 0.4:
            spoil()
            said = outcome(calls[name])
        else:
            thread.start()
            said = outcome(lambda: [calls[name]() for _ in range(3)])
            thread.join()
        after = outcome(calls["walk" if name == "weights" else name])  # weights are kept from before
        if not after.startswith("FormatError"):
            return f"{name} {damage} {file.name}: ODD the call after the damage: {after}"
        return f"{name} {damage} {file.name}: {said}"
    finally:
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(target.with_name("saved"), ignore_errors=True)


def outcome(call) -> str:
    try:
        call()
        return "fine"
    except FINE as error:
        return type(error).__name__ + " " + str(error)[:60]
    except Exception as error:
        return f"ODD {type(error).__name__} {error}".replace("\n", " ")[:600]


CASES = {"folder": (graphs, folder_case), "npz": (matrices, npz_case), "live": (live_bases, live_case)}

if __name__ == "__main__":
    kind, seed, count, place = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4])
    prepare, case = CASES[kind]
    bases = prepare(place)
    begun = time.monotonic()
    for number in range(seed, seed + count):
        print(number, end=" ", flush=True)
        print(case(bases, random.Random(number)), flush=True)
    print(f"done in {time.monotonic() - begun:.1f} s")
