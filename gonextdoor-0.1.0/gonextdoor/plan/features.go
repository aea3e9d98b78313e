package plan

// Sizes of reads of features. They affect speed and memory only.
const (
	// FeaturePiece is the bytes of a piece of missed rows that is copied to a GPU by one call. A GPU has FeaturePieces of them in
	// pinned memory, so that threads seldom wait for a copy. A thread gathers FeaturePart bytes of a piece at a time, or less, so
	// that each thread has at least FeatureShare parts.
	FeaturePiece  = 512 << 10
	FeaturePieces = 64
	FeaturePart   = 128 << 10
	FeatureShare  = 2
	// FeatureWarps is the smallest number of warps per SM that copy rows within GPU memory, if there are as many rows.
	FeatureWarps = 32
	// FeatureFill is the number of rows that are copied to a cache at a time when it is filled.
	FeatureFill = 1 << 20
	// FeatureSharedFill is the bytes of rows that are copied at a time to slots that GPUs share.
	FeatureSharedFill = 64 << 20
	// FeatureKernelBytes is the smallest size of rows for which a kernel is measured: it reads 32 bytes from host memory by one
	// request, so threads gather smaller rows. FeatureHostBlocks is the number of blocks of that kernel: half as many do not keep the link busy, and
	// twice as many delay a training step. FeatureHostVectors is the number of accesses that a warp has in flight.
	FeatureKernelBytes = 32
	FeatureHostBlocks  = 32
	FeatureHostVectors = 128
	// FeatureSample is the bytes of rows by which the ways are measured, in an order with the stride FeatureStride, a prime number.
	// FeatureRounds reads of them overlap.
	FeatureSample = 16 << 20
	FeatureStride = 7919
	FeatureRounds = 4
	// FeatureMemory is the weight of the reads before, compared with the latest read, in the rates that divide missed rows
	// between the kernel and CPU threads. Each has at least one of FeatureLeast parts of the rows.
	FeatureMemory = 0.75
	FeatureLeast  = 32
	// LookaheadPart is the smallest number of slots that a block of a cache with lookahead handles. There are about
	// LookaheadParts blocks at most.
	LookaheadPart  = 2048
	LookaheadParts = 4096
)
