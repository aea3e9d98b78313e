// Package feature holds the features of vertices or edges: rows of equal size, which are read by id.
//
// The serial definition of a read is
//
//	for i, id := range ids { copy(out[i*rowBytes:(i+1)*rowBytes], row(id)) }
//
// Places, caches and threads change its speed and never its bytes. Rows are bytes here: Python knows their dtype and shape.
package feature

import (
	"unsafe"

	"gonextdoor/gonextdoor/job"
)

// Store is rows of equal size with the ids 0 to Rows()-1. Its methods may be called concurrently.
type Store interface {
	Rows() int64
	RowBytes() int64
	// Read copies rows to q.Values as the serial definition does. It returns an IndexError for an id that is out of range; the
	// contents of q.Values are then undefined.
	Read(q Request) error
	// Update copies rows from q.Values to the store, in the order of the ids: of equal ids, the last one counts. An error for
	// an id leaves all rows unchanged.
	Update(q Request) error
	// Counts returns what has been read so far.
	Counts() Counts
}

// Request is the arguments of a read or an update.
type Request struct {
	IDs     IDs
	Values  []byte // IDs.Count rows
	Threads int    // CPU threads; GOMAXPROCS if below 1
	Job     *job.Job
}

// Counts is the number of rows that a store has read, by place, and the number of reads.
type Counts struct {
	Reads                          int64
	DeviceRows, HostRows, FileRows int64 // rows from the memory of a GPU, from host memory, from files
	KernelRows                     int64 // of HostRows, those that a kernel of a GPU has read
}

// Bytes returns rows of rowBytes bytes at an address.
func Bytes(address unsafe.Pointer, rows, rowBytes int64) []byte {
	if rows*rowBytes == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(address), rows*rowBytes)
}
