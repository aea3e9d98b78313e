package kernels

// Generated from the headers of drivers by go test ./kernels -write. Fields of parameters have 8 bytes. A missing array has the address 0.

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

// ExchangeHome is the rows whose result is in the memory of one GPU. All GPUs of an exchange read and write the result.
type ExchangeHome struct {
	Vertices uint64 // slot s of row r is at s*stride + r
	Edges    uint64 // the edge of step s in slot s; 0: no edges
	Stride   uint64
	Rows     uint64
	First    uint64 // the sample id of row 0
	Before   uint64 // the number of rows of all homes before
}

// Exchange is the parameter of the kernels of walks that several GPUs make together. A launch makes one step of the
// rows of all homes that are at one of its vertices.
type Exchange struct {
	W         Walk // the step is t.begin. Of b it uses the stream; of t.edges only whether it is 0; t.alive lists rejected rows
	Homes     uint64
	HomeCount uint64
	Home      uint64 // the number of the home whose ended walks this GPU continues; NoEdge: none
	Low, High uint64 // this GPU makes the steps from the vertices [low, high)
	Tiles     uint64 // of the largest home
}

// HostEnds is the parameter of the kernel that draws mini-batches whose end points the host reads. Launch number `step`
// of a draw completes the step before, and chooses the edges of that step.
type HostEnds struct {
	N            NeighborSampler
	Step         uint64
	Ends         uint64 // per edge its end point; None: it is in device memory, at the edge's position
	Positions    uint64 // host memory: per edge its position
	PositionSize uint64 // 4 or 8 bytes
}

// Negatives is the parameter of the kernels of pairs without an edge: app.NegativeDraws.
type Negatives struct {
	G             Graph
	B             Batch
	T             Trace
	Pairs, Loops  uint64 // 1 or 0: whether the source is drawn; whether a vertex may be its own negative
	Sources, Ends uint64 // sources are below the first, ends below the second
	Alias         uint64 // the alias table of ends; 0: they are drawn uniformly
	Sums          uint64 // ends+1: the sums of the biases of ends; 0 without alias
	SourceAlias   uint64
	RowSums       uint64 // sources: the sums of the masses of sources; 0: never needed
	List          uint64 // per vertex its list of candidates; 0: list 0
	ListEnds      uint64
	ListMembers   uint64 // 0: candidates are all vertices below ends
	Hops, Each    uint64 // of driver/negativehops.cuh: the distance, and the successive rows of a block
	Searches      uint64 // a memory of HopSearch per block
}

// StreamedWalk is the parameter of the kernels of walks whose graph is copied part by part.
type StreamedWalk struct {
	W             Walk             // g has no arrays, but Graph::biased: the degrees of all vertices, for walks that read those of other rows
	Bounds        uint64           // parts+1: the first row of each part, and the end of the last
	Parts         uint64           // at most MostParts
	Slots         [PartSlots]Graph // g with the arrays of the part in each slot
	Resident      uint64           // the part in slot k in the bits from 8*k on; a number that is no part: the slot is not to be read
	States        uint64           // of the walkers: Pair, or Quad of second order
	Waiting       uint64           // per part the number of walkers that wait for it; zero before the launch
	Last          uint64           // per row the last vertex, if there is no trace; 0: not wanted
	Steps         uint64           // accesses to rows that a walker makes in a launch, at most
	Walkers       uint64           // of a row; walker k of row r has state k*rows + r
	Words         uint64           // the size of a state: 2 for Pair, 4 for Quad, 8 for Octet
	Ragged        uint64           // 1 if samples differ in length
	Patches       uint64           // samples that the host made, of the rows in t.alive
	PatchVertices uint64
	PatchEdges    uint64
}

// Array is a user's array in device memory, which the host owns.
type Array struct {
	Address, Length uint64
}

// User is the user's data.
type User struct {
	Fault  uint64     // the lowest fault of the run: row << 24 | step << 8 | kind, or all ones
	Params [32]uint64 // each an int64, or the bits of a float64
	Arrays [16]Array
}

// Hooked is the parameter of kernels with users' hooks.
type Hooked struct {
	W         Walk
	User      User
	LastEdges uint64 // like Trace::ends, the edge that led to the present vertex of each walker; 0: no hook reads it
	PoolEdges uint64 // like Walk::pool, the edge that led to each vertex
}

// HookedSample is the parameter of kernels that make samples of users' apps one at a time, see driver/hookedsample.cuh.
// The workspaces of its arrays are as those of Layered.
type HookedSample struct {
	L           Layered
	User        User
	Fanouts     uint64 // picks per step, the last one for all later steps; NoEdge: all candidates
	FanoutCount uint64
	Steps       uint64 // 0: unbounded
	Nexts       uint64 // the vertex from which each vertex of a sample continues; None: it is no transit
	Spans       uint64 // per transit of a collective choice the number of candidates up to its last
	Biases      uint64 // of the candidates of a choice
	Sums        uint64 // the sums of tiles of them; see selector/remaining.cuh
	SumCapacity uint64 // elements of sums per workspace
	ToVertices  uint64 // samples of one width: slot k of row r is at k*stride + r; 0: samples are staged
	ToEdges     uint64 // likewise, from the first slot after the roots; 0: no edges
	Stride      uint64
}

// Columns is the parameter of the kernels that convert results and check roots.
type Columns struct {
	From                uint64
	To                  uint64
	Rows, Width, Stride uint64
	First               uint64 // rows_of_columns: the first row to be written; add_number: the number
	Across              uint64 // rows_of_columns: the distance between rows of the result; check_roots: between integers of a row
	Vertices            uint64 // check_roots: of the graph
	Fault               uint64 // check_roots: the least index of an integer that is no vertex
}
