// Package record declares the records by which Python and the core pass the arguments and results of a call: structs
// whose fields have 8 bytes each. Python writes a record to memory and passes its address.
//
// The Python twins in python/gonextdoor/_core/records.py are generated from this file by go test ./pybind/record -write.
// It is not under internal/ because gopy generates code from pybind, its only importer, outside of gonextdoor/.
package record

// Request is the arguments of one call of a sampler. Python writes it; the core reads it before the call samples.
// Addresses are 0 if there is no array.
type Request struct {
	Roots     int64  // address of count x width integers, or the handle of roots in GPU memory
	RootCount int64  // number of roots, each of the sampler's width
	Kind      int64  // bytes of a root's integers, negative if signed; 0: every vertex; 32: in GPU memory; 33: drawn by the GPU
	Repeat    int64  // samples per root
	Seed      uint64 // random seed
	First     uint64 // id of the first sample
	Threads   int64  // CPU threads
	Edges     int64  // 1: edge ids are recorded
	Size      int64  // bytes per vertex of the result, 4 or 8
	Vertices  int64  // Sample: address of rows x slots vertices
	EdgeIDs   int64  // Sample: address of rows x (slots - width) edge ids
	Rows      int64  // number of samples
	Slots     int64  // Sample: vertices per sample; CountVisits: vertices of the graph
	Visits    int64  // CountVisits: address of slots counts
	Ends      int64  // CountVisits: address of rows last vertices
	Result    int64  // address of a Ragged, of Layers, or of a DeviceResult for each GPU
	Order     int64  // of the steps of trees on a GPU; 0: the planner chooses, 1: "sample", 2: "transit"
	FromHost  int64  // written by the core; 1: the CPU made samples of a call on GPUs that are not in GPU memory
	IDs       int64  // address of the ids of the samples, one of each root; 0: consecutive ids from First
}

// Ragged is a result whose samples differ in length. The blocks are lent; Return takes them back.
type Ragged struct {
	Offsets  int64 // address of rows + 1 int64
	Vertices int64 // address of total uint32
	Edges    int64 // address of total int64, or 0
	Total    int64 // number of vertices
}

// Layers is a result whose samples are layered. The blocks are lent; Return takes them back. If no links are recorded,
// the addresses from LinksFrom on are 0.
type Layers struct {
	Offsets   int64 // address of rows + 1 int64
	Vertices  int64 // address of total uint32
	Edges     int64 // address of total int64, or 0
	Parents   int64 // address of total int32
	EndsFrom  int64 // address of rows + 1 int64
	Ends      int64 // address of end_count int32
	LinksFrom int64 // address of rows + 1 int64
	Sources   int64 // address of link_count int32
	Targets   int64 // address of link_count int32
	LinkEdges int64 // address of link_count int64
	Values    int64 // address of link_count float64
	Total     int64 // number of vertices
	EndCount  int64
	LinkCount int64
}

// DeviceResult describes a result, or a part of one, in the memory of a GPU.
type DeviceResult struct {
	Rows     int64
	Width    int64 // vertices per sample; 0: samples differ in length
	Stride   int64 // rows of the array
	Roots    int64 // roots per sample
	Total    int64 // number of vertices; -1: not known yet, see ResultTotal
	Device   int64 // number of the GPU
	Ends     int64 // layered samples: the ends of the steps of all samples; -1: the samples are not layered
	Links    int64 // the links of all samples; -1: none are recorded
	FromHost int64 // 1: the CPU made the samples, because the graph exceeds the GPU's memory
	Handle   int64 // of the result; 0: none was made
}

// AppFacts describes the samples that an app grows from a number of roots.
type AppFacts struct {
	Width    int64   // vertices of a whole sample, roots included; 0: samples differ in length
	Layered  int64   // 1: samples have steps of different sizes, or record edges
	Pool     int64   // vertices drawn for each sample without roots; -1: samples grow from every vertex
	PerStep  int64   // 1: samples are read step by step, as trees and layers are
	Records  int64   // 1: edges between the vertices are recorded
	Vertices float64 // vertices expected after the roots; infinite if no bound is known
}

