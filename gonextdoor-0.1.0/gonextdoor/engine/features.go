package engine

import (
	"unsafe"

	"gonextdoor/gonextdoor/job"
)

// FeatureRows are rows of one size in host memory, or in a mapped file. Implementations are safe for concurrent use.
type FeatureRows interface {
	// Shape returns the number of rows, and the bytes of each.
	Shape() (rows, rowBytes int)
	// Gather copies row ids[i] to the i-th row of to, in the calling goroutine. The ids are valid. Memory faults of mapped
	// files may panic.
	Gather(ids []uint32, to []byte) error
	// Block returns the bytes of all rows, in order, or nil if they are not one block of memory.
	Block() []byte
}

// FeatureWay is a way to read missed rows: those that are not in a device's memory.
type FeatureWay int

// The ways to read missed rows.
const (
	FeaturesMeasured FeatureWay = iota // whichever of the others was measured to be fastest when the features were opened
	FeaturesByCopy                     // CPU threads gather, the copy engine copies
	FeaturesByKernel                   // a kernel reads pinned host memory; the rows must be one block
	FeaturesByBoth                     // a kernel reads some of them, and CPU threads gather the others at the same time
)

// String returns the name of the way, as users write it.
func (w FeatureWay) String() string { return [...]string{"measured", "copy", "kernel", "both"}[w] }

// FeatureOptions determine which rows of features are in a device's memory, and how others are read. They never change a value.
type FeatureOptions struct {
	Slots     int           // rows that fit into the cache; the number of rows: all are there
	Placed    []uint32      // the rows in the first slots, if the cache does not have all rows; no row occurs twice
	Lookahead bool          // slots are assigned by announced batches, see DeviceFeatures.Announce; Placed is the beginning
	Classes   []uint8       // of lookahead, per row: of rows that no announced batch reads, those of low classes are kept; nil: all are equal
	Memory    FeatureMemory // for the slots; nil: memory of the device is allocated
	Misses    FeatureWay
	Threads   int // CPU threads that gather; below 1: all
	Tile      int // rows that a warp copies, a power of two up to 32; 0: as the number of rows requires
	Share     int // of FeaturesByBoth: of 65536 missed rows, those that the kernel reads; 0: as many as it reads in the time of the others
}

// FeatureMemory is memory for the slots of features of several devices: each device has a copy of the first ones, and the others are
// on one device each, from which all read. See Backend.ShareFeatures.
type FeatureMemory interface {
	// Release ends the use by the caller, once the features of all devices have been opened. Closing the last of them frees it.
	Release() error
}

// FeatureClasses is the number of classes of FeatureOptions, which are 0 to FeatureClasses-1.
const FeatureClasses = 16

// FeatureIDs are the rows that a read copies, in order; they may repeat.
type FeatureIDs struct {
	Address uintptr // of the first id
	Count   int
	Bytes   int     // per id: 4 or 8
	Signed  bool    // errors show negative ids as such
	Host    bool    // the ids are in host memory, and are read during the call
	Stream  uintptr // of ids in a device's memory: the work that this stream has now completes them
}

// FeatureTarget is the memory of a device to which a read copies rows. The zero value is memory that the read allocates.
type FeatureTarget struct {
	Address uintptr // of as many rows as there are ids
	Stream  uintptr // the work that this stream has now is the last that uses the memory before
}

// FeatureCounts is what has been read of features.
type FeatureCounts struct {
	Reads        int64
	Hits, Misses int64 // rows that were in the device's memory, and all others
	ByKernel     int64 // of the misses, those that a kernel has read from host memory
}

// DeviceFeatures are features that are read to the memory of a device, which has a cache of them. It is safe for concurrent use.
type DeviceFeatures interface {
	// Read begins to read rows of all, which are features of this device, such as those of all types of vertices of a batch:
	// one kernel finds all of them. ids[i] are those of all[i]. It returns when that is submitted; ids in a device's memory must
	// be kept until Wait of the result returns. Rows of all[i] are copied to to[i]; if to is nil, to memory that is allocated. The
	// memory of to must be kept until Address of the result has returned. The caller releases every result.
	Read(all []DeviceFeatures, ids []FeatureIDs, to []FeatureTarget, j *job.Job) ([]DeviceRows, error)
	// Announce tells a cache that looks ahead the ids of the next batch that has not been announced.
	Announce(ids FeatureIDs) error
	// Forget drops the batches that were announced and not read.
	Forget() error
	// Refresh calls change, which changes rows in host memory, and copies these rows to the caches of all, which are features of
	// this device with the same rows. ids are all changed rows. Reads that were begun before return the rows as they were.
	Refresh(all []DeviceFeatures, ids []uint32, change func() error, j *job.Job) error
	// Counts returns what has been read so far.
	Counts() FeatureCounts
	// Slots returns how many rows the cache holds.
	Slots() int
	// Bytes returns the device memory of the cache, with its tables.
	Bytes() int64
	// Way returns how missed rows are read, and why, if that was measured.
	Way() (way FeatureWay, why string)
	// Close waits for reads in progress and frees the cache. Results stay.
	Close() error
}

// DeviceRows are rows of features in a device's memory, one after another. The memory is reference-counted, see DeviceSamples.
type DeviceRows interface {
	// Done reports whether Wait would return without waiting.
	Done() bool
	// Wait waits until all ids have been checked and all missed rows have been gathered. The device may still be copying.
	//
	// Errors: IndexError for an id that is out of range; an error of the rows.
	Wait() error
	// Misses returns how many rows were not in the device's memory, once Wait has returned nil.
	Misses() int
	// Address waits for the rows and returns their address, for readers whose stream is unknown.
	Address() (uintptr, error)
	// Tensor returns the address of a DLPack tensor of the rows, with elements of a code and a size of DLPack. See
	// DeviceSamples.Tensor.
	Tensor(shape []int64, code, bits uint8, versioned bool, stream int64) (uintptr, error)
	// CopyOut copies the rows to the host.
	CopyOut(to unsafe.Pointer, j *job.Job) error
	// Release gives up the caller's reference.
	Release() error
}
