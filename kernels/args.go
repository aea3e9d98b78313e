package kernels

// The parameters of kernels, generated from core/args.cuh by go test ./kernels -write: fields of 8 bytes. A missing array has the
// address 0.

// Graph is a graph in device memory. The plan decides which of the layouts are there.
type Graph struct {
	Indptr          uint64 // V+1
	Indices         uint64 // E+1, None after the last edge
	Packed          uint64 // the rows of four vertices in 16 bytes; see graph/packed.cuh
	Wide            uint64 // per edge the end point and its row; see graph/wide.cuh
	Alias           uint64 // per edge its slot of the alias table: end point, other end point, threshold, other place
	WideAlias       uint64 // two per edge: the slot with both end points' rows; see graph/wide.cuh
	Biases          uint64 // per edge
	Labels          uint64 // per edge
	IDs             uint64 // per edge its id, of id_size bytes; 0: ids are positions
	LabelRows       uint64 // V*label_kinds+1: where the edges of a vertex with a label begin in the two below
	LabelIndices    uint64
	LabelPositions  uint64
	Bloom           uint64 // a bitmap of the edges; see graph/edgeset.cuh
	Weights         uint64 // per edge, for users' hooks
	Largest         uint64 // per vertex
	Prefix          uint64 // per edge
	Vertices, Edges uint64
	IDSize          uint64 // 4 or 8
	LabelKinds      uint64 // labels are 0 .. label_kinds-1 in device memory
	BloomMask       uint64 // the number of its words, less 1
	Mirrored        uint64 // 1 if every edge has its mirror, else 0
	PackedLabels    uint64 // where each vertex's edges of each label begin; see graph/packedlabels.cuh
	Slim            uint64 // the end points of edges in 25 bits, five in 16 bytes; see graph/slim.cuh
	Biased          uint64 // per vertex the number of its edges with a positive bias
}

// Batch is the samples of a launch: the rows from ... rows-1, or the rows that a list has at the places from ...
// rows-1.
type Batch struct {
	Roots      uint64 // of all rows of the run, width for each; 0: the row's number
	Alive      uint64 // the list; 0: all rows
	AliveCount uint64 // its length, if the host does not know it; else 0
	Rows       uint64 // the end of the launch
	Row        uint64 // the run's number of row 0
	Repeat     uint64 // rows of each root
	Width      uint64 // roots of a sample
	First      uint64 // the id of the run's row 0
	Stream     uint64 // rng.NewStream(seed, Choices)
	From       uint64 // the begin of the launch
}

// Trace is what a launch writes: slot s of row r at s*stride + r. If the launch has a list of rows, the columns of the
// trace are indexed by the place in the list, all other arrays by the row. The addresses are those that slot 0 would
// have.
type Trace struct {
	Vertices   uint64 // 0: no trace
	Edges      uint64 // the edge of step s in slot s; 0: no edges
	Lengths    uint64 // steps taken so far, if samples differ in length or a launch leaves rows to another
	Ends       uint64 // the vertex that a row is at, if lengths differ or there is no trace
	Previous   uint64 // and the previous vertex
	Stride     uint64
	Begin, End uint64 // the steps to take: [begin, end)
	Alive      uint64 // list of the rows that continue after end, or in another launch
	AliveCount uint64
}

// Walk is the parameter of every kernel that walks. The fields after the first three belong to single apps.
type Walk struct {
	G                Graph
	B                Batch
	T                Trace
	Threshold        uint64 // PPR, MetaPath: stop; Jump, Restart: teleport; in units of 2^-32
	Most             uint64 // steps of a sample at most; 0: no end
	Back, Near, Away uint64 // Node2Vec: biases of second order, in units of 2^-32
	Bound            uint64 // of computed biases
	Path             uint64 // MetaPath: the labels, as kinds
	PathLength       uint64
	Pool             uint64 // pools: the sample's vertices, slot k of row r at k*stride + r
	PoolPrevious     uint64
	Queue            uint64 // of tasks; see driver/queue.cuh
	Counts           uint64 // per vertex its visits
	Home             uint64 // teleports lead to the root: 1, to any vertex: 0
	LaneDegree       uint64 // computed biases: a row that is longer is weighed by a warp
	WarpRows         uint64 // samples that a warp has at a time
	ShortPath        uint64 // MetaPath: a path of up to 8 labels below 256, 8 bits each, if path is 0
}

// Draw is the parameter of the kernel that draws roots.
type Draw struct {
	To           uint64
	Count, Width uint64 // of roots; vertices of each
	Stream       uint64 // rng.NewStream(seed, Roots)
	First        uint64 // the id of the first root's first sample
	Repeat       uint64 // samples of each root
	Vertices     uint64 // of the graph
}

// PageRank is the parameter of the kernels of personalised PageRank. A launch takes some parts of rows: a part is
// RankPart walks of one row; see driver/pagerank.cuh.
type PageRank struct {
	G          Graph
	Seeds      uint64 // of each row; with sets, the members of all sets
	SetRows    uint64 // rows+1: where the members of each row's set begin; 0: a row has one seed
	SetAlias   uint64 // the alias tables of the sets; 0: members have equal weights
	Walks      uint64 // of each row
	Parts      uint64 // rows+1: the parts before each row
	Rows       uint64
	Begin, End uint64 // the parts of this launch
	Stream     uint64 // rng.NewStream(seed, Scores)
	First      uint64 // the id of row 0
	Threshold  uint64 // stop, in units of 2^-32
	Restarts   uint64 // at sinks: 1, or 0 if walks end there
	Table      uint64 // slots of two words for each row: the vertex plus 1, or 0; visits and, in the upper half, walks
	Slots      uint64 // of a row
	Full       uint64 // set to 1 if a row needs more
	Found      uint64 // the entries gathered so far
	From       uint64 // of each row: where its entries begin in the arrays below
	Sizes      uint64 // of each row: their number
	Vertices   uint64
	Visits     uint64
	Visitors   uint64
}

