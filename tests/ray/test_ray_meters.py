"""What a run on the parts of a graph counts, for the line of progress and for Ray's metrics."""

import numpy as np
from gonextdoor._core import running
from gonextdoor.ray import meters
from gonextdoor.ray.calls import Counts, Packed
from gonextdoor.ray.framework import ray
from gonextdoor.ray.meters import Busy, Clock, Meter

from gonextdoor.partition import Recorded, Report


class Bar:
    """A line of progress."""

    def __init__(self, **given):
        self.given, self.n, self.text, self.closed = given, 0, "", False

    def update(self, count):
        self.n += count

    def set_postfix_str(self, text):
        self.text = text

    def close(self):
        self.closed = True


def test_counts_are_those_of_the_results_of_calls():
    counts, none = Counts(), np.empty(0, np.uint32)
    counts.add(Report((0, 24, 36), 5, None))
    counts.add(Recorded(np.zeros((7, 3), np.uint32), None, none, none))
    counts.add(np.zeros(40, np.uint8))  # an answer
    counts.add(None)  # of a part that forgets a cohort
    counts.add(Counts(1, 2, 3))
    assert counts == Counts(steps=8, messages=9, bytes=103)


def test_progress(monkeypatch):
    bars = []
    monkeypatch.setattr(ray.data.DataContext.get_current(), "enable_progress_bars", True)  # other tests disable them
    monkeypatch.setattr(running, "interactive", lambda: True)
    monkeypatch.setattr(running, "bar", lambda **given: bars.append(Bar(**given)) or bars[0])
    meter = Meter(3, 2.0)
    meter.made(0, Counts(1000, 10, 5000), Busy(cpu=3.0, wall=2.0))
    meter.made(1, Counts(1000, 10, 5000), Busy(cpu=1.0, wall=2.0))
    meter.made(1, Counts(1000, 10, 5000), Busy(cpu=2.0, wall=3.0))  # later, of the same process
    meter.restarted()
    assert bars[0].given["total"] == 3 and bars[0].n == 3
    assert str(meter) == "3,000 steps, 30 messages (15 kB), 1 restart, 50% idle"
    meter.close()
    assert bars[0].text.endswith("0 restarts, 50% idle") and bars[0].closed
    monkeypatch.setattr(running, "interactive", lambda: False)
    assert Meter(3, 2.0).idle == 0


def test_metrics(monkeypatch):
    added = []

    class Counter:
        def __init__(self, name, text, tags):
            self.name = name

        def inc(self, value=1, tags=None):
            added.append((self.name, value, tags))

    monkeypatch.setattr(meters.metrics, "Counter", Counter)
    meters._counter.cache_clear()
    meters.count(Counts(steps=8, messages=0, bytes=3), 2)
    Meter(1, 1.0).restarted()
    meters._counter.cache_clear()
    assert added == [
        ("gonextdoor_steps", 8, {"part": "2"}),
        ("gonextdoor_bytes", 3, {"part": "2"}),
        ("gonextdoor_restarts", 1, None),
    ]


def test_a_clock_measures_this_process():
    clock = Clock()
    sum(range(200_000))
    busy = clock.now()
    assert busy.cpu > 0 and busy.wall > 0


def test_boxes_keep_their_order_when_they_are_packed():
    boxes = [np.arange(size, dtype=np.uint8) for size in (3, 0, 5)]
    packed = Packed.of(boxes)
    assert packed.small.size == 8 and not packed.large
    assert all(np.array_equal(a, b) for a, b in zip(packed.boxes(), boxes, strict=True))
    assert Packed.of([]).boxes() == []
