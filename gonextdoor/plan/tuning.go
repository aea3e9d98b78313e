package plan

import "gonextdoor/gonextdoor/apps"

// Thresholds and sizes. They affect speed and memory only, never a result.
const (
	// Group is the number of walkers that an engine keeps in flight in one loop.
	Group = 256
	// Pools is the number of pools of vertices that are walked together, with at most PoolVertices vertices, so that their
	// sums fit the L2 cache.
	Pools        = 64
	PoolVertices = 1 << 14
	// HookedGroup is the number of walkers, or samples, with hooks that are grown together.
	HookedGroup = 256
	// HookedSamples is the number of samples with hooks that are grown together, level by level.
	HookedSamples = 64
	// HookedRows is the number of candidates of complete rows that are weighed in one call.
	HookedRows = 4096
	// PiecesPerThread is the number of pieces into which a thread's share of samples made one by one is cut.
	PiecesPerThread = 8
	// Chunk is the number of samples that a thread takes at a time.
	Chunk = 4096
	// Block is the number of transits that are expanded together: their rows are prefetched, then the ends of their edges.
	Block = 64
	// BlockEdges ends a block early: what it prefetches must still be in the L2 cache when it is read.
	BlockEdges = 4096
	// NodeGroup is the number of nodes of a mini-batch whose edges are chosen together, before the pipeline continues with the
	// edges chosen earlier.
	NodeGroup = 8
	// ParallelNodes is the smallest number of nodes for which several threads expand one hop of a mini-batch. Each takes
	// ParallelPiece nodes at a time. More than ParallelThreads would wait for the thread that assigns local ids.
	ParallelNodes   = 1024
	ParallelPiece   = 256
	ParallelThreads = 4
	// RowsAhead is the prefetch distance of rows, in vertices.
	RowsAhead = 64
	// Lag is the prefetch distance of edges: the number of edges between a prefetch and the read.
	Lag = 64
	// Ahead is the number of draws of a weighted choice that are prepared before the first is looked up.
	Ahead = 64
	// TreeGroup is the number of vertices of trees that are grown together, level by level.
	TreeGroup = 1 << 16
	// MaxDenseIDs is the largest number of vertices for which a mini-batch looks up local ids in an array with an entry per
	// vertex (4 bytes per vertex and thread). Larger graphs take a hash map.
	MaxDenseIDs = 1 << 26

	// Walks of unknown length are run in pieces of up to TracePiece samples and about TraceBlock steps. Each thread may
	// hold TracesPerThread finished pieces that wait for an earlier one.
	TracePiece      = 8192
	TraceBlock      = 1 << 21
	TracesPerThread = 4
	// SetPays is the number of edges that are inserted in the graph's EdgeSet in the time that it saves per second-order step.
	SetPays = 8
	// LabelRowsPay is the number of edges that are ordered by label in the time that the table saves per step by a label.
	LabelRowsPay = apps.LabelRowsPay
	// GPUBlock is the number of threads per block of kernels that do not set another.
	GPUBlock = 256
	// LaunchSteps is the approximate number of steps per launch: some 50 ms, between which a caller can stop the run. A
	// launch has at least LaunchRows rows, which fill a GPU; Flights launches are in flight at a time.
	LaunchSteps = 1 << 30
	LaunchRows  = 1 << 18
	// LaunchRowSteps is the largest number of steps of a row per launch. A launch of few rows is bound by memory latency.
	LaunchRowSteps = 1 << 16
	Flights        = 2
	// HopLaunch is about the number of breadth-first searches per launch, see kernels/driver/negativehops.cuh, and HopMemory is
	// how many bytes of bitmaps they take.
	HopLaunch = 1 << 14
	HopMemory = 1 << 30
	// LaneDegree is the largest degree of a row whose computed biases are weighed by one lane. ComputedSlow is the
	// approximate cost of such a step, in plain steps.
	LaneDegree   = 16
	ComputedSlow = 16
	// UnboundSlow is the same for users' biases without a bound, which weigh every edge of each row.
	UnboundSlow = 256
	// RestBlocks is the number of blocks per SM of a kernel for the few rows that another kernel left.
	RestBlocks = 2
	// NeighborBatches is the largest number of mini-batches of a launch on a GPU. NeighborPicks is the largest number of
	// draws of a vertex that are stored in shared memory if they depend on one another; more are stored in device memory.
	NeighborBatches = 512
	NeighborPicks   = 4096
	// TreePicks is the largest number of picks of a vertex of a tree without replacement, unless it takes all edges. A block
	// has that many picks in shared memory.
	TreePicks = 4096
	// TreeRows is the number of adjacent rows of trees that a block has in sample order: two sectors of each column. More rows
	// would leave less of the L1 cache to the edges that the transits of a row share.
	TreeRows = 16
	// A step of trees is in transit order only if the graph has TransitEdges edges, each transit TransitFanout picks, and a
	// launch TransitPicks per edge; in some kinds of trees only if the end point of an edge has TransitDegree edges in the
	// mean. The memory of the order is at most 1 in TransitShare bytes of the GPU's.
	TransitEdges  = SlimEdges
	TransitFanout = 4
	TransitPicks  = 4
	TransitDegree = 64
	TransitEqual  = 16 // from this fan-out on, many unweighted picks with replacement are equal
	TransitShare  = 8
	// TransitRows is the base 2 logarithm of the number of adjacent rows that a block of few picks writes to a column.
	TransitRows = 10
	// NeighborFirstEdges is the largest capacity in edges of a launch for which no earlier one is a measure.
	// NeighborSpareEdges is added to a measured capacity. The capacities of NeighborShapes shapes of call are remembered.
	NeighborFirstEdges = 1 << 24
	NeighborSpareEdges = 1 << 10
	NeighborShapes     = 64
	// NeighborHubEdges is the number of edges of a row that one block chooses before it queues the rest for other blocks.
	// NeighborHubTasks is the length of that queue.
	NeighborHubEdges = 4096
	NeighborHubTasks = 1024
	// NeighborTablePart is the smallest part of the hash table of nodes over which the nodes of a batch are spread.
	NeighborTablePart = 1 << 15
	// A direct id map has at most NeighborDirectNumbers numbers, or NeighborDirect times the memory of a hash table instead.
	NeighborDirect        = 2
	NeighborDirectNumbers = 1 << 22
	// NeighborSpin is the time in microseconds for which the host polls for the result before it blocks.
	NeighborSpin = 2000
	// A launch whose end points the host reads has up to HostEndBatches mini-batches. A call has HostEndLaunches such launches
	// in progress: the host reads for some while the GPU chooses for others. A thread reads HostEndPiece end points at a time.
	HostEndBatches  = 16
	HostEndLaunches = 2
	HostEndPiece    = 1 << 12
	// NeighborBlockEdges is the capacity in edges per launched block, and NeighborBlockRecords is the number of records of the
	// id map that a block clears: a batch with few edges may have a large map. Below NeighborHalfEdges, a launch has half of the
	// blocks that a GPU runs at once, which wait for each other for less time.
	NeighborBlockEdges   = 256
	NeighborBlockRecords = 1 << 12
	NeighborHalfEdges    = 1 << 18

	// PoolEach is the smallest number of vertices of a pool per lane if several lanes make a sample together.
	PoolEach = 2
	// WideVertices is the number of vertices from which on the next row is stored beside each edge: a table of rows no
	// longer fits the L2 cache of a GPU.
	WideVertices = 1 << 23
	// WideEdges is the number of edges from which on that pays for any number of vertices, since end points are then as
	// slow to read as records.
	WideEdges = 1 << 27
	// SlimEdges is the number of edges from which on end points are read packed: plain ones no longer fit the L2 cache.
	SlimEdges = 1 << 23
	// StoppedBlock is the block size of walks that stop by themselves. It is small, since a block ends with its last walk.
	StoppedBlock = 96
	// A step chunk of samples that differ in length is meant to be the only one: it has StepChunkMin steps, and
	// StepChunkMeans times the mean length more than the expected longest sample, in at most StepChunkBytes bytes.
	StepChunkMin   = 16
	StepChunkMeans = 6
	StepChunkBytes = 8 << 30
	// UnsettledResults is the number of results that may keep their step chunks until their number of vertices is needed.
	UnsettledResults = 2
	// HostBytes is the number of bytes of a result that are copied from a GPU at a time.
	HostBytes = 1 << 26
	// RaggedGuess bounds the number of vertices of a result whose memory is allocated by an estimate.
	RaggedGuess = 1 << 26

	// LayeredWarpOperations is the largest expected number of operations of a layered sample that one warp makes.
	LayeredWarpOperations = 2048
	// The approximate times of a layered sample on a GPU, in nanoseconds: per operation by a block, and by all blocks of a
	// launch together, with the time of their barriers; and per pick that depends on the pick before.
	BlockOperation = 3.5
	GridOperation  = 0.6
	GridStart      = 400e3
	SerialPick     = 650
	// Workspaces and arenas of layered samples have LayeredSlack times the expected size and LayeredSpare elements more. Each
	// of the two takes at most one in LayeredShare bytes of a GPU's memory, unless one sample needs more.
	LayeredSlack = 1.25
	LayeredSpare = 1 << 10
	LayeredShare = 8
	// LayeredFirst is the largest number of vertices of a sample for which the first workspaces have memory.
	LayeredFirst = 1 << 20
	// LayeredUnbounded is taken for the number of vertices, and of operations, of a layered sample that nothing bounds.
	LayeredUnbounded = 64
	// LayeredCandidates bounds the candidates of a choice of a user's app for which a workspace has memory at first.
	LayeredCandidates = 1 << 14
	// LayeredNeeds is the number of samples like the largest one so far for which a further arena has memory.
	LayeredNeeds = 16
	// LayeredSearch is the largest degree per vertex of a sample at which a GPU scans a row for links. It searches longer
	// rows for the vertices.
	LayeredSearch = 32
	// A layer of LADIES has up to CandidateSlack times the expected number of candidates in nearly all samples: a few have a
	// hub. If importances are normalised by rows, hubs are likely in every layer. They share their neighbours, so the number
	// of candidates varies less, and is less than one in SharedNeighbors/CandidateSlack of the edges.
	CandidateSlack  = 10
	SharedNeighbors = 20
	// ImportanceOperations is the number of operations per edge in the rows of a layer of LADIES or FastGCN.
	ImportanceOperations = 8
	// LinksPerVertex is the number of links per vertex of LADIES and FastGCN for which a first arena has memory.
	LinksPerVertex = 16

	// UploadChunk is the number of bytes of a graph that are copied to a GPU at a time through pinned memory. UploadPiece
	// is the number of them that a thread copies at a time.
	UploadChunk = int64(16 << 20)
	UploadPiece = 1 << 20
	// BuildThreads is the block size of the kernels that build layouts. BuildBlocks is their largest number of blocks per SM.
	BuildThreads = 256
	BuildBlocks  = 32
	// ResultsShare is the fraction of a GPU's memory, 1 in ResultsShare, that graphs leave to results if possible.
	ResultsShare = 16
	// SplitPieces is the largest number of pieces, of which each can be replicated alone, into which an array of a graph
	// that is split over GPUs is cut for each part. Arrays of at most ReplicatedGranules granules (of 2 MiB) are
	// replicated first.
	SplitPieces        = 512
	ReplicatedGranules = 2
	// HotDegree is the degree from which edges are equally worth replicating: no more of a row are read at a time.
	HotDegree = 32
	// ReplicaWait is how many milliseconds a layout waits for calls that use replicas, whose memory it needs.
	ReplicaWait = 2_000
	// Walks without traces run partitioned by vertex from PartitionedRows walks on, if there are at least
	// PartitionedPerVertex per vertex of the graph. The host polls the GPU every PartitionedCheck steps.
	PartitionedRows      = 1 << 20
	PartitionedPerVertex = 1
	PartitionedCheck     = 32
	// VisitsVertices is the number of sampled vertices that are made at a time if only their visits or ends are wanted,
	// VisitsDeviceVertices the same on a GPU. VisitsSteps is the assumed length of samples that differ in length.
	VisitsVertices       = 1 << 24
	VisitsDeviceVertices = 1 << 29
	VisitsSteps          = 16
)
