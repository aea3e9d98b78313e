"""Graphs and streams that are saved to and opened from object storage, also when requests fail."""

import multiprocessing
import pickle
import threading

import fsspec
import pytest
from corpus import hetero
from fsspec.implementations.memory import MemoryFileSystem
from gonextdoor.storage import reading

import gonextdoor as gnd

TARGET = "failing://bucket/graph"


class Failing(MemoryFileSystem):
    """Files in memory, of which requests fail: each n-th, or all from the n-th on. A write that fails leaves a file."""

    protocol = "failing"
    each = first = requests = 0
    lock = threading.RLock()

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("failing://"))

    @classmethod
    def fail(cls, each=0, first=0):
        cls.each, cls.first, cls.requests = each, first, 0

    def _request(self, what):
        with Failing.lock:
            Failing.requests += 1
            number = Failing.requests
        if (Failing.each and number % Failing.each == 0) or (Failing.first and number >= Failing.first):
            raise OSError(f"request {number}, {what}, fails")

    def _open(self, path, mode="rb", **kwargs):
        try:
            self._request(f"{mode} {path}")
        except OSError:
            if mode == "wb":
                super()._open(path, mode, **kwargs).write(b"{")
            raise
        return super()._open(path, mode, **kwargs)

    def info(self, path, **kwargs):
        self._request(f"info {path}")
        return super().info(path, **kwargs)

    def find(self, path, *args, **kwargs):
        self._request(f"find {path}")
        return super().find(path, *args, **kwargs)

    def rm_file(self, path):
        self._request(f"rm {path}")
        return super().rm_file(path)

    def cp_file(self, path1, path2, **kwargs):
        self._request(f"cp {path1}")
        return super().cp_file(path1, path2, **kwargs)

    def makedirs(self, path, exist_ok=False):
        self._request(f"makedirs {path}")
        return super().makedirs(path, exist_ok)


@pytest.fixture(autouse=True)
def storage(monkeypatch):
    fsspec.register_implementation("failing", Failing, clobber=True)
    for module in ("reading", "writing"):
        monkeypatch.setattr(f"gonextdoor.storage.{module}.FIRST_PAUSE", 1e-4)
    Failing.fail()
    emptied()
    yield Failing
    Failing.fail()
    emptied()


def emptied():
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]


def files():
    return sorted(MemoryFileSystem.store)


GRAPH = gnd.rmat(6, 4, seed=1)
TYPED = hetero(weighted=True)


def equal(found):
    """Whether a graph that was opened is the one that was saved."""
    if isinstance(found, gnd.Graph):
        return found.equals(GRAPH)
    return all(found.relations[name].equals(graph) for name, graph in TYPED.relations.items())


def opened_parts():
    parts = gnd.partition.open(TARGET)
    app = gnd.apps.DeepWalk(4)
    walks = gnd.partition.sample(parts, app, range(20), seed=1).numpy()
    assert (walks == gnd.sample(GRAPH, app, range(20), seed=1).numpy()).all()
    return GRAPH


def opened_stream():
    stream = gnd.Stream.open(TARGET)
    resumed, again = stream.update([(3, 9), (7, 80)]), begun()
    update = again.update([(3, 9), (7, 80)])
    assert (resumed.rows == update.rows).all() and (resumed.samples.numpy() == update.samples.numpy()).all()
    return gnd.Stream.open(TARGET).graph


def begun():
    return gnd.stream(GRAPH, gnd.apps.DeepWalk(4), seed=1)


KINDS = {
    "graph": (lambda: GRAPH.save(TARGET), lambda: gnd.Graph.open(TARGET)),
    "hetero": (lambda: TYPED.save(TARGET), lambda: gnd.HeteroGraph.open(TARGET)),
    "stream": (lambda: begun().save(TARGET), opened_stream),
    "parts": (lambda: gnd.partition.write(GRAPH, TARGET, parts=2, hot=0.1), opened_parts),
}
EVERY = ["graph", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("hetero", "stream", "parts"))]  # slow


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_that_is_saved_is_opened(kind, cache):
    save, load = KINDS[kind]
    save()
    assert equal(load()) and not any("saving" in name for name in files())
    with pytest.raises(FileExistsError, match=f"= '{TARGET}': the folder has [0-9]+ files, such as"):
        save()
    assert equal(load())


@pytest.mark.parametrize("how", ["each", "first"])
@pytest.mark.parametrize("kind", EVERY)
def test_requests_that_fail_while_a_graph_is_saved(kind, how, monkeypatch, tmp_path):
    save, load = KINDS[kind]
    save()
    total, last = Failing.requests, 0
    assert total > 10
    saved = 0
    for n in range(1, 2 * total):
        emptied()
        Failing.fail(**{how: n})
        failed = False
        try:
            save()
        except OSError:
            failed = True
        last = Failing.requests
        Failing.fail()
        heads = [name for name in files() if name.count("/") == 3 and name.endswith(".json")]
        monkeypatch.setenv("GONEXTDOOR_CACHE", str(tmp_path / f"{how}{n}"))
        if not failed:
            assert equal(load())
            saved += 1
        elif heads:  # all is there, but for an answer
            assert equal(load())
        else:
            with pytest.raises(FileNotFoundError):
                load()
        if how == "first" and not failed and last < n:
            break
    else:
        assert how == "each"
    assert saved


@pytest.mark.parametrize("how", ["each", "first"])
@pytest.mark.parametrize("kind", EVERY)
def test_requests_that_fail_while_a_graph_is_opened(kind, how, monkeypatch, tmp_path):
    save, load = KINDS[kind]
    save()
    found = 0
    for n in range(1, 200):
        monkeypatch.setenv("GONEXTDOOR_CACHE", str(tmp_path / f"{how}{n}"))
        Failing.fail(**{how: n})
        try:
            assert equal(load())
            found += 1
        except OSError as error:
            assert "fails" in str(error)
        requests = Failing.requests
        Failing.fail()
        if requests < n:
            break
        assert equal(load())  # a copy that was not made complete is made now
    assert found and requests < n


