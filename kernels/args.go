package kernels

// Generated from core/args.cuh by go test ./kernels -write. Fields of parameters have 8 bytes. A missing array has the address 0.

// Graph is a graph in device memory. The plan determines which of the layouts exist.
type Graph struct {
	Indptr                  uint64 // V+1
	Indices                 uint64 // E+1, None after the last edge
	Packed                  uint64 // the rows of four vertices in 16 bytes; see graph/packed.cuh
	Wide                    uint64 // per edge the end point and its row; see graph/wide.cuh
	Alias                   uint64 // per edge its slot of the alias table: end point, other end point, threshold, other place
	WideAlias               uint64 // two per edge: the slot with both end points' rows; see graph/wide.cuh
	Biases                  uint64 // per edge
	Labels                  uint64 // per edge
	IDs                     uint64 // per edge its id, of id_size bytes; 0: ids are positions
	LabelRows               uint64 // V*label_kinds+1: the begin of a vertex's edges with a label in the two arrays below
	LabelIndices            uint64
	LabelPositions          uint64
	Bloom                   uint64 // a bitmap of the edges; see graph/edgeset.cuh
	Weights                 uint64 // per edge, for users' hooks
	Largest                 uint64 // per vertex its largest weight
	Prefix                  uint64 // per edge the sum of the weights of its row up to it
	Totals                  uint64 // per vertex the sum of its edges' biases
	Segments                uint64 // per 32 edges the sum of the biases before them in the row; see graph/segments.cuh
	Vertices, Edges, IDSize uint64 // id_size: 4 or 8
	LabelKinds              uint64 // labels are 0 .. label_kinds-1 in device memory
	BloomMask               uint64 // the number of words of the bitmap, less 1
	Mirrored                uint64 // 1 if every edge has its mirror, else 0
	PackedLabels            uint64 // the begin of each vertex's edges of each label; see graph/packedlabels.cuh
	Slim                    uint64 // the end points of edges in 25 bits, five in 16 bytes; see graph/slim.cuh
	Biased                  uint64 // per vertex the number of its edges with a positive bias
	Reach                   uint64 // per vertex; see graph/reach.cuh. 0: every share is 1
	Times                   uint64 // per edge
	BiasSums                uint64 // E+1: the sum of the biases of all edges before each, modulo 2^64
	BiasCounts              uint64 // E+1: the number of positive biases before each edge, modulo 2^32
	Temporal                uint64 // rows in order of time; see graph/temporalrows.cuh
	TemporalPlaces          uint64
	Decay                   uint64
	Gathered                uint64 // per vertex its degree, and the begin of its row if it is there; see graph/gatheredrows.cuh
	Wanted                  uint64 // a bitmap of the vertices whose rows are not there and were read
	Missed                  uint64 // per thread of the grid: 1 if it has read such a row
}

// Batch is the samples of a launch: the rows from ... rows-1 or, with a list, the rows at its places from ... rows-1.
type Batch struct {
	Roots      uint64 // of all rows of the run, `width` per row; 0: the number of the row in the run
	Alive      uint64 // the list; 0: all rows
	AliveCount uint64 // the length of the list, if the host does not know it; else 0
	Rows       uint64 // the end of the launch
	Row        uint64 // the number of row 0 within the run
	Repeat     uint64 // rows per root
	Width      uint64 // roots per sample
	First      uint64 // the sample id of the run's first row
	Stream     uint64 // rng.NewStream(seed, Choices)
	From       uint64 // the begin of the launch
}

// Trace is the output of a launch: slot s of row r is at s*stride + r. If the launch has a list of rows, the columns of
// the trace are indexed by the place in the list, all other arrays by the row. An address is that of slot 0, even if a
// launch has memory for later slots only.
type Trace struct {
	Vertices   uint64 // 0: no trace
	Edges      uint64 // the edge of step s in slot s; 0: no edges
	Lengths    uint64 // steps taken so far, if samples differ in length or a launch leaves rows to another
	Ends       uint64 // the present vertex of each row, if lengths differ or there is no trace
	Previous   uint64 // the previous vertex of each row, likewise
	Stride     uint64
	Begin, End uint64 // the steps to take: [begin, end)
	Alive      uint64 // list of the rows that continue after end, or in another launch
	AliveCount uint64
}

