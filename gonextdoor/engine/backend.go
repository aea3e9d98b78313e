package engine

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// Backend is a kind of device beside the CPU, such as the GPUs that CUDA drives. It is safe for concurrent use. A package
// that implements Backend is registered in package gonextdoor, and nothing else there names it.
//
// All errors are DeviceErrors (refuse.KindDevice) unless stated otherwise.
type Backend interface {
	// Name returns the kind of device, "cuda" for example. A single device is called by it and its number: "cuda:0".
	Name() string
	// Count returns the number of devices, or why none can be used. The first call may load the driver.
	Count() (int, error)
	// Open returns device id, the same at each call. The first call may take a second.
	Open(id int) (Device, error)
	// Opened reports whether this process has used a device: the next call does not pay for the driver's start.
	Opened() bool
	// Memory returns the bytes of memory of device id that graphs may take. It opens the device without counting as use, see Opened.
	Memory(id int) (int64, error)
	// Gather copies samples of one batch, in the order of the rows, to the memory of device id.
	Gather(shards []DeviceSamples, id int) (DeviceSamples, error)
	// DeviceOf returns the number of the device whose memory contains address.
	DeviceOf(address uintptr) (int, error)
	// Compile derives from a plan how the backend runs it. The error says why the CPU must run the plan.
	Compile(p plan.Plan) (Program, error)
	// Tables returns the arrays of a graph that device id reads for a plan, those of plan.Draft too. edges is whether the ids
	// of edges are recorded. It builds and uploads nothing.
	Tables(p plan.Plan, id int, edges bool) ([]Table, error)
	// InParts returns how device id runs a plan if the graph does not fit into its memory: it copies the graph part by part.
	// Parts{} means that the graph fits, or that the plan does not run so. It builds and copies nothing. edges is that of
	// Tables.
	InParts(p plan.Plan, id int, edges bool) (plan.Parts, error)
	// Exceeds returns why the CPU makes the samples of a plan for device id, or nil: the graph exceeds the device's memory, and the
	// plan does not run part by part. The samples are copied to the device. It builds and copies nothing. edges is that of Tables.
	Exceeds(p plan.Plan, id int, edges bool) (why, err error)
	// GraphBytes returns how many bytes of memory a graph takes, by device number.
	GraphBytes(g *graph.Graph) map[int]int64
	// ReplicatedBytes returns how many bytes of GraphBytes are copies of data that another device has too.
	ReplicatedBytes(g *graph.Graph) map[int]int64
	// GraphMemory returns how many bytes of memory graphs can take on device id together, if all data that no call is using is
	// evicted. It may return more than that if at least needed bytes are available for certain, which takes less time.
	GraphMemory(id int, needed int64) (int64, error)
	// LeastBytes returns the fewest bytes of a graph that device id reads for a plan, as Tables does for the fastest way to run
	// it.
	LeastBytes(p plan.Plan, id int, edges bool) (int64, error)
	// NeighborBytes returns the bytes of a graph that device id reads for mini-batches. m is bound to h.
	NeighborBytes(h *graph.Hetero, m *app.NeighborSampling, id int) (int64, error)
	// ReleaseGraph frees the memory that a graph takes on all devices, unless calls are using it.
	ReleaseGraph(g *graph.Graph) error

	// PlaceGraph splits a graph over devices: from then on, calls on any of them read one copy of it that all of them share.
	// Views and reordered copies of the graph follow its placement. What the graph takes in the memory of devices is freed
	// first; an empty Placement undoes the split. The samples do not depend on the placement.
	//
	// Errors: ValueError for a placement that does not cover the rows, and DeviceError if a call is using the graph, or for
	// devices without PeerAccess.
	PlaceGraph(g *graph.Graph, p Placement, options graph.Options) error
	// Exchanges reports whether devices that share a split graph can make the samples of a plan together, see
	// Device.KeepTogether.
	Exchanges(p plan.Plan) bool
	// Placement returns the placement of a graph, and whether it has one.
	Placement(g *graph.Graph) (p Placement, placed bool)
	// ShareFeatures allocates memory for slots on several devices, for FeatureOptions.Memory: that many bytes, of which the first hot
	// ones are on all devices. The caller releases it.
	//
	// Errors: DeviceError for devices without PeerAccess, or if the memory exceeds what a device leaves.
	ShareFeatures(ids []int, bytes, hot int64) (FeatureMemory, error)
	// PeerAccess returns nil if every device of ids can read the memory of every other, and otherwise why not.
	PeerAccess(ids []int) (refusal error)
}

