"""Dates as arguments: moments and lengths of time in the unit of a graph's times."""

import datetime as dt
import re

import numpy as np
import pytest
from gonextdoor._core.dates import duration, moment

DAY = 1714521600  # 2024-05-01, in seconds since 1970
ZONE = dt.timezone(dt.timedelta(hours=2))


@pytest.mark.parametrize(
    "value",
    [
        "2024-05-01", "2024-05-01T02:00:00+02:00", "2024-05-01T00:00Z", dt.date(2024, 5, 1), dt.datetime(2024, 5, 1),
        dt.datetime(2024, 5, 1, 2, tzinfo=ZONE), np.datetime64("2024-05-01"), np.datetime64("2024-05-01T00", "ns"),
    ],
)  # fmt: skip
def test_a_moment_is_an_integer_of_the_unit(value):
    for unit, parts in (("s", 1), ("ms", 1000), ("us", 10**6), ("ns", 10**9)):
        assert moment("start", value, unit) == parts * DAY
        assert moment("start", [value, value], unit).tolist() == 2 * [parts * DAY]
    with pytest.raises(TypeError, match=r"^start = .*the times of this graph are integers without a unit"):
        moment("start", value, None)


def test_other_values_are_returned_as_they_are():
    for value in (5, 1.5, None, [], [3, 4], np.arange(3)):
        assert moment("start", value, "s") is value and duration("window", value, None) is value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.datetime64("NaT"), "start is NaT"),
        (np.array(["2024", "NaT"], "M8[s]"), "start[1] is NaT: expected a date for every element"),
        ("yesterday", "start = 'yesterday': expected a date of ISO 8601"),
        ("2024", "start = '2024': expected a date of ISO 8601"),
        (["2024-05-01", 3], "start[1] = 3: expected a date of ISO 8601"),
        (dt.datetime(2024, 5, 1, 0, 0, 0, 5), "start = 2024-05-01T00:00:00.000005 is not a whole number of s"),
    ],
)
def test_refused_moments(value, text):
    with pytest.raises(ValueError, match="^" + re.escape(text)):
        moment("start", value, "s")


def test_lengths_of_time():
    assert duration("window", dt.timedelta(hours=1), "ms") == 3_600_000
    assert duration("window", np.timedelta64(-2, "D"), "s") == -172_800
    for value in (np.timedelta64("NaT"), np.timedelta64(1, "Y"), np.timedelta64(10**9, "D"), np.timedelta64(5, "ps")):
        with pytest.raises(ValueError, match=r"^window = .* is not a whole number of ns"):
            duration("window", value, "ns")
    with pytest.raises(TypeError, match=r"^window = .* without a unit: expected an int"):
        duration("window", dt.timedelta(1), None)
    pandas = pytest.importorskip("pandas")
    assert duration("window", pandas.Timedelta(5, "ns"), "ns") == 5
    assert moment("start", pandas.Timestamp("2024-05-01T02:00:00.000000007", tz=ZONE), "ns") == 10**9 * DAY + 7
    with pytest.raises(ValueError, match=r"^start is NaT"):
        moment("start", pandas.NaT, "ns")
