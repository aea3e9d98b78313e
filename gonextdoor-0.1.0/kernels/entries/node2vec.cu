// Written by package kernels/entry from its table.
#include "app/node2vec.cuh"
#include "driver/secondorder.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL_FULL(node2vec_uniform_packed, Walk) { second_order<Uniform<PackedRows>, Node2Vec>(a); }
ND_KERNEL_FULL(node2vec_uniform_plain, Walk) { second_order<Uniform<PlainRows>, Node2Vec>(a); }
ND_KERNEL_FULL(node2vec_alias_packed, Walk) { second_order<Alias<PackedRows>, Node2Vec>(a); }
ND_KERNEL_FULL(node2vec_alias_plain, Walk) { second_order<Alias<PlainRows>, Node2Vec>(a); }
ND_KERNEL(node2vec_rest_uniform_packed, Walk) { second_order_rest<Uniform<PackedRows>, Node2Vec>(a); }
ND_KERNEL(node2vec_rest_uniform_plain, Walk) { second_order_rest<Uniform<PlainRows>, Node2Vec>(a); }
ND_KERNEL(node2vec_rest_alias_packed, Walk) { second_order_rest<Alias<PackedRows>, Node2Vec>(a); }
ND_KERNEL(node2vec_rest_alias_plain, Walk) { second_order_rest<Alias<PlainRows>, Node2Vec>(a); }
