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
	// FeatureKernelBytes is the smallest size of rows that a kernel may read from host memory: some 50 million reads per second
	// are possible, whatever their size. FeatureSample is the bytes of rows by which both ways are measured, in an order with the
	// stride FeatureStride, a prime number.
	FeatureKernelBytes = 128
	FeatureSample      = 16 << 20
	FeatureStride      = 7919
	// LookaheadPart is the smallest number of slots that a block of a cache with lookahead handles. There are about
	// LookaheadParts blocks at most.
	LookaheadPart  = 2048
	LookaheadParts = 4096
)