// StepChunks is the parameter of the kernels that compact samples of different lengths. A chunk is what one launch has
// written of them: the steps [begin, end) of all rows, or of the rows of a list. See driver/stepchunks.cuh.
type StepChunks struct {
	B          Batch
	Lengths    uint64 // steps of each row
	Vertices   uint64 // the chunk's trace: step s of its row number i at (s-begin)*stride + i
	Edges      uint64 // likewise; 0: no edges
	Stride     uint64
	Begin, End uint64
	Offsets    uint64 // rows+1: where each sample begins, roots included
	Sums       uint64 // sums of lengths, see driver/sampleoffsets.cuh
	ToVertices uint64
	ToEdges    uint64 // -1 at roots
	Capacity   uint64 // of to_vertices, in vertices
}

// Build is the parameter of the kernels that build a graph's layouts: from g, the elements begin ... end-1. Each kernel
// documents what its elements are (vertices, edges, groups of vertices) and which outputs it writes.
type Build struct {
	G          Graph
	Quads      uint64
	Offsets    uint64
	Words      uint64
	Positions  uint64
	Weights    uint64
	Largest    uint64
	Prefix     uint64
	Scales     uint64 // per vertex, as graph.Graph has them
	Kinds      uint64 // the labels that occur, ascending: g.label_kinds of them
	Begin, End uint64
}

// PartitionedWalk is the parameter of the kernels of partitioned walks: walkers are stored by the partition of their
// vertex, the vertices v with one v >> shift, in any order within it. See driver/partitionedwalk.cuh.
type PartitionedWalk struct {
	G         Graph
	B         Batch
	WalkersAt uint64 // vertex and row of each
	ToWalkers uint64 // the same, a step later
	Sizes     uint64 // walkers in each partition; every SizeStride-th element is used
	ToSizes   uint64
	Recounted uint64 // likewise, after an overflow
	Firsts    uint64 // where each partition begins
	ToFirsts  uint64 // partitions+1: the next ones
	Tiles     uint64 // tiles before those of each partition, and their number
	Overflow  uint64 // 1 if a partition had too little room
	Counts    uint64 // visits of each vertex
	Ends      uint64 // per row the vertex where it ends; 0: not written
	Walkers   uint64 // rows
	Step      uint64
	Shift     uint64
}

// Step is one relation in one hop of mini-batches.
type Step struct {
	G                   Graph
	Fanout              uint64 // NoEdge: all edges
	Hop, Relation       uint64
	Destination, Source uint64 // types
	Replace, Weighted   uint64 // 1 or 0
	Hubs                uint64 // 1 if long rows may be pushed to the queue
	HopBegin            uint64 // the first step of its hop: the frontier is the nodes known before it
	FrontierBegin       uint64 // of those, only the nodes not known before this step; NoEdge: all
	Excluded            uint64 // the positions of excluded edges, ascending
	ExcludedCount       uint64
}

// NeighborSampler is the parameter of the kernels that sample mini-batches, several in one launch. Nodes and seeds have a
// list for each type and batch: list type*batches + batch. See driver/neighborsampler.cuh.
type NeighborSampler struct {
	Steps                                uint64
	StepCount, Types, Relations, Batches uint64
	Words                                uint64 // the seed of each batch
	SeedAt                               uint64 // where the seeds of batch b and type t begin: at b*types + t, and the end of all
	Seeds                                uint64
	Vertices                             uint64 // of each type
	Disjoint                             uint64 // 1 if each seed is the root of a separate tree
	Pairs                                uint64 // edges are written as pairs: 1, by destination: 0
	Arrived                              uint64 // of sync_grid
	Status                               uint64 // the phase of a fault plus 1; 0: none
	Known                                uint64 // for each step, and before the first, the nodes of each list
	EdgeAt                               uint64 // for each step where each batch's edges begin, and their end: batches+1 numbers
	FrontierAt                           uint64 // where each step's offsets begin, and the end of all
	Report                               uint64 // the host's copy of status, known and edge_at, consecutive
	Table                                uint64 // of the nodes; see driver/nodes.cuh
	TableMask                            uint64
	TablePart                            uint64 // records of a batch's part of the table, a power of two
	Nodes                                uint64 // list l begins at l*node_capacity
	Trees                                uint64 // beside nodes: the number of the tree's seed; 0: trees are not disjoint
	NodeCapacity                         uint64
	Offsets                              uint64 // per frontier node its first edge within its batch, and the end; step by step
	OffsetCapacity                       uint64
	Slots                                uint64 // of each edge: its source's slot in the table
	Targets                              uint64 // of each edge: its destination's number; only for pairs
	Positions                            uint64 // of each edge
	EdgeCapacity                         uint64
	Sums                                 uint64 // of tiles of frontier nodes, and of edges: see driver/tiles.cuh
	SumCapacity                          uint64
	Fresh                                uint64 // a bit per edge, by tiles: it is the first to lead to its source
	Queue                                uint64 // of tasks at hubs; 0: none
	QueueSlots                           uint64
	HubDegree                            uint64 // edges of a row that a block does by itself
	Arena                                uint64 // the result; see driver/compact.cuh
	ArenaCapacity                        uint64 // in numbers; an array that does not fit is not written
}
