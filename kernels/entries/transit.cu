// Written by package kernels/entry from its table.
#include "driver/transit.cuh"

using namespace nd;

ND_KERNEL(transit_uniform_packed, Tree) { tree_picks<PackedRows, Uniformly, SortedTask>(a); }
ND_KERNEL(transit_uniform_plain, Tree) { tree_picks<PlainRows, Uniformly, SortedTask>(a); }
ND_KERNEL(transit_alias_packed, Tree) { tree_picks<PackedRows, ByAlias, SortedTask>(a); }
ND_KERNEL(transit_alias_plain, Tree) { tree_picks<PlainRows, ByAlias, SortedTask>(a); }
ND_KERNEL(transit_all_packed, Tree) { tree_picks<PackedRows, Everything, SortedTask>(a); }
ND_KERNEL(transit_all_plain, Tree) { tree_picks<PlainRows, Everything, SortedTask>(a); }
ND_KERNEL_OF(128, transit_permute_1_packed, Tree) { tree_choices<PackedRows, Permuted, Lane, SortedTask>(a); }
ND_KERNEL_OF(128, transit_permute_1_plain, Tree) { tree_choices<PlainRows, Permuted, Lane, SortedTask>(a); }
ND_KERNEL_OF(128, transit_successive_1_packed, Tree) { tree_choices<PackedRows, Successively, Lane, SortedTask>(a); }
ND_KERNEL_OF(128, transit_successive_1_plain, Tree) { tree_choices<PlainRows, Successively, Lane, SortedTask>(a); }
ND_KERNEL_OF(128, transit_postponed_1_packed, Tree) { postponed_choices<PackedRows, ChoiceThreads / 1, SortedTask>(a); }
ND_KERNEL_OF(128, transit_postponed_1_plain, Tree) { postponed_choices<PlainRows, ChoiceThreads / 1, SortedTask>(a); }
ND_KERNEL_OF(128, transit_permute_8_packed, Tree) { tree_choices<PackedRows, Permuted, Tile<8>, SortedTask>(a); }
ND_KERNEL_OF(128, transit_permute_8_plain, Tree) { tree_choices<PlainRows, Permuted, Tile<8>, SortedTask>(a); }
ND_KERNEL_OF(128, transit_successive_8_packed, Tree) { tree_choices<PackedRows, Successively, Tile<8>, SortedTask>(a); }
ND_KERNEL_OF(128, transit_successive_8_plain, Tree) { tree_choices<PlainRows, Successively, Tile<8>, SortedTask>(a); }
ND_KERNEL_OF(128, transit_postponed_8_packed, Tree) { postponed_choices<PackedRows, ChoiceThreads / 8, SortedTask>(a); }
ND_KERNEL_OF(128, transit_postponed_8_plain, Tree) { postponed_choices<PlainRows, ChoiceThreads / 8, SortedTask>(a); }
ND_KERNEL_OF(128, transit_permute_32_packed, Tree) { tree_choices<PackedRows, Permuted, Warp, SortedTask>(a); }
ND_KERNEL_OF(128, transit_permute_32_plain, Tree) { tree_choices<PlainRows, Permuted, Warp, SortedTask>(a); }
ND_KERNEL_OF(128, transit_successive_32_packed, Tree) { tree_choices<PackedRows, Successively, Warp, SortedTask>(a); }
ND_KERNEL_OF(128, transit_successive_32_plain, Tree) { tree_choices<PlainRows, Successively, Warp, SortedTask>(a); }
ND_KERNEL_OF(128, transit_postponed_32_packed, Tree) {
  postponed_choices<PackedRows, ChoiceThreads / 32, SortedTask>(a);
}
ND_KERNEL_OF(128, transit_postponed_32_plain, Tree) { postponed_choices<PlainRows, ChoiceThreads / 32, SortedTask>(a); }
ND_KERNEL_OF(128, transit_permute_128_packed, Tree) {
  tree_choices<PackedRows, Permuted, Block<ChoiceThreads>, SortedTask>(a);
}
ND_KERNEL_OF(128, transit_permute_128_plain, Tree) {
  tree_choices<PlainRows, Permuted, Block<ChoiceThreads>, SortedTask>(a);
}
ND_KERNEL_OF(128, transit_successive_128_packed, Tree) {
  tree_choices<PackedRows, Successively, Block<ChoiceThreads>, SortedTask>(a);
}
ND_KERNEL_OF(128, transit_successive_128_plain, Tree) {
  tree_choices<PlainRows, Successively, Block<ChoiceThreads>, SortedTask>(a);
}
ND_KERNEL_OF(128, transit_permute_few5_packed, Tree) { few_choices<PackedRows, 5>(a); }
ND_KERNEL_OF(128, transit_permute_few5_plain, Tree) { few_choices<PlainRows, 5>(a); }
ND_KERNEL_OF(128, transit_permute_few10_packed, Tree) { few_choices<PackedRows, 10>(a); }
ND_KERNEL_OF(128, transit_permute_few10_plain, Tree) { few_choices<PlainRows, 10>(a); }
ND_KERNEL_OF(128, transit_permute_few15_packed, Tree) { few_choices<PackedRows, 15>(a); }
ND_KERNEL_OF(128, transit_permute_few15_plain, Tree) { few_choices<PlainRows, 15>(a); }
ND_KERNEL_OF(128, transit_permute_few25_packed, Tree) { few_choices<PackedRows, 25>(a); }
ND_KERNEL_OF(128, transit_permute_few25_plain, Tree) { few_choices<PlainRows, 25>(a); }
ND_KERNEL_OF(128, transit_biased_packed, Tree) { biased_edges<PackedRows, SortedTask>(a); }
ND_KERNEL_OF(128, transit_biased_plain, Tree) { biased_edges<PlainRows, SortedTask>(a); }
ND_KERNEL_OF(1024, transit_count, TransitOrder) { count_transits(a); }
ND_KERNEL_OF(1024, transit_sort, TransitOrder) { sort_transits(a); }
ND_KERNEL_OF(1024, transit_write, TransitOrder) { write_sorted<false>(a); }
ND_KERNEL_OF(1024, transit_write_few, TransitOrder) { write_sorted<true>(a); }
