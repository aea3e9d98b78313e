// Written by package kernels/entry from its table.
#include "app/node2vecahead.cuh"
#include "driver/secondorderahead.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(node2vecoutliers_uniform_packed, Walk) { second_order<Uniform<PackedRows>, Node2VecOutliers>(a); }
ND_KERNEL(node2vecoutliers_uniform_plain, Walk) { second_order<Uniform<PlainRows>, Node2VecOutliers>(a); }
ND_KERNEL(node2vecoutliers_alias_packed, Walk) { second_order<Alias<PackedRows>, Node2VecOutliers>(a); }
ND_KERNEL(node2vecoutliers_alias_plain, Walk) { second_order<Alias<PlainRows>, Node2VecOutliers>(a); }
ND_KERNEL(node2vecoutliers_rest_uniform_packed, Walk) { second_order_rest<Uniform<PackedRows>, Node2VecOutliers>(a); }
ND_KERNEL(node2vecoutliers_rest_uniform_plain, Walk) { second_order_rest<Uniform<PlainRows>, Node2VecOutliers>(a); }
ND_KERNEL(node2vecoutliers_rest_alias_packed, Walk) { second_order_rest<Alias<PackedRows>, Node2VecOutliers>(a); }
ND_KERNEL(node2vecoutliers_rest_alias_plain, Walk) { second_order_rest<Alias<PlainRows>, Node2VecOutliers>(a); }
ND_KERNEL_OF(512, node2vecoutliers_ahead_uniform_packed, Walk) {
  second_order_ahead<Uniform<PackedRows>, Node2VecAhead<8>>(a);
}
ND_KERNEL_OF(512, node2vecoutliers_ahead_uniform_plain, Walk) {
  second_order_ahead<Uniform<PlainRows>, Node2VecAhead<8>>(a);
}
ND_KERNEL_OF(512, node2vecoutliers_ahead_alias_packed, Walk) {
  second_order_ahead<Alias<PackedRows>, Node2VecAhead<2>>(a);
}
ND_KERNEL_OF(512, node2vecoutliers_ahead_alias_plain, Walk) {
  second_order_ahead<Alias<PlainRows>, Node2VecAhead<2>>(a);
}
