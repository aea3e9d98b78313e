// Written by package kernels/entry from its table.
#include "graph/buildalias.cuh"
#include "graph/buildlabels.cuh"
#include "graph/segments.cuh"
#include "graph/slim.cuh"

using namespace nd;

ND_KERNEL(layout_packed, Build) { build_packed(a); }
ND_KERNEL(layout_wide, Build) { build_wide(a); }
ND_KERNEL(layout_wide_alias, Build) { build_wide_alias(a); }
ND_KERNEL(layout_alias_pairs, Build) { build_alias_pairs(a); }
ND_KERNEL(layout_alias_slots, Build) { build_alias_slots(a); }
ND_KERNEL(layout_bloom, Build) { build_bloom(a); }
ND_KERNEL(layout_unmirrored, Build) { build_unmirrored(a); }
ND_KERNEL(layout_weights, Build) { build_weights(a); }
ND_KERNEL(layout_by_label, Build) { build_by_label(a); }
ND_KERNEL(layout_packed_labels, Build) { build_packed_labels(a); }
ND_KERNEL(layout_slim, Build) { build_slim(a); }
ND_KERNEL(layout_biased, Build) { build_biased(a); }
ND_KERNEL(layout_segments, Build) { build_segments(a); }
ND_KERNEL(layout_label_biases, Build) { build_label_biases(a); }
ND_KERNEL(layout_label_segments, Build) { build_label_segments(a); }
