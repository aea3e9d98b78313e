"""Nodes, parts, the parts that make files, and drivers are killed at random moments: rows are the same, each cohort in
flight is begun again once, and the run takes at most five seconds more.
"""

import collections
import functools
import random
import signal
import subprocess
import sys
import time

import daily
import gonextdoor.ray as gray
import numpy as np
import pyarrow.parquet as pq
import pytest
import ray
from conftest import BATCHES, CPUS, PARTS, Watch, end, expected, finished, living, same, wait
from gonextdoor.ranges import Ranges
from gonextdoor.ray import transport as transport_module
from gonextdoor.ray.atparts import ranges_at_once

import gonextdoor as gnd

WALKS = gnd.apps.Node2Vec(p=0.5, q=2, length=12)
RUN = {"repeat": 4, "seed": 6}
COHORT = 500
MOST_SECONDS = 5.0
START_SECONDS = 1.5  # of the actors of all parts on two idle cores


class Killing(gray.ActorTransport):
    """Kills a node, or the process of a part, when a number of calls was started. The actors of parts before the first
    do not start: mini-batches do not ask the part in this process.

    Attributes:
        begun: how often cohorts were begun.
        started: the calls.
        restarts: how often parts were made again.
        ready: the seconds that the actors took to start.
    """

    def __init__(self, nodes, parts, victim=None, first=0):
        super().__init__(parts, CPUS)
        self._nodes, self._at, self._victim = nodes, 0, victim
        self.started = self.restarts = self.begun = 0
        begin = time.perf_counter()
        for ticket in [self.ask(part, "forget", 0) for part in range(first, self.parts)]:
            self.result(ticket)
        self.ready = time.perf_counter() - begin

    def kill_at(self, at):
        """Kills at that call from now on."""
        self._at, self.started, self.begun = at, 0, 0

    def _count(self):
        self.started += 1
        if self.started == self._at:
            self._kill()

    def _kill(self):
        if self._victim is None:
            self._nodes.kill(self._actors.values())
        else:
            end(living()[self._actors[self._victim]._actor_id.hex()])

    def superstep(self, part, cohort, step, inboxes):
        self._count()
        self.begun += step == part == 0
        return super().superstep(part, cohort, step, inboxes)

    def ask(self, part, method, *arguments):
        if method == "answer":
            self._count()
        return super().ask(part, method, *arguments)

    def restart(self, part):
        self.restarts += 1
        super().restart(part)


def timed(function):
    begin = time.perf_counter()
    result = function()
    return result, time.perf_counter() - begin


def check_cost(what, seconds, alone, ready):
    """Checks the seconds that a kill costs.

    An actor is started again, for which a busy machine takes longer. It takes as much longer to start the actors of all
    parts, which was measured in the same test.
    """
    print(f"{what}: {seconds - alone:.2f} s more than {alone:.2f} s; the actors started in {ready:.2f} s")
    assert seconds - alone < MOST_SECONDS + max(0.0, ready - START_SECONDS)


def actors_of_parts():
    """The actors that have a part, or are to have one."""
    states = ray._private.state.actors().values()
    return {state["ActorID"] for state in states if state["ActorClassName"] == "PartActor" and state["State"] != "DEAD"}


moments = [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, 20))]


