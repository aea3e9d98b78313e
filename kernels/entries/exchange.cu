// Written by package kernels/entry from its table.
#include "app/metropolis.cuh"
#include "app/nonbacktracking.cuh"
#include "app/outliers.cuh"
#include "app/path.cuh"
#include "app/teleport.cuh"
#include "driver/exchange.cuh"
#include "selector/alias.cuh"
#include "selector/bylabel.cuh"
#include "selector/search.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(exchange_walk_uniform_packed, Exchange) { exchange_walk<Uniform<PackedRows>, Straight>(a); }
ND_KERNEL(exchange_walk_uniform_plain, Exchange) { exchange_walk<Uniform<PlainRows>, Straight>(a); }
ND_KERNEL(exchange_walk_alias_packed, Exchange) { exchange_walk<Alias<PackedRows>, Straight>(a); }
ND_KERNEL(exchange_walk_alias_plain, Exchange) { exchange_walk<Alias<PlainRows>, Straight>(a); }
ND_KERNEL(exchange_walk_uniform_slim, Exchange) { exchange_walk<SlimUniform, Straight>(a); }
ND_KERNEL(exchange_walk_search_packed, Exchange) { exchange_walk<Search<PackedRows>, Straight>(a); }
ND_KERNEL(exchange_walk_search_plain, Exchange) { exchange_walk<Search<PlainRows>, Straight>(a); }
ND_KERNEL(exchange_teleport_uniform_packed, Exchange) { exchange_walk<Uniform<PackedRows>, Teleport>(a); }
ND_KERNEL(exchange_teleport_uniform_plain, Exchange) { exchange_walk<Uniform<PlainRows>, Teleport>(a); }
ND_KERNEL(exchange_teleport_alias_packed, Exchange) { exchange_walk<Alias<PackedRows>, Teleport>(a); }
ND_KERNEL(exchange_teleport_alias_plain, Exchange) { exchange_walk<Alias<PlainRows>, Teleport>(a); }
ND_KERNEL(exchange_metropolis_packed, Exchange) { exchange_walk<Proposal<PackedRows>, Metropolis>(a); }
ND_KERNEL(exchange_metropolis_plain, Exchange) { exchange_walk<Proposal<PlainRows>, Metropolis>(a); }
ND_KERNEL(exchange_labelled_packed, Exchange) { exchange_walk<ByLabel<PackedLabels>, Path>(a); }
ND_KERNEL(exchange_labelled_plain, Exchange) { exchange_walk<ByLabel<PlainLabels>, Path>(a); }
ND_KERNEL(exchange_labelled_counted, Exchange) { exchange_walk<Counted, Path>(a); }
ND_KERNEL(exchange_labelled_search_packed, Exchange) { exchange_walk<SearchByLabel<PackedLabels>, Path>(a); }
ND_KERNEL(exchange_labelled_search_plain, Exchange) { exchange_walk<SearchByLabel<PlainLabels>, Path>(a); }
ND_KERNEL(exchange_labelled_search_counted, Exchange) { exchange_walk<SearchCounted, Path>(a); }
ND_KERNEL(exchange_node2vec_uniform_packed, Exchange) { exchange_second<Uniform<PackedRows>, Node2Vec>(a); }
ND_KERNEL(exchange_node2vec_uniform_plain, Exchange) { exchange_second<Uniform<PlainRows>, Node2Vec>(a); }
ND_KERNEL(exchange_node2vec_alias_packed, Exchange) { exchange_second<Alias<PackedRows>, Node2Vec>(a); }
ND_KERNEL(exchange_node2vec_alias_plain, Exchange) { exchange_second<Alias<PlainRows>, Node2Vec>(a); }
ND_KERNEL(exchange_node2vec_rest_uniform_packed, Exchange) { exchange_rest<Uniform<PackedRows>, Node2Vec>(a); }
ND_KERNEL(exchange_node2vec_rest_uniform_plain, Exchange) { exchange_rest<Uniform<PlainRows>, Node2Vec>(a); }
ND_KERNEL(exchange_node2vec_rest_alias_packed, Exchange) { exchange_rest<Alias<PackedRows>, Node2Vec>(a); }
ND_KERNEL(exchange_node2vec_rest_alias_plain, Exchange) { exchange_rest<Alias<PlainRows>, Node2Vec>(a); }
ND_KERNEL(exchange_node2vecoutliers_uniform_packed, Exchange) {
  exchange_second<Uniform<PackedRows>, Node2VecOutliers>(a);
}
ND_KERNEL(exchange_node2vecoutliers_uniform_plain, Exchange) {
  exchange_second<Uniform<PlainRows>, Node2VecOutliers>(a);
}
ND_KERNEL(exchange_node2vecoutliers_alias_packed, Exchange) { exchange_second<Alias<PackedRows>, Node2VecOutliers>(a); }
ND_KERNEL(exchange_node2vecoutliers_alias_plain, Exchange) { exchange_second<Alias<PlainRows>, Node2VecOutliers>(a); }
ND_KERNEL(exchange_node2vecoutliers_rest_uniform_packed, Exchange) {
  exchange_rest<Uniform<PackedRows>, Node2VecOutliers>(a);
}
ND_KERNEL(exchange_node2vecoutliers_rest_uniform_plain, Exchange) {
  exchange_rest<Uniform<PlainRows>, Node2VecOutliers>(a);
}
ND_KERNEL(exchange_node2vecoutliers_rest_alias_packed, Exchange) {
  exchange_rest<Alias<PackedRows>, Node2VecOutliers>(a);
}
ND_KERNEL(exchange_node2vecoutliers_rest_alias_plain, Exchange) {
  exchange_rest<Alias<PlainRows>, Node2VecOutliers>(a);
}
ND_KERNEL(exchange_nonbacktracking_uniform_packed, Exchange) {
  exchange_second<Uniform<PackedRows>, NonBacktracking>(a);
}
ND_KERNEL(exchange_nonbacktracking_uniform_plain, Exchange) { exchange_second<Uniform<PlainRows>, NonBacktracking>(a); }
ND_KERNEL(exchange_nonbacktracking_alias_packed, Exchange) { exchange_second<Alias<PackedRows>, NonBacktracking>(a); }
ND_KERNEL(exchange_nonbacktracking_alias_plain, Exchange) { exchange_second<Alias<PlainRows>, NonBacktracking>(a); }
ND_KERNEL(exchange_nonbacktracking_rest_uniform_packed, Exchange) {
  exchange_rest<Uniform<PackedRows>, NonBacktracking>(a);
}
ND_KERNEL(exchange_nonbacktracking_rest_uniform_plain, Exchange) {
  exchange_rest<Uniform<PlainRows>, NonBacktracking>(a);
}
ND_KERNEL(exchange_nonbacktracking_rest_alias_packed, Exchange) {
  exchange_rest<Alias<PackedRows>, NonBacktracking>(a);
}
ND_KERNEL(exchange_nonbacktracking_rest_alias_plain, Exchange) { exchange_rest<Alias<PlainRows>, NonBacktracking>(a); }
ND_KERNEL(exchange_roots, Walk) { write_roots(a); }
