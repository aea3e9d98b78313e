package launch

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
)

// Engine is a GPU, and how work runs there.
type Engine struct {
	Device *cuda.Device
	Stream *cuda.Stream // the stream of all work; nil: the engine's stream of the device
	Tuning Tuning
	// Program is the compiled form of the plan. If it is nil or belongs to another plan, each call compiles the plan.
	Program *Program
	// Early returns results before their number of vertices is known, if samples differ in length: see Result.Settle.
	Early bool
}

// Tuning overrides sizes of package plan, for tests. It never changes a result. A field that is 0 has no effect.
type Tuning struct {
	LaunchSteps int64      // approximate number of steps of one launch
	LaunchRows  int        // smallest number of rows of one launch
	ChunkSteps  int        // largest number of steps of a chunk
	HostRows    int        // rows that are copied to the host at a time
	LaneDegree  int        // computed biases: the longest row that one lane weighs
	Variant     int        // index of the variant that is tried first
	Order       plan.Order // of the steps of trees, if the batch names none
	// Mini-batches:
	NeighborBlocks   int  // largest number of blocks of a launch
	NeighborCapacity int  // edges and nodes for which there is memory at first
	NeighborHub      int  // edges of a row that one block expands alone
	NeighborSlots    int  // of the queue for the other blocks, a power of two
	NeighborPicks    int  // draws of a node that are stored in shared memory, at most plan.NeighborPicks
	NeighborHashed   bool // the id map is a hash table even if it takes more memory than a direct one
	NearEdges        int  // edges of a graph whose end points are in GPU memory while the host reads the others; -1: none
	WidePositions    bool // the host reads positions of 8 bytes
	RankRows         int  // rows of personalised PageRank that are counted at a time
	RankSlots        int  // of the table of each row
	PartitionedRows  int  // rows of a partitioned walk; it is then used for any number of rows
	Parts            int  // parts of a graph that is copied part by part, about; walks then run so on any graph
	PartSlots        int  // slots for these parts, 2 to 8
	GatheredEdges    int  // edges of rows of such a graph that are in GPU memory because samples have read them
	// Layered samples:
	LayeredCapacity int // vertices of a sample for which a workspace has memory at first
	LayeredArena    int // words of the first arena of complete samples
	LayeredLanes    int // threads per transit of a breadth-first sample; -1: transits are expanded one at a time
	LayeredGrid     int // blocks that make each sample together, if the app has such a kernel; -1: none do
	LayeredSearch   int // largest degree per vertex of a sample at which rows are scanned for links
}
