// The order in which a kernel reads missed rows from host memory: by their place there.
//
// The GPU looks up the address of each page of host memory, and keeps the addresses of few pages. A kernel reads rows
// at random places of a large array at half the rate of rows that are close to each other. So the rows are ordered by
// buckets of adjacent rows, by two launches: count_buckets counts the rows of each bucket, and fill_buckets places
// them. Their order within a bucket depends on timing; the result does not.
#pragma once
#include "core/group.cuh"
#include "driver/features.cuh"

namespace nd {

constexpr u32 FeatureBuckets = 1024;
constexpr u32 FeatureOrderThreads = 256;

// count_buckets counts the rows of each bucket.
ND_FN void count_buckets(const FeatureOrder& a) {
  ND_SHARED(u32, counts, FeatureBuckets);
  for (u32 b = thread_index(); b < FeatureBuckets; b += block_size()) counts[b] = 0;
  sync_block();
  u64 rows = leading(a.count, a.limit, a.share);
  for (u64 i = thread_of_grid(); i < rows; i += threads_of_grid())
    add_atomic(counts + (fetch(a.from + i) >> a.shift), 1);
  sync_block();
  for (u32 b = thread_index(); b < FeatureBuckets; b += block_size())
    if (counts[b]) add_atomic(a.counts + b, counts[b]);
}

// fill_buckets writes the rows in the order of their buckets.
ND_FN void fill_buckets(const FeatureOrder& a) {
  using All = Block<FeatureOrderThreads>;
  constexpr u32 Own = FeatureBuckets / FeatureOrderThreads;
  ND_SHARED(u32, begins, FeatureBuckets);
  // 1. Find where each bucket begins.
  u32 first = thread_index() * Own;
  u64 sum = 0;
  for (u32 k = 0; k < Own; k++) sum += a.counts[first + k];
  u32 begin = (u32)(All::scan(sum) - sum);
  for (u32 k = 0; k < Own; k++) {
    begins[first + k] = begin;
    begin += a.counts[first + k];
  }
  sync_block();
  // 2. Place the rows.
  u64 rows = leading(a.count, a.limit, a.share);
  for (u64 i = thread_of_grid(); i < rows; i += threads_of_grid()) {
    u32 row = fetch(a.from + i), bucket = row >> a.shift, at = begins[bucket] + add_atomic(a.placed + bucket, 1);
    a.ordered[at] = row;
    a.ordered_to[at] = a.to ? fetch(a.to + i) : (u32)i;
  }
}

}  // namespace nd
