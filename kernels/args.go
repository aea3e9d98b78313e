package kernels

// The parameters of kernels, which go test ./kernels -write makes of core/args.cuh: fields of 8 bytes, an address of what
// is not there is 0.

// Graph is a graph on the card. Which of the layouts are there follows from the plan.
type Graph struct {
	Indptr          uint64 // V+1
	Indices         uint64 // E+1, behind the last edge None
	Packed          uint64 // the rows of four vertices in 16 bytes; see graph/packed.cuh
	Wide            uint64 // for each edge its end point with that one's row; see graph/wide.cuh
	Alias           uint64 // for each edge its slot of the alias table: end point, the other's, threshold, the other's place
	WideAlias       uint64 // two for each edge: the slot with both end points' rows; see graph/wide.cuh
	Biases          uint64 // for each edge
	Labels          uint64 // for each edge
	IDs             uint64 // for each edge its id, of id_size bytes; 0: the position
	LabelRows       uint64 // V*label_kinds+1: where the edges of a vertex with a label begin in the two below
	LabelIndices    uint64
	LabelPositions  uint64
	Bloom           uint64 // a bitmap of the edges; see graph/edgeset.cuh
	Weights         uint64 // for each edge, for users' hooks
	Largest         uint64 // for each vertex
	Prefix          uint64 // for each edge
	Vertices, Edges uint64
	IDSize          uint64 // 4 or 8
	LabelKinds      uint64 // labels are 0 .. label_kinds-1 on the card
	BloomMask       uint64 // the number of its words, less 1
	Mirrored        uint64 // whether every edge has its mirror: 1 or 0
	PackedLabels    uint64 // where each vertex's edges of each label begin; see graph/packedlabels.cuh
	Slim            uint64 // the end points of edges in 25 bits, five in 16 bytes; see graph/slim.cuh
	Biased          uint64 // for each vertex the number of its edges that have a bias
}

// Batch says which samples a launch makes: rows from ... rows-1, or those on places from ... rows-1 of a list.
type Batch struct {
	Roots      uint64 // of all rows of the run, width for each; 0: the row's number
	Alive      uint64 // the list; 0: all rows
	AliveCount uint64 // how long it is, where the host does not know; 0: it does
	Rows       uint64 // where the launch ends
	Row        uint64 // what to add to a row for its number in the run
	Repeat     uint64 // rows of each root
	Width      uint64 // roots of a sample
	First      uint64 // the id of the run's row 0
	Stream     uint64 // rng.NewStream(seed, Choices)
	From       uint64 // where the launch begins
}

// Trace is where a launch writes: slot s of row r at s*stride + r. Where a launch has a list of rows, its columns go by
// the place in the list, and all else by the row. The addresses are those that slot 0 would have.
type Trace struct {
	Vertices   uint64 // 0: no trace is wanted
	Edges      uint64 // the edge of step s in slot s; 0: not wanted
	Lengths    uint64 // of samples that differ in length, and of rows that a launch leaves to another: steps taken so far
	Ends       uint64 // of such, or where no trace is wanted: the vertex that a row is at
	Previous   uint64 // and the one before
	Stride     uint64
	Begin, End uint64 // the steps to take: [begin, end)
	Alive      uint64 // room for a list of the rows that go on: behind end, or in another launch
	AliveCount uint64
}

