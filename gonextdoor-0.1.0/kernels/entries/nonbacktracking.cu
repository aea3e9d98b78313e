// Written by package kernels/entry from its table.
#include "app/nonbacktracking.cuh"
#include "driver/secondorder.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(nonbacktracking_uniform_packed, Walk) { second_order<Uniform<PackedRows>, NonBacktracking>(a); }
ND_KERNEL(nonbacktracking_uniform_plain, Walk) { second_order<Uniform<PlainRows>, NonBacktracking>(a); }
ND_KERNEL(nonbacktracking_alias_packed, Walk) { second_order<Alias<PackedRows>, NonBacktracking>(a); }
ND_KERNEL(nonbacktracking_alias_plain, Walk) { second_order<Alias<PlainRows>, NonBacktracking>(a); }
ND_KERNEL(nonbacktracking_rest_uniform_packed, Walk) { second_order_rest<Uniform<PackedRows>, NonBacktracking>(a); }
ND_KERNEL(nonbacktracking_rest_uniform_plain, Walk) { second_order_rest<Uniform<PlainRows>, NonBacktracking>(a); }
ND_KERNEL(nonbacktracking_rest_alias_packed, Walk) { second_order_rest<Alias<PackedRows>, NonBacktracking>(a); }
ND_KERNEL(nonbacktracking_rest_alias_plain, Walk) { second_order_rest<Alias<PlainRows>, NonBacktracking>(a); }
