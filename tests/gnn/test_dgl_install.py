"""gonextdoor.dgl.install: DGL's own names draw walks with gonextdoor. Each test has a process, as it changes DGL."""

import os
import subprocess
import sys


def run(code):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=300, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_copy_of_a_name_is_replaced_and_dgl_s_classes_use_it():
    code = """
import dgl, torch, gonextdoor.dgl
import dgl.dataloading.graphsaint as saint, dgl.nn.pytorch.network_emb as embedding
from dgl.sampling import PinSAGESampler as other, random_walk
theirs = random_walk
gonextdoor.dgl.install()
gonextdoor.dgl.install()
assert random_walk is not theirs and other is not gonextdoor.dgl.PinSAGESampler
assert dgl.sampling.random_walk is saint.random_walk is embedding.random_walk is random_walk
assert dgl.sampling.pinsage.random_walk is random_walk and random_walk.__doc__ == theirs.__doc__
assert dgl.sampling.PinSAGESampler is gonextdoor.dgl.PinSAGESampler
assert dgl.sampling.RandomWalkNeighborSampler is dgl.sampling.pinsage.RandomWalkNeighborSampler
assert dgl.sampling.RandomWalkNeighborSampler is gonextdoor.dgl.RandomWalkNeighborSampler
assert gonextdoor.dgl.random_walk is not random_walk and gonextdoor.dgl.walks.random_walk is not random_walk
g = dgl.graph((torch.arange(600).repeat(3) % 200, torch.arange(600).repeat(3) * 7 % 200))
print(dgl.dataloading.SAINTSampler("walk", (5, 3)).sample(g, 1).num_nodes() > 5)
print(dgl.nn.DeepWalk(g, 4, 5, 2).sample(torch.arange(3)).shape)
print(dgl.sampling.RandomWalkNeighborSampler(g, 2, 0.5, 30, 2)(torch.tensor([1, 2])).num_edges() > 2)
print(other(dgl.heterograph({("a", "x", "b"): ([0, 1], [0, 0]), ("b", "y", "a"): ([0, 0], [0, 1])}),
            "a", "b", 2, 0.0, 9, 2)([0]).edata["weights"].sum())
"""
    assert run(code).split("\n")[:4] == ["True", "torch.Size([3, 5])", "True", "tensor(18)"]


def test_walks_follow_the_seed_of_dgl_and_small_metapaths_stay_dgl_s():
    code = """
import dgl, torch, gonextdoor.dgl
from gonextdoor.dgl import install
their_walk = dgl.sampling.random_walk
gonextdoor.dgl.install()
torch.manual_seed(1)
r = torch.randint(0, 300, (2, 3000))
g = dgl.graph((r[0], r[1]), num_nodes=300)
h = dgl.heterograph({("a", "x", "b"): (r[0], r[1]), ("b", "y", "a"): (r[1], r[0])})
few, many = torch.arange(100), torch.arange(300).repeat(4)
def drawn(seed, walk=None):
    dgl.seed(seed)
    walk = walk or dgl.sampling.random_walk
    out = [walk(g, few, length=5)[0], walk(h, many, metapath=["x", "y"])[0], walk(h, few, metapath=["x", "y"])[0]]
    out.append(dgl.sampling.node2vec_random_walk(g, few, 0.5, 2.0, 5))
    frontier = dgl.sampling.PinSAGESampler(h, "a", "b", 2, 0.5, 20, 3)(few)
    return out + [frontier.edges()[0], frontier.edata["weights"]]
first, again, other = drawn(1), drawn(1), drawn(2)
print([torch.equal(a, b) for a, b in zip(first, again)], [torch.equal(a, b) for a, b in zip(first, other)])
dgl.seed(9)
ours = dgl.sampling.random_walk(h, few, metapath=["x", "y"])
dgl.seed(9)
theirs = their_walk(h, few, metapath=["x", "y"])
print(all(map(torch.equal, ours, theirs)))
seeded = dgl.sampling.random_walk(h, few, metapath=["x", "y"], seed=3)
print(torch.equal(seeded[0], gonextdoor.dgl.random_walk(h, few, metapath=["x", "y"], seed=3)[0]))
try:
    dgl.sampling.random_walk(g, torch.tensor([300]), length=2)
except dgl.DGLError as error:
    print(error)
loader = torch.utils.data.DataLoader(few, 10, num_workers=2, collate_fn=lambda nodes: dgl.sampling.random_walk(
    g, torch.zeros(len(nodes), dtype=torch.int64), length=9)[0])
passes = []
for _ in range(2):
    dgl.seed(4), torch.manual_seed(4)
    passes.append(torch.cat(list(loader)))
print(torch.equal(*passes), len(passes[0].unique(dim=0)) == 100)
"""
    lines = run(code).splitlines()
    assert lines[0] == f"{[True] * 6} {[False] * 6}"
    assert lines[1:3] == ["True", "True"]
    assert "nodes[0] = 300: there are 300 vertices" in lines[3]
    assert lines[4] == "True True"


def test_negative_pairs_are_exact_and_those_of_sources_stay_dgl_s():
    code = """
import dgl, torch, gonextdoor.dgl
from dgl.dataloading import negative_sampler
from dgl.sampling import global_uniform_negative_sampling
theirs, per_source = global_uniform_negative_sampling, negative_sampler.Uniform
gonextdoor.dgl.install()
assert global_uniform_negative_sampling is dgl.sampling.global_uniform_negative_sampling is not theirs
assert negative_sampler.Uniform is per_source
ends = torch.cartesian_prod(torch.arange(30), torch.arange(30)).T
g = dgl.remove_edges(dgl.graph(tuple(ends)), torch.tensor([5, 77, 800]))
drawn = []
for seed in (1, 1, 2):
    dgl.seed(seed)
    drawn.append([part.tolist() for part in negative_sampler.GlobalUniform(1)(g, torch.arange(3))])
print(drawn[0] == drawn[1], sorted(a * 30 + b for a, b in zip(*drawn[0])))
print(g.global_uniform_negative_sampling(9)[0].shape)
"""
    assert run(code).splitlines() == ["True [5, 77, 800]", "torch.Size([3])"]