// Walk is the parameter of all kernels of walks. The fields after the first three concern some apps only.
type Walk struct {
	G                                 Graph
	B                                 Batch
	T                                 Trace
	Threshold                         uint64 // PPR, MetaPath: stop; Jump, Restart: teleport; in units of 2^-32
	Most                              uint64 // the largest number of steps of a sample; 0: unbounded
	Back, Near, Away                  uint64 // Node2Vec: biases of second order, in units of 2^-32
	TryNear, TryAway                  uint64 // Node2Vec with outliers: biases of tries
	OutlierBack, ShortBack, ShortNear uint64 // Node2Vec with outliers: as in selector.Outliers
	Bound                             uint64 // of computed biases
	Path                              uint64 // MetaPath: the labels, as kinds
	PathLength                        uint64
	Pool                              uint64 // pools: the sample's vertices, slot k of row r at k*stride + r
	PoolPrevious                      uint64
	Queue                             uint64 // of tasks; see driver/queue.cuh
	Counts                            uint64 // per vertex its visits
	Home                              uint64 // teleports lead to the root: 1, to any vertex: 0
	LaneDegree                        uint64 // computed biases: longer rows are weighed by several lanes
	WarpRows                          uint64 // computed biases: the largest number of samples that a warp has at a time
	ShortPath                         uint64 // MetaPath: a path of up to 8 labels below 256, 8 bits each, if path is 0
	LastEdges                         uint64 // TemporalWalk: per row its last edge as an index in temporal, None if it has ended
	TimeLimits                        uint64 // TemporalWalk: the three numbers of a TimeRange; see driver/temporalwalk.cuh
	LimitStride, Backward             uint64 // 3 if each root has a TimeRange, 0 if all have one; 1 if times descend along the walk
}

// Draw is the parameter of the kernel that draws roots.
type Draw struct {
	To            uint64
	Count, Width  uint64 // of roots; vertices of each
	Stream        uint64 // rng.NewStream(seed, Roots)
	First, Repeat uint64 // the id of the first root's first sample; samples of each root
	Vertices      uint64 // of the graph
}

// PageRank is the parameter of the kernels of personalised PageRank. A launch runs the parts begin ... end-1; a part is
// RankPart walks of one row. See driver/pagerank.cuh.
type PageRank struct {
	G          Graph
	SeedNodes  uint64 // per row; with sets, the members of all sets
	SetRows    uint64 // rows+1: the begin of each row's set; 0: a row has one seed node
	SetAlias   uint64 // the alias tables of the sets; 0: members have equal weights
	Walks      uint64 // per row the number of walks
	Parts      uint64 // rows+1: the number of parts before each row
	Rows       uint64
	Begin, End uint64 // the parts of this launch
	Stream     uint64 // rng.NewStream(seed, Scores)
	First      uint64 // the id of row 0
	Threshold  uint64 // stop, in units of 2^-32
	Restarts   uint64 // at sinks: 1, or 0 if walks end there
	Table      uint64 // slots of two words per row: the vertex plus 1, or 0; visits and, in the upper half, walks
	Slots      uint64 // per row
	Full       uint64 // set to 1 if a row needs more slots
	Found      uint64 // the number of entries gathered so far
	From       uint64 // per row the begin of its entries in the three arrays below
	Sizes      uint64 // per row the number of its entries
	Vertices   uint64
	Visits     uint64 // how often the walks of the row visit the vertex
	Visitors   uint64 // how many walks of the row visit it
}

// StepChunks is the parameter of the kernels that compact samples of different lengths. A chunk is the trace of one
// launch: the steps [begin, end) of all rows, or of the rows of a list. See driver/stepchunks.cuh.
type StepChunks struct {
	B          Batch
	Lengths    uint64 // steps of each row
	Vertices   uint64 // the chunk's trace: step s of its row number i at (s-begin)*stride + i
	Edges      uint64 // likewise; 0: no edges
	Stride     uint64
	Begin, End uint64
	Offsets    uint64 // rows+1: the begin of each sample, whose first vertices are its roots
	Sums       uint64 // sums of lengths, see driver/sampleoffsets.cuh
	ToVertices uint64
	ToEdges    uint64 // -1 at roots
	Capacity   uint64 // of to_vertices, in vertices
}

// Build is the parameter of the kernels that build layouts from g: the elements begin ... end-1, see graph/build.cuh.
type Build struct {
	G          Graph
	Quads      uint64
	Offsets    uint64
	Words      uint64
	Positions  uint64
	Weights    uint64
	Largest    uint64
	Prefix     uint64
	Segments   uint64
	Scales     uint64 // per vertex its scale, as in graph.Graph
	Kinds      uint64 // the labels that occur, ascending: g.label_kinds of them
	Begin, End uint64
}

