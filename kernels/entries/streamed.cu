// Written by package kernels/entry from its table.
#include "app/teleport.cuh"
#include "driver/streamedwalk.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(streamed_enter, StreamedWalk) { enter_walkers(a); }
ND_KERNEL(streamed_patch, StreamedWalk) { patch_samples(a); }
ND_KERNEL(streamed_walk_uniform, StreamedWalk) { advance_walkers<FirstOrder<Uniform<PlainRows>, Straight, false>>(a); }
ND_KERNEL(streamed_stopped_uniform, StreamedWalk) {
  advance_walkers<FirstOrder<Uniform<PlainRows>, Straight, true>>(a);
}
ND_KERNEL(streamed_teleport_uniform, StreamedWalk) {
  advance_walkers<FirstOrder<Uniform<PlainRows>, Teleport, false>>(a);
}
ND_KERNEL(streamed_node2vec_uniform, StreamedWalk) { advance_walkers<SecondOrder<Uniform<PlainRows>>>(a); }
ND_KERNEL(streamed_walk_alias, StreamedWalk) { advance_walkers<FirstOrder<Alias<PlainRows>, Straight, false>>(a); }
ND_KERNEL(streamed_stopped_alias, StreamedWalk) { advance_walkers<FirstOrder<Alias<PlainRows>, Straight, true>>(a); }
ND_KERNEL(streamed_teleport_alias, StreamedWalk) { advance_walkers<FirstOrder<Alias<PlainRows>, Teleport, false>>(a); }
ND_KERNEL(streamed_node2vec_alias, StreamedWalk) { advance_walkers<SecondOrder<Alias<PlainRows>>>(a); }
