package feature

import "unsafe"

// Gatherer is a store that caches on devices read from. Its methods may be called concurrently.
type Gatherer interface {
	Store
	// Shape returns the number of rows, and the bytes of each.
	Shape() (rows, rowBytes int)
	// Gather copies row ids[i] to the i-th row of to, in the calling goroutine. The ids are below Rows. It is not counted.
	Gather(ids []uint32, to []byte) error
	// Block returns the bytes of all rows, in order, or nil if they are not one block of memory.
	Block() []byte
}

var _ Gatherer = (*Host)(nil)

// Shape returns the number of rows, and the bytes of each.
func (h *Host) Shape() (rows, rowBytes int) { return int(h.Rows()), int(h.rowBytes) }

// Gather copies rows in the calling goroutine.
func (h *Host) Gather(ids []uint32, to []byte) error {
	var long [block]int64
	var from [block]uintptr
	h.updating.RLock()
	defer h.updating.RUnlock()
	for len(ids) > 0 {
		n := min(block, len(ids))
		for i, id := range ids[:n] {
			long[i] = int64(id)
		}
		h.locate(long[:n], from[:n])
		copyRows(to, from[:n], int(h.rowBytes))
		ids, to = ids[n:], to[n*int(h.rowBytes):]
	}
	return nil
}

// Block returns the bytes of all rows if they are one part without gaps.
func (h *Host) Block() []byte {
	if len(h.parts) != 1 || h.parts[0].Stride != h.rowBytes || h.parts[0].Rows == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(h.parts[0].Address), h.parts[0].Rows*h.rowBytes)
}
