"""node2vec embeddings (Grover and Leskovec, KDD'16) of a partitioned graph, whose walks are sampled on a Ray cluster.

    pip install '.[ray]' gensim    # in a checkout
    python examples/ray/embeddings.py                          # a graph with communities, on a cluster of this machine
    python examples/ray/embeddings.py --uri s3://bucket/parts --address HEAD:6379 --out s3://bucket/walks

``gonextdoor partition`` makes the folder of a partitioned graph, which may be larger than the memory of a machine. The
folder of a whole graph works as well. The walks are written to Parquet files, of which a second call writes the
missing ones. gensim reads them several times from the files, so that they need not fit in memory.
"""

import argparse
import pathlib
import tempfile

import gonextdoor.ray
import pyarrow.dataset
import ray
from gensim.models import Word2Vec

import gonextdoor as gnd


class Walks:
    """The walks of a folder of Parquet files as sentences; every pass reads the files again, in the order of ids."""

    def __init__(self, folder):
        self.folder = folder

    def __iter__(self):
        for batch in pyarrow.dataset.dataset(self.folder).to_batches(columns=["walk"]):
            for walk in batch["walk"].to_pylist():
                yield [str(vertex) for vertex in walk if vertex is not None]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--uri", help="the folder of a partitioned graph, or of a whole one")
    parser.add_argument("--parts", type=int, default=2, help="of the graph that is made without --uri")
    parser.add_argument("--out", help="the folder for the walks")
    parser.add_argument("--address", default="local", help="of the cluster; local: start one here")
    parser.add_argument("--cpus", type=float, help="of each actor")
    args = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    uri, out, labels = args.uri or str(folder / "parts"), args.out or str(folder / "walks"), None
    if args.uri is None:
        planted = gnd.planted_partition(1000, 4, p_in=0.05, p_out=0.005, seed=1)
        gnd.partition.write(planted.graph, uri, parts=args.parts, by="ldg")
        labels = planted.labels
    ray.init(address=args.address, log_to_driver=False)
    app = gnd.apps.Node2Vec(p=1, q=0.5, length=30)
    done = gonextdoor.ray.write(uri, app, out, repeat=10, seed=1, resume=True, num_cpus=args.cpus)
    print(f"{done.rows:,} walks in {done.files} files, {done.written} of them new")
    model = Word2Vec(sentences=Walks(out), vector_size=32, window=5, sg=1, min_count=1, epochs=2, workers=1, seed=1)
    if labels is None:
        model.wv.save(str(folder / "embeddings.kv"))
        print(folder / "embeddings.kv")
        return
    same = [labels[int(word)] == labels[v] for v in range(1000) for word, _ in model.wv.most_similar(str(v), topn=5)]
    print(f"nearest neighbours of the same class: {sum(same) / len(same):.3f} (by chance 0.25)")


if __name__ == "__main__":
    main()
