// The parameters of the kernels of driver/features.cuh and driver/lookahead.cuh, as those of core/args.cuh.
// kernels/driverargs.go mirrors them.
#pragma once
#include "core/types.cuh"

namespace nd {

// FeatureRead is what a batch reads of one array of features: row ids[i] of the array is row i of the result.
struct FeatureRead {
  const void* ids;
  u64 id_bytes;       // 4 or 8 per id
  u64 count;          // ids
  u64 rows;           // of the array; an id is below it
  u64 row_bytes;      // of the array, of `slots` and of the result
  u64 vector;         // bytes of an access: 1, 2, 4, 8 or 16, a divisor of row_bytes and of the addresses
  u64 tile;           // rows that a warp copies, at most 32
  u64 first_tile;     // the number of tiles of the reads before
  const u32* places;  // per row of the array its slot, None: it is on the host; 0: slot i has row i
  const u32* known;   // per row of the result its slot, in place of `places`; 0: unknown
  const u8* slots;    // the rows in GPU memory; 0: all are on the host
  u8* out;            // the result; 0: no rows are copied
  u32* found;         // per row of the result its slot, or None; 0: not written
  u32* missed;        // the ids of missed rows, for CPU threads; without slots that of row i is number i. 0: not listed
  u32* listed;        // the same ids, for a kernel that reads these rows from host memory. 0: not listed
  u32* missed_at;     // per missed row its number in the result; 0: there are no slots
  u64* report;        // the number of missed rows; the least i whose id is out of range, or NoEdge
};

// FeatureBatch is the parameter of read_features: all reads of a batch.
struct FeatureBatch {
  const FeatureRead* reads;
  u64 read_count;
  u64 tiles;  // of all reads
};

// FeatureWrite copies rows to an array in GPU memory: row to[i] of out is row from[i] of rows.
struct FeatureWrite {
  const u8* rows;   // in GPU memory, or in pinned host memory
  const u32* from;  // 0: row i
  const u32* to;    // None: the row is not copied; 0: row i
  u8* out;
  u64 count;
  const u32* limit;  // at most that many rows; 0: no limit
  u64 share;         // only the first of these rows, that many 65536ths rounded down; 0: all
  u64 host;          // 1: rows are in host memory
  u64 row_bytes;
  u64 vector;
  u64 tile;
};

// FeatureOrder orders the rows that write_features copies from host memory by their place there; see
// driver/featureorder.cuh.
struct FeatureOrder {
  const u32* from;  // as in FeatureWrite: rows of the host, and where they are copied to
  const u32* to;
  u64 count;  // as in FeatureWrite, with the next two
  const u32* limit;
  u64 share;
  u64 shift;        // row r is in bucket r >> shift
  u32* counts;      // per bucket the number of its rows; 0 at the begin
  u32* placed;      // per bucket the number of its rows that have been placed; 0 at the begin
  u32* ordered;     // `from` in the order of the buckets
  u32* ordered_to;  // `to` in that order
};

// Lookahead is a cache that evicts the rows whose next use is last; see driver/lookahead.cuh. Batch b is bit b % 60 of
// `uses`, and the class of a row is bits 60 to 63.
struct Lookahead {
  u64* uses;        // per row of the array the announced batches that read it, and its class
  u32* places;      // as in FeatureRead. During a plan, Claim + i: row i of the result is the first that missed it
  u32* owners;      // per slot its row; None: it is empty
  u8* distances;    // of the slots, then of the rows of the result
  const void* ids;  // those of the batch, as in FeatureRead
  u64 id_bytes;
  u64 count;
  u64 rows;          // of the array
  const u32* found;  // per row of the result its slot before the batch, or None
  u64 slots;         // the number of slots
  u64 batch;         // the number of the batch
  u64 part;          // elements of the lists below that a block handles
  u32* counts;       // the numbers of slots, then of rows of the result, by distance
  u32* sums;         // per block of the lists two numbers, see count_swaps
  u32* entering;     // the rows of the result that enter the cache
  u32* leaving;      // the slots that they take
  u32* swaps;        // the length of both
  u64* report;       // announce: the least i whose id is out of range, or NoEdge
};

}  // namespace nd