// Walk is the parameter of every kernel that walks. The last fields are the app's own.
type Walk struct {
	G                Graph
	B                Batch
	T                Trace
	Threshold        uint64 // PPR, MetaPath: stop; Jump, Restart: leap; in units of 2^-32
	Most             uint64 // steps of a sample at most; 0: no end
	Back, Near, Away uint64 // Node2Vec: biases of second order, in units of 2^-32
	Bound            uint64 // of computed biases
	Path             uint64 // MetaPath: the labels, as numbers of the card's kinds
	PathLength       uint64
	Pool             uint64 // pools: the sample's vertices, slot k of row r at k*stride + r
	PoolPrevious     uint64
	Queue            uint64 // of tasks; see driver/queue.cuh
	Counts           uint64 // for each vertex, where visits are counted
	Home             uint64 // leaps lead to the root: 1, to any vertex: 0
	LaneDegree       uint64 // computed biases: a row that is longer is weighed by a warp
	WarpRows         uint64 // how many samples a warp has at a time
	ShortPath        uint64 // MetaPath: a path of up to 8 labels below 256, 8 bits each, where there is no address
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

// PageRank is the parameter of the kernels of personalised PageRank. A launch takes some of the parts of rows: a part is
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

// StepChunks is the parameter of the kernels that lay samples of different length one behind the other. A leg is what one
// launch has written of them: the steps [begin, end) of all rows, or of those on a list.
type StepChunks struct {
	B          Batch
	Lengths    uint64 // steps of each row
	Vertices   uint64 // the leg's trace: step s of its row number i at (s-begin)*stride + i
	Edges      uint64 // likewise; 0: not wanted
	Stride     uint64
	Begin, End uint64
	Offsets    uint64 // rows+1: where each sample begins, roots included
	Sums       uint64 // of the lengths of some rows each, sums of those, and the total; see driver/sampleoffsets.cuh
	ToVertices uint64
	ToEdges    uint64 // -1 at roots
	Room       uint64 // vertices that there is room for
}

// Build is the parameter of the kernels that make a graph's layouts: from g, of elements begin ... end-1. What the
// elements are (vertices, edges, groups of vertices) and which of the outputs are written, each kernel says.
type Build struct {
	G          Graph
	Quads      uint64
	Offsets    uint64
	Words      uint64
	Positions  uint64
	Weights    uint64
	Largest    uint64
	Prefix     uint64
	Scales     uint64 // for each vertex, as graph.Graph has them
	Kinds      uint64 // the labels that occur, ascending: g.label_kinds of them
	Begin, End uint64
}

// PartitionedWalk is the parameter of the kernels that walk in the order of the vertices: walkers lie by the partition that their
// vertex is in, the vertices v with one v >> shift, in any order within it. See driver/partitionedwalk.cuh.
type PartitionedWalk struct {
	G         Graph
	B         Batch
	WalkersAt uint64 // vertex and row of each
	ToWalkers uint64 // the same, a step later
	Sizes     uint64 // walkers in each partition; one in SizeStride elements is used
	ToSizes   uint64
	Recounted uint64 // likewise, where to_walkers had too little room
	Firsts    uint64 // where each partition begins
	ToFirsts  uint64 // and the end of the last: the room of each
	Tiles     uint64 // tiles before those of each partition, and their number
	Overflow  uint64 // whether a partition had too little room
	Counts    uint64 // visits of each vertex
	Ends      uint64 // of each row, the vertex where it ends; 0: not wanted
	Walkers   uint64 // rows
	Step      uint64
	Shift     uint64
}

// Choices is the parameter of the kernels that make single choices, for tests: of driver/choices.cuh.
type Choices struct {
	G           Graph
	Keys        uint64 // of each choice
	Vertices    uint64 // whose row is chosen from, or how many candidates there are
	Takes       uint64 // how many are to be taken
	Picks       uint64 // of choice i from i*room on
	Ends        uint64 // their end points
	Got         uint64 // how many were taken
	Count, Room uint64
	Selector    uint64 // 0 Permute, 1 of a lane, 2 Uniform, 3 Successive, 4 Alias
}

// Step is what one relation does in one hop of mini-batches.
type Step struct {
	G                   Graph
	Fanout              uint64 // NoEdge: all edges
	Hop, Relation       uint64
	Destination, Source uint64 // types
	Replace, Weighted   uint64 // 1 or 0
	Hubs                uint64 // long rows may be left to the queue: 1 or 0
	HopBegin            uint64 // the first step of its hop: the nodes that are known before it are due
	FrontierBegin       uint64 // of those, only what was not known before this step; NoEdge: all
	Excluded            uint64 // the positions of edges that are left out, ascending
	ExcludedCount       uint64
}

// Neighborhood is the parameter of the kernels that sample mini-batches, several in one launch. Nodes and seeds have a
// list for each type and batch: list type*batches + batch. See driver/neighborhood.cuh.
type Neighborhood struct {
	Steps                                uint64
	StepCount, Types, Relations, Batches uint64
	Words                                uint64 // the seed of each batch
	SeedAt                               uint64 // where the seeds of batch b and type t begin: at b*types + t, and the end of all
	Seeds                                uint64
	Vertices                             uint64 // of each type
	Disjoint                             uint64 // each seed is the root of a tree of its own: 1 or 0
	Pairs                                uint64 // edges are laid as pairs: 1, by destination: 0
	Arrived                              uint64 // of sync_grid
	Status                               uint64 // what went wrong: NeighborhoodFault
	Known                                uint64 // for each step, and before the first, the nodes of each list
	EdgeAt                               uint64 // for each step where each batch's edges begin, and their end: batches+1 numbers
	FrontierAt                           uint64 // where each step's offsets begin, and the end of all
	Report                               uint64 // the host's copy of status, known and edge_at, one behind the other
	Table                                uint64 // of the nodes; see driver/nodes.cuh
	TableMask                            uint64
	TablePart                            uint64 // records that a batch's nodes are spread over, a power of two
	Nodes                                uint64 // list l begins at l*node_room
	Trees                                uint64 // beside nodes: the number of the tree's seed among all; 0: trees are not disjoint
	NodeRoom                             uint64
	Offsets                              uint64 // of the edges of each node that is due, within its batch's, and their end; step behind step
	OffsetRoom                           uint64
	Slots                                uint64 // of each edge: where its source is in the table
	Targets                              uint64 // of each edge: its destination's number; only for pairs
	Positions                            uint64 // of each edge
	EdgeRoom                             uint64
	Sums                                 uint64 // of tiles of due nodes, and of edges
	SumRoom                              uint64
	Fresh                                uint64 // bits of the edges that are the first to lead to their ends, by tiles
	Queue                                uint64 // of work at hubs; 0: there is none
	QueueSlots                           uint64
	HubDegree                            uint64 // edges of a row that a block does by itself
	Arena                                uint64 // where the results are laid; see driver/compact.cuh
	ArenaRoom                            uint64 // numbers: what does not fit is not laid
}
