// Written by package kernels/entry from its table.
#include "app/path.cuh"
#include "driver/walk.cuh"
#include "selector/bylabel.cuh"

using namespace nd;

ND_KERNEL(labelled_packed, Walk) { walk<ByLabel<PackedLabels>, Path>(a); }
ND_KERNEL(labelled_plain, Walk) { walk<ByLabel<PlainLabels>, Path>(a); }
ND_KERNEL(labelled_counted, Walk) { walk<Counted, Path>(a); }
ND_KERNEL(labelled_search_packed, Walk) { walk<SearchByLabel<PackedLabels>, Path>(a); }
ND_KERNEL(labelled_search_plain, Walk) { walk<SearchByLabel<PlainLabels>, Path>(a); }
ND_KERNEL(labelled_search_counted, Walk) { walk<SearchCounted, Path>(a); }
