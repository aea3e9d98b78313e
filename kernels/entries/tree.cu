// Written by package kernels/entry from its table.
#include "driver/tree.cuh"

using namespace nd;

ND_KERNEL(tree_uniform_packed, Tree) { tree_picks<PackedRows, Uniformly, TreeTask>(a); }
ND_KERNEL(tree_uniform_plain, Tree) { tree_picks<PlainRows, Uniformly, TreeTask>(a); }
ND_KERNEL(tree_alias_packed, Tree) { tree_picks<PackedRows, ByAlias, TreeTask>(a); }
ND_KERNEL(tree_alias_plain, Tree) { tree_picks<PlainRows, ByAlias, TreeTask>(a); }
ND_KERNEL(tree_all_packed, Tree) { tree_picks<PackedRows, Everything, TreeTask>(a); }
ND_KERNEL(tree_all_plain, Tree) { tree_picks<PlainRows, Everything, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_1_packed, Tree) { tree_choices<PackedRows, Permuted, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_1_plain, Tree) { tree_choices<PlainRows, Permuted, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_successive_1_packed, Tree) { tree_choices<PackedRows, Successively, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_successive_1_plain, Tree) { tree_choices<PlainRows, Successively, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_postponed_1_packed, Tree) { postponed_choices<PackedRows, ChoiceThreads / 1, TreeTask>(a); }
ND_KERNEL_OF(128, tree_postponed_1_plain, Tree) { postponed_choices<PlainRows, ChoiceThreads / 1, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_8_packed, Tree) { tree_choices<PackedRows, Permuted, Tile<8>, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_8_plain, Tree) { tree_choices<PlainRows, Permuted, Tile<8>, TreeTask>(a); }
ND_KERNEL_OF(128, tree_successive_8_packed, Tree) { tree_choices<PackedRows, Successively, Tile<8>, TreeTask>(a); }
ND_KERNEL_OF(128, tree_successive_8_plain, Tree) { tree_choices<PlainRows, Successively, Tile<8>, TreeTask>(a); }
ND_KERNEL_OF(128, tree_postponed_8_packed, Tree) { postponed_choices<PackedRows, ChoiceThreads / 8, TreeTask>(a); }
ND_KERNEL_OF(128, tree_postponed_8_plain, Tree) { postponed_choices<PlainRows, ChoiceThreads / 8, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_32_packed, Tree) { tree_choices<PackedRows, Permuted, Warp, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_32_plain, Tree) { tree_choices<PlainRows, Permuted, Warp, TreeTask>(a); }
ND_KERNEL_OF(128, tree_successive_32_packed, Tree) { tree_choices<PackedRows, Successively, Warp, TreeTask>(a); }
ND_KERNEL_OF(128, tree_successive_32_plain, Tree) { tree_choices<PlainRows, Successively, Warp, TreeTask>(a); }
ND_KERNEL_OF(128, tree_postponed_32_packed, Tree) { postponed_choices<PackedRows, ChoiceThreads / 32, TreeTask>(a); }
ND_KERNEL_OF(128, tree_postponed_32_plain, Tree) { postponed_choices<PlainRows, ChoiceThreads / 32, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_128_packed, Tree) {
  tree_choices<PackedRows, Permuted, Block<ChoiceThreads>, TreeTask>(a);
}
ND_KERNEL_OF(128, tree_permute_128_plain, Tree) {
  tree_choices<PlainRows, Permuted, Block<ChoiceThreads>, TreeTask>(a);
}
ND_KERNEL_OF(128, tree_successive_128_packed, Tree) {
  tree_choices<PackedRows, Successively, Block<ChoiceThreads>, TreeTask>(a);
}
ND_KERNEL_OF(128, tree_successive_128_plain, Tree) {
  tree_choices<PlainRows, Successively, Block<ChoiceThreads>, TreeTask>(a);
}
ND_KERNEL_OF(128, tree_permute_few5_packed, Tree) { tree_choices<PackedRows, PermutedFew<5>, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_few5_plain, Tree) { tree_choices<PlainRows, PermutedFew<5>, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_few10_packed, Tree) { tree_choices<PackedRows, PermutedFew<10>, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_few10_plain, Tree) { tree_choices<PlainRows, PermutedFew<10>, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_few15_packed, Tree) { tree_choices<PackedRows, PermutedFew<15>, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_few15_plain, Tree) { tree_choices<PlainRows, PermutedFew<15>, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_few25_packed, Tree) { tree_choices<PackedRows, PermutedFew<25>, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_permute_few25_plain, Tree) { tree_choices<PlainRows, PermutedFew<25>, Lane, TreeTask>(a); }
ND_KERNEL_OF(128, tree_biased_packed, Tree) { biased_edges<PackedRows, TreeTask>(a); }
ND_KERNEL_OF(128, tree_biased_plain, Tree) { biased_edges<PlainRows, TreeTask>(a); }
ND_KERNEL_OF(128, tree_long_permute_packed, Tree) { long_choices<PackedRows, false>(a); }
ND_KERNEL_OF(128, tree_long_permute_plain, Tree) { long_choices<PlainRows, false>(a); }
ND_KERNEL_OF(128, tree_long_successive_packed, Tree) { long_choices<PackedRows, true>(a); }
ND_KERNEL_OF(128, tree_long_successive_plain, Tree) { long_choices<PlainRows, true>(a); }
