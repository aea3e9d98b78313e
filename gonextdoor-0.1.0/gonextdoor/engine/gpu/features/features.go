// Package features copies rows of features from host memory to a GPU, and keeps some or all of them there.
//
// A Store is an array of rows of one size, such as the features of all vertices of one type. A read copies the rows of some
// ids to one dense array in GPU memory. Rows in GPU memory, the hits, are copied there by one kernel. Missed rows are on the
// host. Either CPU threads gather them into pinned memory, from which the GPU's copy engine reads (ByCopy), or a kernel reads
// them from the rows themselves, which are pinned (ByKernel), or each does for a share of them at the same time (ByBoth).
// Neither the way nor the cache changes a value.
//
//	s, err := features.Open(d, rows, features.Options{Slots: 1000, Placed: best})
//	results, err := features.Read([]features.Request{{Store: s, IDs: ids}}, nil)
//	err = results[0].Wait()
//
// Order: all stores of a GPU share four streams. One finds the rows and copies hits, one copies missed rows from the host,
// one reads missed rows by a kernel, and one distributes copied rows. So the search of a read overlaps with the copies of the
// read before. The reads of a GPU are submitted
// in the order of the calls, by one goroutine at a time. A result is complete when its event is reached. Results are freed in a
// fifth stream, which waits for the work of their consumers: no read waits for it.
//
// Memory: the slots and the tables of a store count as memory of graphs, see resident.Reserve. Pinned memory of a GPU is
// bounded by plan.FeaturePieces pieces, plus 4 bytes per id of the reads in progress.
//
// All functions are safe for concurrent use, and enter Device.Do themselves.
//
// The package is not under internal/ because it belongs to engine/gpu, which programs may use without package gonextdoor.
package features

import (
	"fmt"
	"slices"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// The types of package engine, by which it is called.
type (
	// Rows are rows in host memory.
	Rows = engine.FeatureRows
	// Way is a way to read missed rows.
	Way = engine.FeatureWay
	// Options determine which rows of a store are in GPU memory.
	Options = engine.FeatureOptions
	// IDs are the rows that a read copies.
	IDs = engine.FeatureIDs
	// Target is memory of the caller for the rows of a read.
	Target = engine.FeatureTarget
	// Counts is what has been read of a store.
	Counts = engine.FeatureCounts
)

// Classes is the number of classes of rows.
const Classes = engine.FeatureClasses

// The ways to read missed rows.
const (
	Measured = engine.FeaturesMeasured
	ByCopy   = engine.FeaturesByCopy
	ByKernel = engine.FeaturesByKernel
	ByBoth   = engine.FeaturesByBoth
)

// Limits of a store: numbers of rows must fit into 31 bits beside marks of the kernels, and the vectors of 32 rows into 32 bits.
const (
	maxRows     = 1<<32 - 2
	maxSlots    = 1<<31 - 1
	maxRowBytes = 1 << 24
)

// check returns an error for rows that cannot be read, or options that do not fit them.
func check(o Options, rows, rowBytes int) error {
	switch {
	case rowBytes < 1 || rowBytes > maxRowBytes:
		return refuse.Value("features: a row has %d bytes, expected 1 to %d", rowBytes, maxRowBytes)
	case rows < 1 || rows > maxRows:
		return refuse.Value("features: there are %d rows, expected 1 to %d", rows, maxRows)
	case o.Slots < 0 || o.Slots > rows:
		return refuse.Value("features: a cache of %d rows, expected 0 to %d, the number of rows", o.Slots, rows)
	case o.Slots > maxSlots:
		return refuse.Value("features: a cache of %d rows, expected %d at most", o.Slots, maxSlots)
	case o.Classes != nil && len(o.Classes) != rows:
		return refuse.Value("features: classes of %d rows, expected %d", len(o.Classes), rows)
	case slices.ContainsFunc(o.Classes, func(class uint8) bool { return class >= Classes }):
		return refuse.Value("features: a class of %d, expected less than %d", slices.Max(o.Classes), Classes)
	case o.Share < 0 || o.Share > whole:
		return refuse.Value("features: a share of %d, expected 0 to %d", o.Share, whole)
	case len(o.Placed) > o.Slots:
		return refuse.Value("features: %d rows are placed in a cache of %d", len(o.Placed), o.Slots)
	}
	return nil
}

// vectorOf returns the largest power of two up to 16 that divides the bytes of a row.
func vectorOf(rowBytes int) int {
	return alignment(uintptr(rowBytes), 16)
}

// alignment returns the largest power of two up to most that divides a number.
func alignment(number uintptr, most int) int {
	for number%uintptr(most) != 0 {
		most /= 2
	}
	return most
}

// tile returns how many of a number of rows a warp copies: at most 32, and fewer if there are few, so that all SMs have work.
func (s *Store) tile(count int) uint64 {
	if s.options.Tile > 0 {
		return uint64(s.options.Tile)
	}
	tile := 32
	for tile > 1 && count/tile < s.link.device.Multiprocessors*plan.FeatureWarps {
		tile /= 2
	}
	return uint64(tile)
}

// outOfRange returns the error of an id.
func outOfRange(i uint64, id uint64, ids IDs, rows int) error {
	shown := fmt.Sprint(id)
	switch {
	case ids.Signed && ids.Bytes == 4:
		shown = fmt.Sprint(int32(id))
	case ids.Signed:
		shown = fmt.Sprint(int64(id))
	}
	return refuse.Index("ids[%d] = %s: there are %d rows of features, expected 0 to %d", i, shown, rows, rows-1)
}