def walks_with_a_kill(transport, at, graph, parts, in_flight):
    """Samples walks without and with a kill. Returns what it cost; checks the rows and the work that was done again."""

    def walks():
        return gnd.partition.sample(parts, WALKS, transport=transport, cohort=COHORT, in_flight=in_flight, **RUN)

    _, alone = timed(walks)
    transport.kill_at(at)
    samples, seconds = timed(walks)
    assert np.array_equal(samples.numpy(), gnd.sample(graph, WALKS, **RUN).numpy())
    assert transport.started > at and transport.restarts == 1
    cohorts = -(-4 * graph.num_vertices // COHORT)
    assert cohorts < transport.begun <= cohorts + in_flight
    return seconds, alone


@pytest.mark.parametrize("moment", moments)
def test_a_node_is_killed_at_a_random_superstep(moment, nodes, graph, parts, monkeypatch):
    """Lost parts have a substitute after a second, at once, or never, so that Ray starts them again."""
    monkeypatch.setattr(transport_module, "PATIENCE", (1.0, 0.0, 60.0)[moment % 3])
    before = actors_of_parts()
    chosen = random.Random(f"{daily.SEED} {moment}")
    with Killing(nodes, parts) as transport:
        costs = walks_with_a_kill(transport, chosen.randrange(1, 60), graph, parts, (1, 3)[moment % 2])
    check_cost("node", *costs, transport.ready)
    wait(lambda: actors_of_parts() <= before)  # no substitute is left


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(20))
def test_the_process_of_a_part_is_killed(moment, nodes, graph, parts):
    chosen = random.Random(f"process {daily.SEED} {moment}")
    with Killing(nodes, parts, chosen.randrange(PARTS)) as transport:
        costs = walks_with_a_kill(transport, chosen.randrange(1, 60), graph, parts, (1, 3)[moment % 2])
    check_cost("part", *costs, transport.ready)


def batches_with_a_kill(transport, at, graph, parts, size):
    """Draws mini-batches without and with a kill. The part that draws is in this process, as that of a rank is."""
    given = {"batch_size": 32, "shuffle": True, "seed": 5}
    times = []
    for moment in (0, at):
        transport.kill_at(moment)
        batches, seconds = timed(lambda: list(gnd.partition.loader(parts, size, transport=transport, **given)))
        times.append(seconds)
        assert same(batches, gnd.loader(graph, size, **given)) == 16
    assert transport.started > at and transport.restarts
    return times[1], times[0]


@pytest.mark.parametrize("moment", moments)
def test_a_node_is_killed_during_mini_batches(moment, nodes, graph, parts):
    at = random.Random(f"batches {daily.SEED} {moment}").randrange(1, 30)
    with Killing(nodes, parts, first=1) as transport:
        costs = batches_with_a_kill(transport, at, graph, parts, [4, 3])
    check_cost("node, batches", *costs, transport.ready)


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(20))
def test_the_process_of_a_part_is_killed_during_mini_batches(moment, nodes, graph, parts):
    chosen = random.Random(f"process batches {daily.SEED} {moment}")
    with Killing(nodes, parts, chosen.randrange(1, PARTS), first=1) as transport:
        costs = batches_with_a_kill(transport, chosen.randrange(1, 30), graph, parts, [4, 3])
    check_cost("part, batches", *costs, transport.ready)


WRITTEN = {"walks": WALKS, "mini-batches": BATCHES}
FILES = {"repeat": 20, "seed": 5}
FILE_BYTES = 30_000


@pytest.fixture(scope="module")
def table(uri):
    """The rows of each kind."""
    return {kind: expected(uri, app, **FILES) for kind, app in WRITTEN.items()}


def files_with_a_kill(kind, kill, at, parts, folder, table, monkeypatch):
    """Writes files without and with a kill. Checks the rows, and that no file is begun a third time."""
    begun, times, make = collections.Counter(), [], gray.ActorTransport.make

    def counted(self, part, block, run, ids, *rest):
        begun[ids] += 1
        return make(self, part, block, run, ids, *rest)

    monkeypatch.setattr(gray.ActorTransport, "make", counted)
    for victim in (lambda: None, kill):
        out = folder / f"files{len(times)}"
        begun.clear()
        watch = Watch(victim, out, at)
        watch.start()
        done, seconds = timed(
            lambda out=out: gray.write(parts.path, WRITTEN[kind], out, num_cpus=CPUS, range_bytes=FILE_BYTES, **FILES)
        )
        times.append(seconds)
        watch.done.set()
        watch.join(120)
        assert done.files == len(begun) > 20 and not watch.changed
    assert pq.read_table(out).sort_by("id").combine_chunks().equals(table[kind])
    # All ranges in flight need the part that was lost.
    assert 0 < begun.total() - len(begun) <= PARTS * ranges_at_once(CPUS, PARTS) and max(begun.values()) == 2
    return times[1], times[0]


