// The random streams of a hop of the neighbour sampler, and the keys of its choices; see HopStream in gonextdoor/app.
#pragma once
#include "core/args.cuh"
#include "core/draw.cuh"

namespace nd {

constexpr u64 BatchesPurpose = 8;  // rng.Batches

// hop_stream returns the stream of a relation in a hop of a batch.
ND_FN u64 hop_stream(const NeighborSampler& a, u32 batch, u64 relation, u64 hop) {
  return word_of(key_of(mix(a.batch_seeds[batch] + (1 + BatchesPurpose) * Gamma), relation), hop);
}

// key_of_choice returns the key of a node's choice.
ND_FN u64 key_of_choice(const NeighborSampler& a, const Step& step, u32 batch, u32 tree, u32 v) {
  u64 stream = hop_stream(a, batch, step.relation, step.hop);
  return a.trees ? derived_key(key_of(stream, tree - a.seed_node_at[batch * a.types]), 0, v) : key_of(stream, v);
}

}  // namespace nd