// Placement says on which devices the rows of a graph are.
type Placement struct {
	Devices []int // device of each part, in the order of the rows
	Bounds  []int // part i has the rows [Bounds[i], Bounds[i+1])
}

// Table is an array of a graph in the memory of a device.
type Table struct {
	Name  string
	Bytes int64 // estimated if it has not been built
	Built bool
}

// Program is how a backend runs one plan. It never changes: any number of calls and devices share it. Only the backend
// that compiled it knows its content.
type Program any

// Device is one device of a Backend. It is an engine whose results are copied to the host, and it can also leave results
// in its own memory. It is safe for concurrent use.
type Device interface {
	Engine
	Scorer
	// ID returns the device's number.
	ID() int
	// With returns the device for the calls of one plan: they use program instead of compiling the plan again.
	With(program Program) Device

	// Keep makes a batch's samples and leaves them on the device, with vertices to be read as integers of size bytes (4 or
	// 8). If the graph exceeds the device's memory, the CPU may make them, see Backend.Exceeds. It usually returns before the
	// samples are complete. It returns nil, nil if the device's memory is too small: the methods of Engine then produce the
	// samples in pieces.
	Keep(p plan.Plan, g *graph.Graph, b plan.Batch, size int, j *job.Job) (DeviceSamples, error)
	// KeepTogether is Keep on several devices of the backend, of which this is one: device i of all makes the rows
	// [bounds[i], bounds[i+1]), and no others are in its memory. There may be no rows. Sample i is that of device i, nil if it
	// has no rows. All are nil if the memory of a device is too small. done is false, without anything having been done, if the
	// devices are not slower when each makes its rows alone.
	KeepTogether(
		all []Device, p plan.Plan, g *graph.Graph, b plan.Batch, bounds []int, size int, j *job.Job,
	) (shards []DeviceSamples, done bool, err error)
	// NewVisits returns counters of the visits of a number of vertices in the device's memory. All are 0.
	NewVisits(vertices int) (DeviceVisits, error)
	// CountVisits adds to counts, which are of this device, how often each vertex occurs in a batch's samples and writes the
	// last vertex of each sample to ends, without storing the samples. Either may be nil. It returns false, without having
	// done anything, for plans and batches that are faster with stored samples.
	CountVisits(p plan.Plan, g *graph.Graph, b plan.Batch, counts DeviceVisits, ends []uint32, j *job.Job) (done bool, err error)
	// NeighborSampler returns a sampler of mini-batches of h that stay on the device.
	NeighborSampler(h *graph.Hetero) (DeviceNeighborSampler, error)
	// OpenFeatures returns features that are read to the device, and fills their cache. The caller closes it, and keeps rows until
	// then.
	//
	// Errors: ValueError for options that do not fit the rows; DeviceError if the cache does not fit into the device's memory.
	OpenFeatures(rows FeatureRows, o FeatureOptions, j *job.Job) (DeviceFeatures, error)
	// FeatureMemory returns how many bytes of memory caches of features can take in addition to all graphs and caches that the
	// device has, with memory to spare for results.
	FeatureMemory() (int64, error)

	// UploadRoots copies n roots to the device. fill validates and writes those from number first on, some at a time, in order.
	UploadRoots(n int, fill func(first int, into []uint32) error) (DeviceRoots, error)
	// CheckRoots validates roots in the device's memory against a number of vertices and copies them as 32-bit integers.
	// It returns an IndexError that names the first root that is no vertex.
	CheckRoots(a DeviceArray, vertices int) (DeviceRoots, error)
}

// Scorer counts the visits of personalised PageRank.
type Scorer interface {
	// Scores returns the visits of the walks of all rows, lent from offheap.Results.
	Scores(s plan.Scores, j *job.Job) (output.Scores, error)
}
