package plan

import "gonextdoor/gonextdoor/app"

// Thresholds and sizes. None of them can change a result.
const (
	// Group is how many walkers an engine keeps in flight in one loop.
	Group = 256
	// Pools is how many pools of vertices are walked together, with PoolVertices at most: their sums fit a second-level cache.
	Pools        = 64
	PoolVertices = 1 << 14
	// HookedGroup is how many walkers, or samples, with hooks are grown together.
	HookedGroup = 256
	// HookedSamples is how many samples with hooks are grown level by level together.
	HookedSamples = 64
	// HookedRows is how many candidates of whole rows are weighed in one call.
	HookedRows = 4096
	// PiecesPerThread is how many pieces a thread's share of whole samples is cut into.
	PiecesPerThread = 8
	// Chunk is how many samples a thread takes at a time.
	Chunk = 4096
	// Block is how many transits are expanded between two looks at memory: their rows, then their edges' ends, are asked
	// for together.
	Block = 64
	// BlockEdges ends a block early: what it asks for must still lie in the second-level cache when it is read.
	BlockEdges = 4096
	// Turn is how many vertices of a mini-batch are expanded before the edges chosen earlier are looked after.
	Turn = 8
	// ParallelNodes is the smallest number of nodes for which several threads expand one hop of a mini-batch. Each takes
	// ParallelPiece nodes at a time. More than ParallelThreads would wait for the thread that assigns local ids.
	ParallelNodes   = 1024
	ParallelPiece   = 256
	ParallelThreads = 4
	// RowsAhead is how many vertices ahead the rows are asked for.
	RowsAhead = 64
	// Lag is how many edges lie between asking for memory and reading it.
	Lag = 64
	// Ahead is how many draws of a weighted choice are prepared before the first is looked up.
	Ahead = 64
	// TreeGroup is how many vertices of trees are grown level by level together.
	TreeGroup = 1 << 16
	// MaxDenseIDs is the largest number of vertices for which a mini-batch looks up local ids in an array with an entry per
	// vertex (4 bytes per vertex and thread). Larger graphs take a hash map.
	MaxDenseIDs = 1 << 26

	// Walks of unknown length are taken in pieces of up to TracePiece samples and about TraceBlock steps. Each thread may
	// hold TracesPerThread pieces that wait for an earlier one.
	TracePiece      = 8192
	TraceBlock      = 1 << 21
	TracesPerThread = 4
	// SetPays is how many edges are put into the graph's EdgeSet in the time that it saves one second-order step.
	SetPays = 8
	// LabelRowsPay is how many edges are ordered by label in the time that the table saves one step by a label.
	LabelRowsPay = app.LabelRowsPay
	// GPUBlock is how many threads of a GPU are a block, where a kernel does not say.
	GPUBlock = 256
	// LaunchSteps is about how many steps one launch takes: some 50 ms, between which a caller can stop the run. A launch
	// has LaunchRows rows at least, which fill a card; Flights of them are on their way together.
	LaunchSteps = 1 << 30
	LaunchRows  = 1 << 18
	// LaunchTurn is how many steps of a row one launch takes at most: few rows are as slow as the card's memory answers.
	LaunchTurn = 1 << 16
	Flights    = 2
	// LaneDegree is the longest row whose computed biases one lane weighs. ComputedSlow is how many plain steps one such
	// step takes, about.
	LaneDegree   = 16
	ComputedSlow = 16
	// UnboundSlow is the same for users' biases without a bound, which weigh every edge of each row.
	UnboundSlow = 256
	// RestBlocks is how many blocks a processor gets of a kernel for the few rows that another one left.
	RestBlocks = 2
	// Mini-batches on a GPU: hops and relations, batches and picks of a vertex without replacement that a launch can have.
	NeighborSteps   = 4096
	NeighborBatches = 512
	NeighborPicks   = 4096
	// NeighborFirst is how many edges a launch has room for at most before anything is known of its like,
	// NeighborLeast is added to what is, NeighborShapes are remembered.
	NeighborFirst  = 1 << 24
	NeighborLeast  = 1 << 10
	NeighborShapes = 64
	// NeighborHub is how many edges of a row a block of a GPU does by itself before others help, NeighborSlots how
	// many such tasks can wait.
	NeighborHub   = 4096
	NeighborSlots = 1024
	// NeighborPart is the least part of the table of nodes that those of a batch are spread over.
	NeighborPart = 1 << 15
	// NeighborWatch is how many microseconds the host looks for what was drawn before it sleeps.
	NeighborWatch = 2000
	// NeighborBlockEdges is how many edges there is room for where a block more is launched.
	NeighborBlockEdges = 256

	// PoolEach is how many vertices of a pool a lane of a GPU weighs at least where several make a sample together.
	PoolEach = 2
	// WideVertices is from how many vertices on the next row is read beside the edge: a table of rows is then too large
	// for the second-level cache of a card.
	WideVertices = 1 << 23
	// WideEdges is from how many edges on it pays for any table of rows, since end points are then as far away as records.
	WideEdges = 1 << 27
	// SlimEdges is from how many edges on their end points are read packed: there are then too many for that cache.
	SlimEdges = 1 << 23
	// StoppedBlock is the block of walks that stop by themselves: a small one, since it is done when its last walk is.
	StoppedBlock = 96
	// A leg of samples that differ in length has so many steps that none is expected to go on: LegSteps and LegMeans times
	// the mean more than the longest one. It has LegBytes at most.
	LegSteps = 16
	LegMeans = 6
	LegBytes = 8 << 30
	// Unsettled is how many results may keep their legs until somebody asks how many vertices they have.
	Unsettled = 2
	// HostBytes is how much of a result is copied from a card at a time.
	HostBytes = 1 << 26
	// RaggedGuess bounds the vertices of a result whose memory is asked for on a guess.
	RaggedGuess = 1 << 26

	// UploadChunk is how many bytes of a graph are copied to a card at a time, by way of pinned memory; UploadPiece is how
	// many of them one thread copies at a time.
	UploadChunk = int64(16 << 20)
	UploadPiece = 1 << 20
	// BuildThreads is the size of a block of the kernels that make layouts, BuildBlocks how many a processor of the card
	// gets at most.
	BuildThreads = 256
	BuildBlocks  = 32
	// ResultsShare is the part of a card's memory, 1 in so many, that graphs leave to results where they can.
	ResultsShare = 16
	// Walks without traces are taken in the order of their vertices where they are CrowdRows or more, and CrowdPerVertex
	// or more for each vertex of the graph. The host looks at the card every CrowdTurn steps.
	CrowdRows      = 1 << 20
	CrowdPerVertex = 1
	CrowdTurn      = 32
	CrowdAdd       = 1 << 16 // vertices whose visits a thread adds at a time
	// TallyVertices is how many vertices of samples are made at a time where only their visits or ends are asked for, and
	// TallySteps how many steps are expected of samples that differ in length.
	TallyVertices = 1 << 24
	DeviceTally   = 1 << 29 // TallyVertices where they are made on a card
	TallySteps    = 16
)
