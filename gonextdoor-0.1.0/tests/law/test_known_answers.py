"""The random words equal those that the Go tests are held to."""

import json
import pathlib

import pytest

from gonextdoor import rng

TABLES = json.loads((pathlib.Path(__file__).parents[2] / "gonextdoor/rng/testdata/known_answers.json").read_text())


def words(row: list[int]) -> list[int]:
    seed, purpose, id, step, attempt = row[:5]
    stream = rng.stream(seed, purpose)
    key = rng.key(stream, id)
    return [*row[:5], stream, key, rng.word(key, rng.slot(step, attempt))]


ANSWERS = {
    "mix: x, mix": lambda row: [row[0], rng.mix(row[0])],
    "words: seed, purpose, id, step, try, stream, key, word": words,
    "hung: key, slot, id, key under the slot": lambda row: [
        *row[:3],
        rng.key(rng.substream(row[0], row[1]), row[2]),
    ],
    "numbers: stream, id, number": lambda row: [*row[:2], rng.number(row[0], row[1])],
    "below: word, n, index, fraction, second": lambda row: [
        *row[:2],
        *rng.below(row[0], row[1]),
        rng.second(row[0]),
    ],
}


def test_every_table_is_read() -> None:
    assert set(TABLES) == set(ANSWERS)


@pytest.mark.parametrize("name", ANSWERS)
def test_known_answers(name: str) -> None:
    assert TABLES[name]
    for row in TABLES[name]:
        want = [int(x) for x in row]
        assert ANSWERS[name](want) == want
