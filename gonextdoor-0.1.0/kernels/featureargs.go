package kernels

// The parameters of kernels, generated from core/featureargs.cuh by go test ./kernels -write: fields of 8 bytes. A missing array has the
// address 0.

// FeatureRead is what a batch reads of one array of features: row ids[i] of the array is row i of the result.
type FeatureRead struct {
	IDs       uint64
	IDBytes   uint64 // 4 or 8 per id
	Count     uint64 // ids
	Rows      uint64 // of the array; an id is below it
	RowBytes  uint64 // of the array, of `slots` and of the result
	Vector    uint64 // bytes of an access: 1, 2, 4, 8 or 16, a divisor of row_bytes and of the addresses
	Tile      uint64 // rows that a warp copies, at most 32
	FirstTile uint64 // the number of tiles of the reads before
	Places    uint64 // per row of the array its slot, None: it is on the host; 0: slot i has row i
	Known     uint64 // per row of the result its slot, in place of `places`; 0: unknown
	Slots     uint64 // the rows in GPU memory; 0: all are on the host
	Out       uint64 // the result; 0: no rows are copied
	Found     uint64 // per row of the result its slot, or None; 0: not written
	Missed    uint64 // the ids of missed rows, for CPU threads; without slots that of row i is number i. 0: not listed
	Listed    uint64 // the same ids, for a kernel that reads these rows from host memory. 0: not listed
	MissedAt  uint64 // per missed row its number in the result; 0: there are no slots
	Report    uint64 // the number of missed rows; the least i whose id is out of range, or NoEdge
}

// FeatureBatch is the parameter of read_features: all reads of a batch.
type FeatureBatch struct {
	Reads     uint64
	ReadCount uint64
	Tiles     uint64 // of all reads
}

// FeatureWrite copies rows to an array in GPU memory: row to[i] of out is row from[i] of rows.
type FeatureWrite struct {
	Rows     uint64 // in GPU memory, or in pinned host memory
	From     uint64 // 0: row i
	To       uint64 // None: the row is not copied; 0: row i
	Out      uint64
	Count    uint64
	Limit    uint64 // at most that many rows; 0: no limit
	Share    uint64 // only the first of these rows, that many 65536ths rounded down; 0: all
	Host     uint64 // 1: rows are in host memory
	RowBytes uint64
	Vector   uint64
	Tile     uint64
}

// FeatureOrder orders the rows that write_features copies from host memory by their place there; see
// driver/featureorder.cuh.
type FeatureOrder struct {
	From      uint64 // as in FeatureWrite: rows of the host, and where they are copied to
	To        uint64
	Count     uint64 // as in FeatureWrite, with the next two
	Limit     uint64
	Share     uint64
	Shift     uint64 // row r is in bucket r >> shift
	Counts    uint64 // per bucket the number of its rows; 0 at the begin
	Placed    uint64 // per bucket the number of its rows that have been placed; 0 at the begin
	Ordered   uint64 // `from` in the order of the buckets
	OrderedTo uint64 // `to` in that order
}

// Lookahead is a cache that evicts the rows whose next use is last; see driver/lookahead.cuh. Batch b is bit b % 60 of
// `uses`, and the class of a row is bits 60 to 63.
type Lookahead struct {
	Uses      uint64 // per row of the array the announced batches that read it, and its class
	Places    uint64 // as in FeatureRead. During a plan, Claim + i: row i of the result is the first that missed it
	Owners    uint64 // per slot its row; None: it is empty
	Distances uint64 // of the slots, then of the rows of the result
	IDs       uint64 // those of the batch, as in FeatureRead
	IDBytes   uint64
	Count     uint64
	Rows      uint64 // of the array
	Found     uint64 // per row of the result its slot before the batch, or None
	Slots     uint64 // the number of slots
	Batch     uint64 // the number of the batch
	Part      uint64 // elements of the lists below that a block handles
	Counts    uint64 // the numbers of slots, then of rows of the result, by distance
	Sums      uint64 // per block of the lists two numbers, see count_swaps
	Entering  uint64 // the rows of the result that enter the cache
	Leaving   uint64 // the slots that they take
	Swaps     uint64 // the length of both
	Report    uint64 // announce: the least i whose id is out of range, or NoEdge
}
