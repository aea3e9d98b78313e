// Written by package kernels/entry from its table.
#include "driver/featureorder.cuh"
#include "driver/lookahead.cuh"

using namespace nd;

ND_KERNEL(features_read, FeatureBatch) { read_features(a); }
ND_KERNEL(features_write, FeatureWrite) { write_features(a); }
ND_KERNEL(features_count, FeatureOrder) { count_buckets(a); }
ND_KERNEL(features_order, FeatureOrder) { fill_buckets(a); }
ND_KERNEL(lookahead_announce, Lookahead) { announce(a); }
ND_KERNEL(lookahead_forget, Lookahead) { forget(a); }
ND_KERNEL(lookahead_claim, Lookahead) { claim_missed(a); }
ND_KERNEL(lookahead_distances, Lookahead) { count_distances(a); }
ND_KERNEL(lookahead_count, Lookahead) { count_swaps(a); }
ND_KERNEL(lookahead_list, Lookahead) { list_swaps(a); }
ND_KERNEL(lookahead_swap, Lookahead) { swap_rows(a); }
