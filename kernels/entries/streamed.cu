// Written by package kernels/entry from its table.
#include "app/metropolis.cuh"
#include "app/nonbacktracking.cuh"
#include "app/path.cuh"
#include "app/teleport.cuh"
#include "driver/streamedcomputed.cuh"
#include "driver/streamedoutliers.cuh"
#include "driver/streamedpool.cuh"
#include "driver/streamedsecond.cuh"
#include "driver/streamedtime.cuh"
#include "selector/alias.cuh"
#include "selector/search.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(streamed_enter, StreamedWalk) { enter_walkers(a); }
ND_KERNEL(streamed_pools, StreamedWalk) { enter_pools(a); }
ND_KERNEL(streamed_patch, StreamedWalk) { patch_samples(a); }
ND_KERNEL_FULL(streamed_walk_uniform, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, Uniform<PlainRows>, Straight>>(a);
}
ND_KERNEL(streamed_stopped_uniform, StreamedWalk) { advance_walkers<Stopped<Uniform<PlainRows>>>(a); }
ND_KERNEL(streamed_teleport_uniform, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, Uniform<PlainRows>, Teleport>>(a);
}
ND_KERNEL(streamed_multiroot_uniform, StreamedWalk) { advance_walkers<ManyRoots<Uniform<PlainRows>>>(a); }
ND_KERNEL(streamed_node2vec_uniform, StreamedWalk) { advance_walkers<StreamedNode2Vec<Uniform<PlainRows>>>(a); }
ND_KERNEL(streamed_node2vecoutliers_uniform, StreamedWalk) {
  advance_walkers<SecondOrderOutliers<Uniform<PlainRows>>>(a);
}
ND_KERNEL(streamed_nonbacktracking_uniform, StreamedWalk) {
  advance_walkers<SecondOrderSteps<StreamedSecond, Uniform<PlainRows>, NonBacktracking>>(a);
}
ND_KERNEL(streamed_walk_alias, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, Alias<PlainRows>, Straight>>(a);
}
ND_KERNEL(streamed_stopped_alias, StreamedWalk) { advance_walkers<Stopped<Alias<PlainRows>>>(a); }
ND_KERNEL(streamed_teleport_alias, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, Alias<PlainRows>, Teleport>>(a);
}
ND_KERNEL(streamed_multiroot_alias, StreamedWalk) { advance_walkers<ManyRoots<Alias<PlainRows>>>(a); }
ND_KERNEL(streamed_node2vec_alias, StreamedWalk) { advance_walkers<StreamedNode2Vec<Alias<PlainRows>>>(a); }
ND_KERNEL(streamed_node2vecoutliers_alias, StreamedWalk) { advance_walkers<SecondOrderOutliers<Alias<PlainRows>>>(a); }
ND_KERNEL(streamed_nonbacktracking_alias, StreamedWalk) {
  advance_walkers<SecondOrderSteps<StreamedSecond, Alias<PlainRows>, NonBacktracking>>(a);
}
ND_KERNEL(streamed_walk_search, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, Search<PlainRows>, Straight>>(a);
}
ND_KERNEL(streamed_stopped_search, StreamedWalk) { advance_walkers<Stopped<Search<PlainRows>>>(a); }
ND_KERNEL_FULL(streamed_metropolis, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, Proposal<PlainRows, KnownDegrees>, Metropolis>>(a);
}
ND_KERNEL(streamed_pool, StreamedWalk) { advance_walkers<StreamedPool>(a); }
ND_KERNEL(streamed_labelled, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, PlacedByLabel<ByLabel<PlainLabels>>, Path>>(a);
}
ND_KERNEL(streamed_labelled_counted, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, Counted, Path>>(a);
}
ND_KERNEL(streamed_labelled_search, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, PlacedByLabel<SearchByLabel<PlainLabels>>, Path>>(a);
}
ND_KERNEL(streamed_labelled_search_counted, StreamedWalk) {
  advance_walkers<FirstOrderSteps<StreamedFirst, SearchCounted, Path>>(a);
}
ND_KERNEL(streamed_computed_degree, StreamedWalk) { advance_walkers<StreamedComputed<ByDegree<KnownDegrees>>>(a); }
ND_KERNEL(streamed_temporal_uniform, StreamedWalk) { advance_walkers<InOrderOfTime<UniformInTime>>(a); }
ND_KERNEL(streamed_temporal_linear, StreamedWalk) { advance_walkers<InOrderOfTime<LinearInTime>>(a); }
ND_KERNEL(streamed_temporal_exponential, StreamedWalk) { advance_walkers<InOrderOfTime<ExponentialInTime>>(a); }
