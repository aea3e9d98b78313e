"""Random programs with the loaders for PyG have the batches that a reference in plain Python predicts."""

import daily
import pygprograms
import pytest
from epochprograms import first_failure, run
from gonextdoor.neighbor.order import BatchOrder
from gonextdoor.pyg import sampler

PROGRAMS, CHUNK = 1500, 25
KINDS = {pygprograms.nodes: 1, pygprograms.links: 1}


@pytest.mark.parametrize("chunk", daily.share(range(PROGRAMS // CHUNK), 28))
def test_programs(chunk):
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        run(number, KINDS)


def test_negatives_that_batches_share_are_found(monkeypatch):
    named = BatchOrder.named

    def changed(order, begun):
        return (batch._replace(own_seed=batch.batch_seed) for batch in named(order, begun))

    monkeypatch.setattr(BatchOrder, "named", changed)
    assert first_failure(KINDS) is not None


@pytest.mark.parametrize("name", ["edge", "row", "node", "num_sampled_nodes", "metadata"])
def test_a_fault_in_a_batch_is_found(monkeypatch, name):
    """An attribute, or its part for each type, has its elements in reverse order."""
    output = sampler.sampler_output

    def changed(*drawn, **named):
        out = output(*drawn, **named)
        value = getattr(out, name)
        if isinstance(value, dict):
            setattr(
                out, name, {key: part[::-1] if isinstance(part, list) else part.flip(0) for key, part in value.items()}
            )
        elif isinstance(value, tuple):
            setattr(out, name, (value[0].flip(0), *value[1:]))
        elif value is not None:
            setattr(out, name, value[::-1] if isinstance(value, list) else value.flip(0))
        return out

    monkeypatch.setattr(sampler, "sampler_output", changed)
    assert first_failure(KINDS) is not None
