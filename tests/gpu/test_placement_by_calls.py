"""Calls with a list of GPUs split a graph that fits none of them, and report why if they cannot."""

import pytest
from placedprogram import EMULATED, TIMES, budget, program

pytestmark = pytest.mark.usefixtures("two_gpus")


def test_a_graph_that_fits_no_gpu_of_a_list_is_split():
    text = """
        import logging
        logged = []
        logging.getLogger("gonextdoor").setLevel(logging.DEBUG)
        handler = logging.Handler()
        handler.emit = lambda record: logged.append(record.getMessage())
        logging.getLogger("gonextdoor").addHandler(handler)

        graph = gnd.rmat(SCALE, 60, seed=1)
        plan = gnd.explain(graph, walk, device=gpus)
        assert plan.placement.automatic and plan.placement.devices == gpus
        assert plan.placed.startswith("the call reads ") and plan.placed.endswith(": the call splits it"), plan
        assert graph.placement is None  # explain changes nothing
        there = gnd.sample(graph, walk, seed=1, device=gpus, plan=ON_GPUS).numpy()
        assert np.array_equal(there, gnd.sample(graph, walk, seed=1, device="cpu"))
        assert graph.placement.automatic and graph.placement.devices == gpus
        assert any("graph split over cuda:0, cuda:1: the call reads" in line for line in logged), logged
        assert gnd.explain(graph, walk, device=gpus).placed.startswith("an earlier call split the graph")
        assert sorted(graph.device_bytes) == gpus and max(graph.device_bytes.values()) <= 800_000 * TIMES
        graph.place(gpus)
        assert not graph.placement.automatic
        print("walks")

        sampled = gnd.rmat(SCALE, 60, seed=1)
        there, here = (gnd.NeighborSampler(sampled, [4, 3], device=device) for device in (gpus, "cpu"))
        for seed in (1, 2):
            drawn = (sampler.draw(np.arange(30), seed) for sampler in (there, here))
            ours, theirs = (batch.split(batch.arena) for batch in drawn)
            assert np.array_equal(np.asarray(ours.nodes[0]), theirs.nodes[0])
        print(sampled.placement.automatic)
        small = corpus.graph()
        gnd.sample(small, walk, device=gpus)
        print(small.placement)
    """
    assert program(text, **budget(800)).splitlines() == ["walks", "True", "None"]


def test_a_split_by_a_call_changes_with_the_list():
    text = """
        graph = gnd.rmat(SCALE, 60, seed=1)
        here = gnd.sample(graph, walk, seed=1, device="cpu").numpy()
        for devices in (gpus[:2], gpus[1:], gpus):
            assert np.array_equal(gnd.sample(graph, walk, seed=1, device=devices, plan=ON_GPUS).numpy(), here)
            print(graph.placement.devices, graph.placement.automatic)
        graph.place(gpus[:2])
        try:
            gnd.sample(graph, walk, device=gpus)
        except gnd.DeviceError as error:
            print(error)
    """
    assert program(text, 3, **budget(800)).splitlines() == [
        "['cuda:0', 'cuda:1'] True",
        "['cuda:1', 'cuda:2'] True",
        "['cuda:0', 'cuda:1', 'cuda:2'] True",
        "device = cuda:0,cuda:1,cuda:2: the graph is placed on cuda:0,cuda:1: use GPUs among them, or call graph.place "
        "with other GPUs or None",
    ]


@pytest.mark.skipif(not EMULATED, reason="the GPUs of this machine may read one another")
def test_gpus_that_cannot_read_one_another():
    text = """
        graph, small = gnd.rmat(SCALE, 60, seed=1), corpus.graph()
        try:
            small.place(gpus)
        except gnd.DeviceError as error:
            print(error)
        assert small.placement is None
        there = gnd.sample(small, walk, seed=1, device=gpus).numpy()  # a copy on each
        assert np.array_equal(there, gnd.sample(small, walk, seed=1, device="cpu"))
        print(gnd.explain(graph, walk, device=gpus).why)
        assert graph.placement is None
    """
    refused, why = program(text, GONEXTDOOR_HOST_PEERS="0", **budget(800)).splitlines()
    assert refused.startswith("cuda:0 cannot use the memory of cuda:1")
    assert "the graph is not split over cuda:0,cuda:1, because cuda:0 cannot use the memory of cuda:1" in why


def test_gpus_without_memory_for_the_graph_together():
    text = """
        graph = gnd.rmat(SCALE, 60, seed=1)
        print(gnd.explain(graph, walk, device=gpus).why)
        print(graph.placement)
    """
    why, placement = program(text, **budget(300)).splitlines()
    assert f"the graph is not split over cuda:0,cuda:1, because all 2 GPUs together have {600_000 * TIMES} bytes" in why
    assert placement == "None"
