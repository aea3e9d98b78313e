"""The loaders for PyG in two processes of Lightning and of Accelerate, if these are installed: each rank draws what it
was given, or its share with divide="ranks"; rank 0 alone may use a loader; ranks that disagree raise an error."""

import importlib.util

import pytest
from ranks import of_ranks

COMMON = """
from gonextdoor.pyg import NeighborLoader
from pyg_data import flat
data = flat()
part = torch.arange(rank * 50, rank * 50 + 50)
def loader(nodes=None, **given):
    return NeighborLoader(data, [3], nodes, batch_size=9, shuffle=True, **{"seed": 1, **given})
def error_of(function):
    try:
        function()
        return "nothing"
    except Exception as why:  # while Lightning handles ours, it raises another
        return str(why if isinstance(why, ValueError) else why.__context__)
"""
LIGHTNING = """
import lightning.pytorch as pl
class Model(pl.LightningModule):
    def __init__(self, make):
        super().__init__()
        self.net, self.seen, self.make = torch.nn.Linear(data.x.shape[1], 1), [], make
    def train_dataloader(self):
        return self.make()
    def training_step(self, batch, _):
        self.seen += batch.n_id[: batch.batch_size].tolist()
        return self.net(batch.x).mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)
def seen(make, epochs=2, **given):
    model = Model(make)
    off = {"enable_progress_bar": False, "logger": False, "enable_checkpointing": False, "enable_model_summary": False}
    trainer = pl.Trainer(max_epochs=epochs, accelerator="cpu", devices=2, strategy="ddp", **off, **given)
    trainer.fit(model)
    return model.seen
own = {"use_distributed_sampler": False}
result = {
    "part": seen(lambda: loader(part), **own),
    "divided": seen(lambda: loader(divide="ranks"), **own),
    "theirs": seen(loader, epochs=1),
    "one": len(list(loader(torch.arange(90)))) if rank == 0 else 10,
    "differs": error_of(lambda: seen(lambda: loader(divide="ranks", seed=1 + rank), **own)),
    "twice": error_of(lambda: seen(lambda: loader(divide="ranks"))),
}
"""
ACCELERATE = """
from accelerate import Accelerator
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(data.x.shape[1], 1)
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.01))
def seen(batches, epochs=2):
    found = []
    for _ in range(epochs):
        for batch in batches:
            found += batch.n_id[: batch.batch_size].tolist()
            optimizer.zero_grad()
            accelerator.backward(model(batch.x).mean())
            optimizer.step()
    return found
result = {
    "part": seen(loader(part)),
    "divided": seen(loader(divide="ranks")),
    "theirs": seen(accelerator.prepare(loader()), epochs=1),
    "one": len(list(loader(torch.arange(90)))) if rank == 0 else 10,
    "differs": error_of(lambda: seen(loader(divide="ranks", seed=1 + rank))),
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("package, program", [("lightning", LIGHTNING), ("accelerate", ACCELERATE)])
def test_two_processes(package, program, tmp_path):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    ranks = of_ranks(COMMON + program, tmp_path)
    together = {name: [node for found in ranks for node in found[name]] for name in ("part", "divided", "theirs")}
    for rank, found in enumerate(ranks):
        assert sorted(found["part"]) == sorted([*range(rank * 50, rank * 50 + 50)] * 2)
        assert found["one"] == 10
        assert found["differs"].startswith("seed = 1 in process 0 of torch.distributed, but 2 in process 1")
        if "twice" in found:
            assert "divide = 'ranks' with sampler: the order of batches is that of sampler" in found["twice"]
    assert sorted(together["divided"]) == sorted([*range(300)] * 2), "34 batches an epoch"
    assert sorted(set(together["theirs"])) == list(range(300))