def save_in_process(barrier, path, seed, results):
    graph = gnd.rmat(8, 8, seed=seed)
    barrier.wait()
    try:
        graph.save(f"local://{path}")
        results.put(seed)
    except FileExistsError:
        results.put(None)


def test_of_processes_that_save_to_one_folder_one_does(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(3), context.Queue()
    saving = [
        context.Process(target=save_in_process, args=(barrier, tmp_path / "graph", seed, results)) for seed in range(3)
    ]
    for process in saving:
        process.start()
    winners = [seed for seed in (results.get(timeout=120) for _ in saving) if seed is not None]
    for process in saving:
        process.join(60)
    assert len(winners) == 1
    assert gnd.Graph.open(tmp_path / "graph").equals(gnd.rmat(8, 8, seed=winners[0]))


def test_a_folder_that_a_killed_call_left_is_refused():
    MemoryFileSystem().pipe("/bucket/graph/.gonextdoor.saving", b"")
    with pytest.raises(FileExistsError, match=r"another call is saving .* delete the folder and save again"):
        GRAPH.save(TARGET)
    with pytest.raises(FileNotFoundError, match=r"expected the folder of a graph"):
        gnd.Graph.open(TARGET)


def test_a_graph_of_another_kind_is_refused():
    GRAPH.save(TARGET)
    with pytest.raises(gnd.FormatError, match=r"has a graph of one type: open it with gonextdoor.Graph.open"):
        gnd.HeteroGraph.open(TARGET)
    emptied()
    TYPED.save(TARGET)
    with pytest.raises(gnd.FormatError, match=r"open it with gonextdoor.HeteroGraph.open"):
        gnd.Graph.open(TARGET)
    emptied()
    gnd.partition.write(GRAPH, TARGET, parts=2)
    with pytest.raises(gnd.FormatError, match=r"open it with gonextdoor.partition.open"):
        gnd.Graph.open(TARGET)


def test_a_folder_that_changed_is_copied_again():
    GRAPH.save(TARGET)
    first = gnd.Graph.open(TARGET)
    emptied()
    other = gnd.rmat(5, seed=2)
    other.save(TARGET)
    assert gnd.Graph.open(TARGET).equals(other) and first.equals(GRAPH)


def test_a_stream_that_is_replaced_while_it_is_opened(monkeypatch):
    begun().save(TARGET)
    load = gnd.Graph.open

    def replaced(folder):
        graph = load(folder)
        emptied()
        later = begun()
        later.update([(3, 9)])
        later.save(TARGET)
        return graph

    monkeypatch.setattr(gnd.Graph, "open", replaced)
    with pytest.raises(gnd.FormatError, match=f"folder = '{TARGET}': another call replaced it while it was read"):
        gnd.Stream.open(TARGET)
    monkeypatch.undo()
    assert gnd.Stream.open(TARGET).batches == 1


def test_folders_that_have_no_stream():
    GRAPH.save(TARGET)
    with pytest.raises(FileNotFoundError, match=f"{TARGET}/stream.json: there is no such file"):
        gnd.Stream.open(TARGET)
    emptied()
    begun().save(TARGET)
    MemoryFileSystem().pipe("/bucket/graph/stream.json", b"{")
    with pytest.raises(gnd.FormatError, match=f"^{TARGET}/stream.json: the file is damaged"):
        gnd.Stream.open(TARGET)
    with pytest.raises(FileNotFoundError, match="expected the folder of a graph"):
        gnd.Graph.open(TARGET)
    assert gnd.Graph.open(f"{TARGET}/graph").equals(GRAPH)


def test_schemes_that_nothing_opens_are_refused():
    for call in (gnd.Graph.open, gnd.HeteroGraph.open, gnd.Stream.open, GRAPH.save, TYPED.save, begun().save):
        with pytest.raises(ValueError, match=r"folder = 'nothing://bucket/graph': neither pyarrow nor fsspec opens it"):
            call("nothing://bucket/graph")


def test_uris_of_this_machine_are_paths(tmp_path):
    for kind, saved in ((gnd.Graph, GRAPH), (gnd.Stream, begun())):
        uri = (tmp_path / kind.__name__).as_uri()
        saved.save(uri)
        found = kind.open(uri)
        assert equal(found if kind is gnd.Graph else found.graph)


def test_a_graph_of_a_uri_is_pickled():
    GRAPH.save(TARGET)
    graph = gnd.Graph.open(TARGET)
    assert graph.source.startswith("graph: the folder")
    assert pickle.loads(pickle.dumps(graph)).equals(GRAPH)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(edges_of, (graph,)) == GRAPH.num_edges


def edges_of(graph):
    return len(graph.indices)


def test_a_file_is_not_written_to_a_uri():
    with pytest.raises(ValueError, match=r"it is written on this machine; pass a path"):
        gnd.sample(GRAPH, gnd.apps.DeepWalk(4), [0], seed=1).save("s3://bucket/walks.npz")


@pytest.mark.parametrize(("word", "kind"), [("ACCESS_DENIED", PermissionError), ("NO_SUCH_BUCKET", FileNotFoundError)])
def test_refusals_of_s3_are_not_tried_again(word, kind):
    attempts = []

    def attempt():
        attempts.append(1)
        raise OSError(f"When uploading part: AWS Error {word} during UploadPart operation")

    with pytest.raises(kind, match=f"writing s3://bucket/graph: .*{word}"):
        reading.retried("writing s3://bucket/graph", attempt)
    assert attempts == [1]