// PartitionedWalk is the parameter of the kernels of partitioned walks: walkers are stored by the partition of their
// vertex, the vertices v with one v >> shift, in any order within it. See driver/partitionedwalk.cuh.
type PartitionedWalk struct {
	G         Graph
	B         Batch
	WalkersAt uint64 // the vertex and row of each walker, before the step
	ToWalkers uint64 // the same after the step; the host exchanges the two sets of arrays
	Sizes     uint64 // the walkers of each partition; every SizeStride-th element is used
	ToSizes   uint64 // the same after the step
	Recounted uint64 // the same after the step, counted again because of an overflow
	Firsts    uint64 // the begin of each partition in walkers_at
	ToFirsts  uint64 // partitions+1: the begin of each partition in to_walkers, and its end
	Tiles     uint64 // per partition the number of tiles before it, then the number of all
	Overflow  uint64 // 1 if a partition exceeded its capacity
	Counts    uint64 // per vertex its visits
	Ends      uint64 // per row the vertex at which it ends; 0: not written
	Walkers   uint64 // the number of rows
	Step      uint64
	Shift     uint64
}

// Tree is the parameter of the kernels of trees: the picks of the transits begin ... end-1 of a step, for the rows
// from ... rows-1. Slot s of row r is at s*stride + r; a transit's picks are adjacent slots. See driver/tree.cuh.
type Tree struct {
	G          Graph
	B          Batch
	Vertices   uint64
	Edges      uint64 // 0: no edges; slots count from the first one after the roots
	Stride     uint64
	Step       uint64
	Transits   uint64 // of a row, at this step; at step 0 they are the roots
	Slot       uint64 // of the first transit; the picks follow the transits
	Fanout     uint64 // picks of a transit
	Begin, End uint64
	Pieces     uint64 // workers that share the picks of a transit
	Share      uint64 // picks of a piece
	Across     uint64 // the workers of a block are 2^across rows wide
	Units      uint64 // units of work, each for a block
	Postponed  uint64 // a bit per thread of every unit: its choice is left to postponed_choices
	// Per block of long_choices, for choices of `fanout` picks:
	LongNumbers uint64 // 3*fanout: the draws, the parents and the picks
	LongTable   uint64 // 2*fanout
	LeafSums    uint64 // of `leaves` leaves; see selector/leafsums.cuh
	Leaves      uint64
	// In transit order, see driver/transit.cuh:
	Sorted           uint64 // the transits, as walkers, in the order of their vertices
	SortedBegin      uint64 // the place of the first transit that makes picks
	SortedEnd        uint64 // the place after the last one
	RowBegin, RowEnd uint64 // of these transits, only the vertices row_begin ... row_end-1, whose rows are in g
	Ends             uint64 // the end point of pick j of transit i at j*ends_stride + i
	EndEdges         uint64 // the ids of the edges, likewise; 0: no edges
	EndsStride       uint64
}

// TransitOrder is the parameter of the kernels that put a launch of trees in transit order. See driver/transit.cuh.
type TransitOrder struct {
	T     Tree
	P     PartitionedWalk // the partitions; a transit is a walker, with its number in place of the row
	Tiles uint64          // per tile the end of each partition in the sorted tile, then the distance to its place in p
	Count uint64          // numbers of transits, including those that do not exist
}

// Step is one relation in one hop of the neighbour sampler. Edges lead to destination nodes, which a step expands.
type Step struct {
	G                   Graph
	Fanout              uint64 // NoEdge: all edges
	Hop, Relation       uint64
	Destination, Source uint64 // types
	Replace, Weighted   uint64 // 1 or 0
	Hubs                uint64 // 1 if long rows may be pushed to the queue
	HopBegin            uint64 // the first step of the hop: the frontier is the nodes known before it
	FrontierBegin       uint64 // of these, only the nodes not known before this step; NoEdge: all
	Excluded            uint64 // the positions of excluded edges, ascending
	ExcludedCount       uint64
	ExcludedSums        uint64 // excluded_count+1: the sum of the biases of the excluded edges before each; 0: unweighted
	ExcludedBiased      uint64 // the same for the number of positive biases
	Latest              uint64 // 1 if nodes take the last candidates; see driver/rangechoice.cuh
	LongDraws           uint64 // 1 if draws are stored in device memory; see driver/longchoice.cuh
	Poisson             uint64 // 1 if the fan-out is an expected number; see driver/laborchoice.cuh
}