def start_of_actors(parts):
    """The seconds that the actors of a run take to start."""
    with Killing(None, parts) as transport:
        return transport.ready


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("moment", range(10))
def test_a_node_is_killed_while_files_are_written(kind, moment, nodes, parts, tmp_path, table, monkeypatch):
    """The node has parts, which make files and are needed by the others. Their files are begun again."""
    at = random.Random(f"files {daily.SEED} {kind} {moment}").randrange(1, 14)
    costs = files_with_a_kill(kind, nodes.kill, at, parts, tmp_path, table, monkeypatch)
    check_cost(f"node, files of {kind}", *costs, start_of_actors(parts))


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("moment", range(10))
def test_a_part_that_makes_files_is_killed(kind, moment, nodes, parts, tmp_path, table, monkeypatch):
    """It joins walks or grows samples, and serves the other parts that do."""
    chosen, before = random.Random(f"joiner {daily.SEED} {kind} {moment}"), actors_of_parts()

    def kill():
        time.sleep(chosen.random() / 4)  # anywhere between two files
        end(living()[chosen.choice(sorted(actors_of_parts() - before))])

    costs = files_with_a_kill(kind, kill, chosen.randrange(1, 14), parts, tmp_path, table, monkeypatch)
    check_cost(f"joiner, files of {kind}", *costs, start_of_actors(parts))


DRIVEN = gnd.apps.Node2Vec(p=0.5, q=2, length=40)
DRIVEN_RUN = {"repeat": 40, "seed": 7, "range_bytes": 150_000}
ACTORS = {"num_cpus": 0.5, "concurrency": 2}


@functools.cache
def undisturbed(uri, folder):
    """The seconds of a run that writes all files, when all that it imports is there."""
    times = [timed(lambda n=n: gray.write(uri, DRIVEN, f"{folder}{n}", **DRIVEN_RUN, **ACTORS))[1] for n in range(2)]
    return min(times)


DRIVER = """
import ray, gonextdoor as gnd, gonextdoor.ray as gray
ray.init(address={address!r}, log_to_driver=False)
print("begin", flush=True)
gray.write({uri!r}, gnd.apps.Node2Vec(p=0.5, q=2, length=40), {out!r}, **{arguments})
"""


@pytest.fixture(scope="module")
def folders(uri, parts, tmp_path_factory):
    """The folders of the graph by the number of their parts, and where undisturbed runs write files."""
    return {0: uri, PARTS: parts.path}, tmp_path_factory.mktemp("ray")


@pytest.mark.slow  # test_ray.py resumes a run that lacks files
@pytest.mark.parametrize("count", [0, PARTS])
@pytest.mark.parametrize("moment", range(10))
def test_the_driver_is_killed(count, moment, nodes, folders, parts, tmp_path):
    """The run that resumes makes the missing files only, and both together take at most five seconds more than one."""
    chosen, out = random.Random(f"driver {daily.SEED} {count} {moment}"), tmp_path / "walks"
    uri, whole = folders[0][count], folders[0][0]
    run = Ranges(whole, DRIVEN, **DRIVEN_RUN)
    alone = undisturbed(uri, folders[1] / f"walks{count}")
    code = DRIVER.format(address=nodes.address, uri=uri, out=str(out), arguments=DRIVEN_RUN | ACTORS)
    driver = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        driver.stdout.readline()
        begin, at = time.perf_counter(), chosen.randrange(1, len(run) - 8)
        wait(lambda: len(finished(out)) >= at or driver.poll() is not None)
        time.sleep(chosen.random() / 10)  # anywhere between two files
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait(60)
        driver.stdout.close()
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in finished(out)}
    assert 1 <= len(before) < len(run)
    done = gray.write(uri, DRIVEN, out, resume=True, **(DRIVEN_RUN | {"seed": None}), **ACTORS)
    check_cost(f"driver, {count} parts", time.perf_counter() - begin, alone, start_of_actors(parts))
    assert done.files == len(run) and done.written == len(run) - len(before)
    assert pq.read_table(out).sort_by("id").combine_chunks().equals(expected(whole, DRIVEN, **DRIVEN_RUN))
    for file, state in before.items():
        assert (file.read_bytes(), file.stat().st_mtime_ns) == state
