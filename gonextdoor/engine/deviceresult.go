package engine

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
)

// Part names an array of samples on a device.
type Part int

// The arrays of DeviceSamples. The exported functions of the Python extension take these numbers.
const (
	PartVertices Part = iota // 4 bytes per element
	PartInt64                // the vertices with 8 bytes per element, converted at the first use
	PartEdges                // 8 bytes per element
	PartOffsets              // 8 bytes per element; only of samples that differ in length

	// The parts of layered samples, as in output.Layers.

	PartParents   // 4 bytes per element
	PartEndsFrom  // 8 bytes per element
	PartEnds      // 4 bytes per element
	PartLinksFrom // 8 bytes per element; like the parts below only if links are recorded
	PartSources   // 4 bytes per element
	PartTargets   // 4 bytes per element
	PartLinkEdges // 8 bytes per element
	PartValues    // float64
)

// SamplesShape describes samples on a device. Slot s of row r is element s*Stride + r of an array.
type SamplesShape struct {
	Rows   int
	Width  int // vertices per sample; 0: samples differ in length and are stored one after another
	Stride int
	Roots  int // leading vertices of a sample, to which no edge leads
	Device int // the device's number
	Ends   int // layered samples: the ends of the steps of all samples; -1: the samples are not layered
	Links  int // the links of all samples; -1: none are recorded

	FromHost bool // the CPU made the samples, because the device's memory is too small for the graph
}

// DeviceSamples are samples in a device's memory. The memory is reference-counted: it is freed when Release has been
// called and the consumers of all tensors have deleted theirs. Methods may be called concurrently.
type DeviceSamples interface {
	Shape() SamplesShape
	// Settled reports whether Settle would return without waiting.
	Settled() bool
	// Settle waits until Total is known. Samples of one width are always settled.
	Settle() error
	// Total returns the number of vertices of all samples together, once Settle has returned nil.
	Total() int
	// Address waits for an array and returns its address, for readers whose stream is unknown.
	Address(which Part) (uintptr, error)
	// Tensor returns the address of a DLPack tensor that shares an array. The tensor may be used in a stream of another
	// library: 1 is the legacy default stream, 2 the per-thread default stream, -1 none; the stream waits for the samples.
	Tensor(which Part, versioned bool, stream int64) (uintptr, error)
	// CopyOut copies the first width slots of an array to the host, row by row.
	CopyOut(which Part, width int, to unsafe.Pointer, threads int, j *job.Job) error
	// Lengths writes the number of vertices of each sample.
	Lengths(lengths []int64, j *job.Job) error
	// Filled returns the number of vertices of all samples together, without graph.None.
	Filled(j *job.Job) (int64, error)
	// Visits writes how often each vertex occurs in the samples.
	Visits(counts []int64, j *job.Job) error
	// Seconds waits for the samples and returns the time that the device spent on them.
	Seconds() (float64, error)
	// Release gives up the caller's reference.
	Release() error
}

// DeviceVisits counts in a device's memory how often each vertex occurs in samples. It is used by one thread at a time,
// except as one of the others of CopyOut.
type DeviceVisits interface {
	// Add adds the vertices of samples on the same device. The samples may be released afterwards.
	Add(samples DeviceSamples) error
	// CopyOut adds the counts of the vertices from begin on in others, which are of other devices, and writes the sums to to.
	// The sums replace the device's counts of these vertices. Each device may add another range at the same time.
	CopyOut(others []DeviceVisits, begin int, to []int64, threads int, j *job.Job) error
	// Release frees the memory.
	Release() error
}

// DeviceRoots are validated 32-bit roots in a device's memory.
type DeviceRoots interface {
	// Count returns the number of vertices: rows times width.
	Count() int
	Address() uintptr
	// CopyOut copies the roots to the host, 4 bytes each.
	CopyOut(to unsafe.Pointer) error
	// Free frees the memory after the samples that began from these roots.
	Free() error
}

// DeviceArray is an array of integers that another library has in a device's memory.
type DeviceArray struct {
	Address     uintptr
	Rows, Width int
	Down, Right int     // distance between rows, and between integers of a row, in integers
	Kind        int     // bytes per integer, negative if signed
	Stream      uintptr // the work that this stream has now completes the array
}

// DeviceNeighborSampler draws mini-batches of one graph of several types that stay on a device. It is safe for concurrent
// use.
type DeviceNeighborSampler interface {
	// Begin submits the draw of the mini-batch of each seed. m is bound to the graph. All seeds must exclude the same edges,
	// and there may be at most plan.NeighborBatches of them. It waits for the device only when the graph is uploaded. The
	// caller calls Finish of the result once. Begin returns nil, nil if the device's memory is too small for the graph: the
	// caller then calls DrawFromHost or, if that returns nil too, draws on the CPU and uploads the batches.
	Begin(m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, j *job.Job) (PendingBatches, error)
	// DrawFromHost draws the mini-batch of each seed of a graph for which Begin returned nil. The device chooses the edges, for
	// which the begins of the rows are in its memory, and threads of the host read the end points. The result is nil if the
	// choices depend on more than the degrees of nodes, or if there is too little memory for that too.
	DrawFromHost(m *app.NeighborSampling, batchSeeds []uint64, nodes []app.SeedNodes, threads int, j *job.Job) (DeviceBatches, error)
	// Upload copies one mini-batch to the device, which draw draws in host memory with an arena of the lender. The lender's
	// memory is suitable for copies, and Upload returns the arena to it. The result is that of Finish for one batch.
	Upload(draw func(to output.ArenaLender) (output.NeighborBatch, error)) (DeviceBatches, error)
	// Close frees what the sampler keeps for later calls. No call may be in progress. Results stay.
	Close()
}

// PendingBatches are mini-batches that a device is drawing.
type PendingBatches interface {
	// Finish waits until the positions in the arena are known. The result is complete for readers in streams that wait for it.
	// j takes the place of the job of Begin.
	Finish(j *job.Job) (DeviceBatches, error)
}

// DeviceBatches are mini-batches in one array of 8-byte integers, the arena, in a device's memory. The memory is
// reference-counted as that of DeviceSamples.
type DeviceBatches interface {
	// Batches returns where each mini-batch is in the arena.
	Batches() []output.PlacedBatch
	// Words returns the length of the arena in 8-byte integers.
	Words() int
	// Address waits for the arena and returns its address, for readers whose stream is unknown.
	Address() (uintptr, error)
	// Tensor returns the address of a DLPack tensor that shares count integers of the arena, beginning at integer from.
	// See DeviceSamples.Tensor.
	Tensor(from, count int, versioned bool, stream int64) (uintptr, error)
	// CopyOut copies count integers of the arena, beginning at integer from, to the host.
	CopyOut(from, count int, to unsafe.Pointer, j *job.Job) error
	// Release gives up the caller's reference.
	Release() error
}

// Widen copies vertices to integers of 8 bytes and replaces graph.None by -1.
func Widen(from []uint32, to []int64) {
	for i, v := range from {
		to[i] = int64(v)
		if v == graph.None {
			to[i] = -1
		}
	}
}