// NeighborSampler is the parameter of the kernels of the neighbour sampler, which draw several batches in one launch. A
// list is the nodes of a type and a batch: list type*batches + batch. See driver/neighborsampler.cuh.
type NeighborSampler struct {
	Given                                            uint64 // host memory: the arrays steps ... seed_nodes, which the first phase copies to GPU memory
	Steps                                            uint64
	GivenWords, StepCount, Types, Relations, Batches uint64
	BatchSeeds                                       uint64 // per batch its random seed
	SeedNodeAt                                       uint64 // the begin of the seed nodes of batch b and type t is at b*types + t; then the end of all
	SeedNodes                                        uint64
	Vertices                                         uint64 // per type the number of vertices
	Disjoint                                         uint64 // 1 if each seed node is the root of a separate tree
	Pairs                                            uint64 // 1 if edges are written as pairs, 0 if by destination
	Arrived                                          uint64 // the counter of sync_grid, which all launches of a stream share
	Status                                           uint64 // the phase of a fault plus 1; 0: none
	Known                                            uint64 // before the first step, and after each, the number of nodes of each list
	EdgeAt                                           uint64 // per step the place at which each batch's edges begin, and their end: batches+1 numbers
	FrontierAt                                       uint64 // per step the begin of its offsets; then the end of all
	Report                                           uint64 // host memory: the fault, and copies of known and edge_at; see driver/nodes.cuh
	Table                                            uint64 // the id map; see driver/nodes.cuh
	TableMask                                        uint64 // the number of its 16-byte records, less 1
	TablePart                                        uint64 // the number of records of a batch's part of the table, a power of two
	TableStride                                      uint64 // 0: the table is hashed; else it has that many numbers per tree and type
	Nodes                                            uint64 // list l begins at l*node_capacity
	Trees                                            uint64 // per node the number of its tree's seed node; 0: trees are not disjoint
	NodeCapacity                                     uint64
	Offsets                                          uint64 // step by step: per frontier node its first edge within the batch, then the end
	OffsetCapacity                                   uint64
	Slots                                            uint64 // per edge its source: the slot in the id map, or KnownNode and the local id
	Targets                                          uint64 // per edge the local id of its destination; only for pairs
	Positions                                        uint64 // per edge its position
	EdgeCapacity                                     uint64
	Sums                                             uint64 // the sums of tiles, of frontier nodes and of edges; see driver/tiles.cuh
	SumCapacity                                      uint64
	Fresh                                            uint64 // a bit per edge: it is the first that leads to its source; then a spare word
	Queue                                            uint64 // tasks at hubs; 0: none
	QueueSlots                                       uint64
	HubDegree                                        uint64 // the number of edges of a row that a block expands alone
	Arena                                            uint64 // the result; see driver/compact.cuh
	ArenaCapacity                                    uint64 // in 64-bit numbers; an array that does not fit is not written
	TreeTimes                                        uint64 // per seed node the time up to which its tree takes edges; 0: no relation has times
	TreeBegins                                       uint64 // per seed node the time from which on; 0: any time
	PickTable                                        uint64 // two numbers per edge, for long draws; 0: there are none
	PickParents                                      uint64 // a number per edge, likewise
	ChoiceCounts                                     uint64 // per node the number of edges that it takes in the step, by LABOR; 0: there are none
	ChoicePicks                                      uint64 // per node the address of its picks; 0: the complete row
	Picks                                            uint64 // indices of edges in their rows
	PickCapacity                                     uint64
	LaborCounters                                    uint64 // counters, then the rows that a step reads; see driver/laborselect.cuh
}

