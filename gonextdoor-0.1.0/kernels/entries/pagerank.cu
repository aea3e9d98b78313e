// Written by package kernels/entry from its table.
#include "driver/pagerank.cuh"
#include "selector/alias.cuh"
#include "selector/uniform.cuh"

using namespace nd;

ND_KERNEL(pagerank_uniform_packed, PageRank) { pagerank<Uniform<PackedRows>>(a); }
ND_KERNEL(pagerank_uniform_plain, PageRank) { pagerank<Uniform<PlainRows>>(a); }
ND_KERNEL(pagerank_alias_packed, PageRank) { pagerank<Alias<PackedRows>>(a); }
ND_KERNEL(pagerank_alias_plain, PageRank) { pagerank<Alias<PlainRows>>(a); }
ND_KERNEL(pagerank_gather, PageRank) { gather_visits(a); }
