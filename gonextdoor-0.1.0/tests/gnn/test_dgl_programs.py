"""Random programs with the sampler and the loader for DGL have the blocks that a reference in plain Python predicts."""

import daily
import dglprograms
import pytest
from epochprograms import first_failure, run
from gonextdoor.dgl.repeated import Repeated
from gonextdoor.neighbor.batch import NeighborBatch
from gonextdoor.neighbor.seeds import BatchSeeds

PROGRAMS, CHUNK = 1500, 25
KINDS = {dglprograms.batches: 3, dglprograms.calls: 2}


@pytest.mark.parametrize("chunk", daily.share(range(PROGRAMS // CHUNK), 28))
def test_programs(chunk):
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        run(number, KINDS)


@pytest.mark.parametrize("batches", [NeighborBatch, Repeated])
def test_edge_ids_in_another_order_are_found(monkeypatch, batches):
    split = batches.split

    def changed(batch, arena):
        parts = split(batch, arena)
        hops = [
            [(indptr, ends, ids.flip(0) if hasattr(ids, "flip") else ids[::-1]) for indptr, ends, ids in hop]
            for hop in parts.hops
        ]
        return parts._replace(hops=hops)

    monkeypatch.setattr(batches, "split", changed)
    assert first_failure(KINDS) is not None


def test_a_batch_that_is_drawn_again_alike_is_found(monkeypatch):
    batch_seed = BatchSeeds.batch_seed

    def changed(seeds, batch, ids=None):
        seeds._seen.clear()
        return batch_seed(seeds, batch, ids)

    monkeypatch.setattr(BatchSeeds, "batch_seed", changed)
    assert first_failure(KINDS) is not None