// Layered is the parameter of the kernels that make layered samples, one sample at a time per group of threads. A group
// has a workspace: element i of workspace w is at w*capacity + i, unless another length is given.
type Layered struct {
	G              Graph
	B              Batch
	Capacity       uint64 // vertices of a sample, and numbers that are drawn for it, for which a workspace has memory
	EndCapacity    uint64 // elements of ends per workspace
	TableMask      uint64 // the number of slots of a workspace's vertex set, less 1
	Vertices       uint64 // the sample
	Positions      uint64 // of the edges that led to its vertices; NoEdge: none
	Parents        uint64
	Ends           uint64 // of its steps
	Table          uint64 // the vertex set; see driver/vertexset.cuh
	Slots          uint64 // of the vertices in the vertex set
	Drawn          uint64 // of drawn numbers: the draws of Permute; see selector/permutelist.cuh
	Picks          uint64 // the numbers that are picked
	Before         uint64 // three arrays of Permute
	Attached       uint64
	Trees          uint64
	Arena          uint64 // complete samples; see driver/staged.cuh
	ArenaWords     uint64 // the length of the arena in 64-bit words
	Counters       uint64 // LayeredCounter of driver/layered.cuh
	Staged         uint64 // per row the address of its sample; then the sizes of its parts
	VertexCounts   uint64
	EndCounts      uint64
	LinkCounts     uint64
	Left           uint64 // the rows that did not fit the workspace or the arena
	Edges          uint64 // 1 if the edges that led to vertices are wanted
	Draws          uint64 // numbers to draw per sample
	Replace        uint64 // 1 if they are drawn with replacement
	Induced        uint64 // 1 if the links are all edges between the vertices of a sample
	ListEnds       uint64 // clusters: the end of each list in list_members
	ListMembers    uint64
	Lists          uint64 // their number
	Depth          uint64 // breadth-first: the largest number of levels after the roots; 0: unbounded
	Fanout         uint64 // new neighbours per transit; NoEdge: all neighbours
	Burns          uint64 // 1 if the number of new neighbours is drawn, by the threshold
	Threshold      uint64 // in units of 2^-32
	Lanes          uint64 // threads per transit if several are expanded together: a power of two up to 32; 0: one at a time
	Method         uint64 // induced subgraphs: SaintMethod of app/induceddraws.cuh
	Roots, Length  uint64 // walks, or vertices of the frontier; steps per walk
	Sums           uint64 // sum_count+1: the prefix sums of biases, from 0
	SumCount       uint64
	EdgeSums       uint64 // of gathered rows: per edge the sum of the biases up to it; `sums` are those up to each row
	Ahead          uint64 // gathered rows: 1 if a frontier asks for the rows of all of its vertices together
	SearchRatio    uint64 // induced links: rows with more edges per vertex of the sample are searched, not scanned
	StepSize, Most uint64 // collective steps: edges that a step takes; vertices of a sample after its roots
	Unique         uint64 // 1 if the vertices of a step are distinct
	Bias           uint64 // CollectiveBy of app/collectivesteps.cuh
	TopScale       uint64 // by weight: the largest of scales, as an i64
	Scales         uint64 // per vertex the unit of its weights
	Starts         uint64 // two arrays of a workspace: the candidates of transits; see driver/neighborhood.cuh
	LeafSums       uint64 // the sums of biases; see selector/leafsums.cuh
	Leaves         uint64 // for which leaf_sums has memory
	Weighted       uint64 // hops: 1 if choices follow biases
	Frontier       uint64 // the largest number of vertices of a step that are expanded
	Hops           uint64
	Fanouts        uint64 // of the hops; NoEdge: all edges
	ScoreAlias     uint64 // per vertex: the alias table of scores; 0: batches are drawn uniformly
	ScoreBiases    uint64 // per vertex
	Scored         uint64 // vertices with a positive score
	Values         uint64 // 1 if links have values; else each value is 1
	Sizes          uint64 // importance layers: the size of each layer
	Layers         uint64 // their number
	ByRow          uint64 // 1 if the adjacency matrix is normalised by the sums of rows, 0 if symmetrically
	Normalize      uint64 // 1 if the values of the links of each vertex are divided by their sum
	Total          uint64 // the sum of the importances of all vertices
	Factors        uint64 // in the workspace: per vertex of the sample that of the values of links to it
}

// Gathered is the parameter of the kernel that records copied rows; see graph/gatheredrows.cuh.
type Gathered struct {
	Records uint64 // Graph::gathered
	Rows    uint64 // vertices or pages in the upper halves, and in the lower ones the positions where their rows begin
	Count   uint64
}

// LayerParts is the parameter of the kernels that place staged samples in the result; see driver/layerparts.cuh.
type LayerParts struct {
	G                     Graph
	Rows                  uint64
	Staged                uint64 // as in Layered
	VertexCounts          uint64
	EndCounts             uint64
	LinkCounts            uint64
	Offsets               uint64 // rows+1 each: the begin of a row's vertices, ends and links
	EndsFrom              uint64
	LinksFrom             uint64
	Vertices, Ends, Links uint64 // of all rows
	ToVertices            uint64
	ToEdges               uint64 // 0: not wanted
	ToParents             uint64
	ToEnds                uint64
	ToSources             uint64
	ToTargets             uint64
	ToLinkEdges           uint64
	ToValues              uint64
	Values                uint64 // as in Layered
}
