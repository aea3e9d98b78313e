"""The example pyg_graphsage.py on several workers of Ray Train. Each worker is a rank of torch.distributed, and with
divide="ranks" draws its share of the batches. Neither pyg-lib nor torch-sparse is needed.

    pip install torch torch-geometric 'ray[train]' gonextdoor
    python examples/gnn/pyg_ray_train.py --workers 2          # --gpu gives each worker a GPU

Do not pass the loader to ray.train.torch.prepare_data_loader, which would divide its batches again.
"""

import argparse
import pathlib
import tempfile

import ray.train
import ray.train.torch
import torch
import torch.nn.functional as F
from gonextdoor.pyg import NeighborLoader
from pyg_graphsage import GraphSAGE, communities


def train(config):
    """The training loop of a worker."""
    device = ray.train.torch.get_device()
    data = communities().to(device, "x", "y")
    options = {"seed": 1, **({"device": str(device)} if device.type == "cuda" else {})}
    loader = NeighborLoader(data, [10, 10], data.train_mask, batch_size=512, shuffle=True, divide="ranks", **options)
    test = NeighborLoader(data, [10, 10], data.test_mask, batch_size=2048, **options)
    torch.manual_seed(0)
    model = ray.train.torch.prepare_model(GraphSAGE(data.num_features, 64, 8))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(config["epochs"]):
        model.train()
        total = torch.zeros(2)
        for batch in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(batch), batch.y[: batch.batch_size])
            loss.backward()
            optimizer.step()
            total += torch.tensor([float(loss.detach()) * batch.batch_size, batch.batch_size])
        model.eval()
        with torch.no_grad():
            inner = getattr(model, "module", model)
            right = sum(int((inner(batch).argmax(1) == batch.y[: batch.batch_size]).sum()) for batch in test)
        figures = {"loss": float(total[0] / total[1]), "accuracy": right / int(data.test_mask.sum()), "epoch": epoch}
        if ray.train.get_context().get_world_rank() == 0:
            print(f"epoch {epoch}: loss {figures['loss']:.3f}, test accuracy {figures['accuracy']:.3f}", flush=True)
            path = pathlib.Path(config["results"]) / "results.txt"
            with path.open("a") as file:
                file.write(f"epoch {epoch}: loss {figures['loss']:.3f}, accuracy {figures['accuracy']:.3f}\n")
        ray.train.report(figures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--cpus", type=float, default=1, help="of each worker")
    args = parser.parse_args()
    scaling = ray.train.ScalingConfig(
        num_workers=args.workers,
        use_gpu=args.gpu,
        resources_per_worker={"CPU": args.cpus, **({"GPU": 1} if args.gpu else {})},
    )
    results = tempfile.mkdtemp()
    run = ray.train.RunConfig(storage_path=results)
    backend = ray.train.torch.TorchConfig(backend="nccl" if args.gpu else "gloo")
    loop = {"epochs": args.epochs, "results": results}
    ray.train.torch.TorchTrainer(
        train, train_loop_config=loop, scaling_config=scaling, run_config=run, torch_config=backend
    ).fit()
    print((pathlib.Path(results) / "results.txt").read_text(), end="")


if __name__ == "__main__":
    main()
