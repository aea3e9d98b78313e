package feature

import (
	"slices"
	"unsafe"
)

// Gatherer is a store that caches on devices read from. Its methods may be called concurrently.
type Gatherer interface {
	Store
	// Shape returns the number of rows, and the bytes of each.
	Shape() (rows, rowBytes int)
	// Gather copies row ids[i] to the i-th row of to, in the calling goroutine. The ids are below Rows. to is part of a larger
	// buffer, which the caches of a core do not keep.
	Gather(ids []uint32, to []byte) error
	// Block returns the bytes of all rows, in order, or nil if they are not one block of memory.
	Block() []byte
	// OnlyFiles reports whether no rows are in memory.
	OnlyFiles() bool
}

var _ Gatherer = (*Host)(nil)

const gatherBlock = 128 // rows whose addresses Gather computes before it copies them: it is called for few rows

// Shape returns the number of rows, and the bytes of each.
func (h *Host) Shape() (rows, rowBytes int) { return int(h.Rows()), int(h.rowBytes) }

// Gather copies rows in the calling goroutine.
func (h *Host) Gather(ids []uint32, to []byte) error {
	h.updating.RLock()
	defer h.updating.RUnlock()
	n := len(ids)
	q := Request{IDs: IDs{Address: unsafe.Pointer(unsafe.SliceData(ids)), Count: int64(n), Kind: 4}, Values: to}
	if h.files {
		return guarded(func() error { return h.gatherFiles(q, 0, n) })
	}
	h.hostRows.Add(int64(n))
	return guarded(func() error {
		var from [gatherBlock]uintptr
		for lo := 0; lo < n; lo += gatherBlock {
			addresses := from[:min(gatherBlock, n-lo)]
			if err := h.locate(q.IDs, lo, addresses); err != nil {
				return err
			}
			copyRows(to[lo*int(h.rowBytes):], addresses, int(h.rowBytes), true)
		}
		return nil
	})
}

// Block returns the bytes of all rows if they are one part in memory, without gaps.
func (h *Host) Block() []byte {
	if len(h.parts) != 1 || h.parts[0].inFile() || h.parts[0].Stride != h.rowBytes {
		return nil
	}
	return Bytes(h.parts[0].Address, h.parts[0].Rows, h.rowBytes)
}

// OnlyFiles reports whether no rows are in memory.
func (h *Host) OnlyFiles() bool {
	return !slices.ContainsFunc(h.parts, func(p Part) bool { return !p.inFile() })
}
