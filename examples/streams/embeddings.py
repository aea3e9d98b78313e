"""DeepWalk embeddings (Perozzi et al., KDD'14) of a graph that grows.

    pip install gonextdoor gensim
    python examples/streams/embeddings.py

The graph has communities. The last edges of it come in two batches, which change a part of the walks.
gensim trains on these alone.
"""

import numpy as np
from gensim.models import Word2Vec

import gonextdoor as gnd

planted = gnd.planted_partition(600, 3, p_in=0.08, p_out=0.004, seed=1)
graph, labels = planted.graph, planted.labels
src, dst = np.repeat(np.arange(graph.num_vertices), graph.degrees()), graph.indices
src, dst = src[src < dst], dst[src < dst]
late = np.argsort(np.maximum(src, dst), kind="stable")  # by the newer vertex
first, *batches = np.array_split(late, [len(late) - 20, len(late) - 10])

stream = gnd.stream(
    gnd.Graph.from_edges(src[first], dst[first], symmetric=True),
    gnd.apps.DeepWalk(length=10),
    repeat=10,
    symmetric=True,
    seed=1,
)
model = Word2Vec(vector_size=32, window=5, sg=1, min_count=1, workers=1, seed=1)
walks = [list(map(str, walk.tolist())) for walk in stream.samples]
model.build_vocab(walks)
model.train(walks, total_examples=len(walks), epochs=3)
for update in stream.updates((src[batch], dst[batch]) for batch in batches):
    walks = [list(map(str, update.samples[row].tolist())) for row in update.rows]
    model.build_vocab(walks, update=True)
    model.train(walks, total_examples=len(walks), epochs=3)
    print(update)

count = stream.graph.num_vertices
near = [(v, int(word)) for v in range(count) for word, _ in model.wv.most_similar(str(v), topn=5)]
same = np.mean([labels[v] == labels[w] for v, w in near])
print(f"nearest neighbours of the same class: {same:.3f} (by chance 0.33)")