// Costs are the seconds of work other than sampling. Python decides by them whether a call runs beside the interpreter. Each
// is the constant of its name in package plan.
type Costs struct {
	FirstCallEdge  float64
	ReadByte       float64
	SaveStart      float64
	SaveByte       float64
	BuildEdge      float64
	ReverseEdge    float64
	RmatEdge       float64
	RelationEdge   float64
	DrawRoot       float64
	NeighborEdge   float64
	NeighborGPU    float64
	NeighborUpload float64
	CopyByte       float64
	LineVertex     float64
	GzipVertex     float64
	ZstdVertex     float64
}

// FeaturePart is consecutive rows of features in one place.
type FeaturePart struct {
	Rows      int64
	Address   int64 // address of the first row; 0: the rows are in a file
	Stride    int64 // bytes from a row to the next
	Writeable int64 // 1: rows may be updated
	File      int64 // descriptor of the open file
	Offset    int64 // offset of the first row in the file
}

// FeatureCall is the arguments of a read or an update of features.
type FeatureCall struct {
	IDs     int64 // address of an integer per row
	Rows    int64
	Kind    int64 // bytes of an id, negative if signed
	Values  int64 // address of the rows
	Threads int64 // CPU threads
}

// Induced is the arguments of a search for the edges from the vertices of each group to its others, and the result. The
// blocks are lent; Return takes them back. See package induced.
type Induced struct {
	Vertices  int64 // address of int64
	Ends      int64 // address of groups int64: the end of each group
	Others    int64 // address of int64
	OtherEnds int64 // address of groups int64
	Groups    int64
	Order     int64 // 0: by the place of the vertex, 1: by the place of the end
	Places    int64 // written by the core: address of 2 x found int64
	IDs       int64 // written by the core: address of found int64
	Found     int64 // written by the core: number of edges
}

// Clustered is the arguments of a search for the edges among the vertices of chosen clusters, and the result. The blocks are lent;
// Return takes them back. See package induced.
type Clustered struct {
	Chosen   int64 // address of clusters int64
	Clusters int64
	Vertices int64 // written by the core: address of size int64
	Size     int64 // written by the core: number of vertices
	Places   int64 // written by the core: address of 2 x found int64
	IDs      int64 // written by the core: address of found int64
	Found    int64 // written by the core: number of edges
}

// FeatureCounts is what a store of features has read so far.
type FeatureCounts struct {
	Reads      int64
	DeviceRows int64 // rows from the memory of GPUs
	HostRows   int64 // rows from host memory
	FileRows   int64 // rows from files
	KernelRows int64 // of HostRows, those that a kernel has read
}

// FeatureIDs is ids of rows of features, in host memory or in the memory of a device.
type FeatureIDs struct {
	Address int64
	Rows    int64 // number of ids
	Kind    int64 // bytes of an id, 4 or 8, negative if signed
	Host    int64 // 1: in host memory
	Stream  int64 // of ids on a device: the work of this stream completes them
}

// FeatureTarget is memory of a device for the rows of a read.
type FeatureTarget struct {
	Address int64
	Stream  int64 // the work of this stream is the last that uses the memory before
}

// FeatureCache describes the cache of features on a device.
type FeatureCache struct {
	Slots     int64 // rows
	Placed    int64 // address of the rows in the first slots, 4 bytes each
	Rows      int64 // number of these
	Lookahead int64 // 1: slots are assigned by announced batches
	Classes   int64 // of lookahead: address of the classes of all rows, a byte each; 0: all are equal
	Misses    int64 // engine.FeatureWay
	Threads   int64
	Bytes     int64 // of GPU memory; set by FeatureCacheFacts
}
