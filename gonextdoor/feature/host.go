package feature

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Part is consecutive rows of a store in host memory, which the caller owns.
type Part struct {
	Rows      int64
	Address   unsafe.Pointer // of its first row
	Stride    int64          // bytes from a row to the next; a row itself is contiguous
	Writeable bool
}

// Host is rows in host memory: the rows of its parts, in their order.
type Host struct {
	parts    []Part
	starts   []int64 // the id of the first row of each part, and the number of rows
	rowBytes int64
	updating sync.RWMutex // held for writing by updates
	reads    atomic.Int64
	rows     atomic.Int64
}

// New returns the store of parts, each with rows of rowBytes bytes.
func New(parts []Part, rowBytes int64) (*Host, error) {
	h := &Host{parts: parts, starts: make([]int64, 1, len(parts)+1), rowBytes: rowBytes}
	if rowBytes < 0 {
		return nil, refuse.Value("rows of %d bytes: expected at least 0", rowBytes)
	}
	for i, p := range parts {
		if p.Rows < 0 || (p.Address == nil && p.Rows*rowBytes > 0) {
			return nil, refuse.Value("part %d: no memory for %d rows", i, p.Rows)
		}
		h.starts = append(h.starts, h.starts[i]+p.Rows)
	}
	return h, nil
}

// Rows returns the number of rows.
func (h *Host) Rows() int64 { return h.starts[len(h.parts)] }

// RowBytes returns the bytes of a row.
func (h *Host) RowBytes() int64 { return h.rowBytes }

// Counts returns what has been read so far.
func (h *Host) Counts() Counts { return Counts{Reads: h.reads.Load(), HostRows: h.rows.Load()} }

const (
	block = 1024      // rows whose addresses are computed before they are copied
	piece = 512 << 10 // bytes that a thread copies at a time
)

// Read copies rows, on several threads.
func (h *Host) Read(q Request) error {
	if err := h.check(q); err != nil {
		return err
	}
	h.updating.RLock()
	defer h.updating.RUnlock()
	chunk := max(1, piece/int(max(h.rowBytes, 8)))
	err := parallel.For(q.Job, q.Threads, int(q.IDs.Count), chunk, func(lo, hi int) error {
		return h.gather(q, lo, hi)
	})
	if err == nil {
		h.reads.Add(1)
		h.rows.Add(q.IDs.Count)
	}
	return err
}

// check returns an error if the memory of the values is not as large as the rows.
func (h *Host) check(q Request) error {
	if int64(len(q.Values)) != q.IDs.Count*h.rowBytes {
		return fmt.Errorf("%d bytes for %d rows of %d", len(q.Values), q.IDs.Count, h.rowBytes)
	}
	return nil
}

// gather copies the rows of the ids at positions lo to hi.
func (h *Host) gather(q Request, lo, hi int) error {
	var ids [block]int64
	var from [block]uintptr
	for ; lo < hi; lo += block {
		n := min(block, hi-lo)
		if err := q.IDs.Copy(lo, ids[:n], h.Rows()); err != nil {
			return err
		}
		h.locate(ids[:n], from[:n])
		copyRows(q.Values[int64(lo)*h.rowBytes:int64(lo+n)*h.rowBytes], from[:n], int(h.rowBytes))
	}
	return nil
}

// locate computes the addresses of rows.
func (h *Host) locate(ids []int64, to []uintptr) {
	if len(h.parts) == 1 {
		base, stride := uintptr(h.parts[0].Address), uintptr(h.parts[0].Stride)
		for i, id := range ids {
			to[i] = base + uintptr(id)*stride
		}
		return
	}
	for i, id := range ids {
		k := h.partOf(id)
		to[i] = uintptr(h.parts[k].Address) + uintptr(id-h.starts[k])*uintptr(h.parts[k].Stride)
	}
}

// partOf returns the number of the part that has a row.
func (h *Host) partOf(id int64) int {
	return sort.Search(len(h.parts), func(k int) bool { return id < h.starts[k+1] })
}

// Update copies rows to the store. It takes one thread, so that of equal ids the last one counts.
func (h *Host) Update(q Request) error {
	if err := h.check(q); err != nil {
		return err
	}
	for i, p := range h.parts {
		if !p.Writeable {
			return refuse.Value("part %d of the features is read-only: open an array that is writeable", i)
		}
	}
	ids := make([]int64, q.IDs.Count)
	if err := q.IDs.Copy(0, ids, h.Rows()); err != nil {
		return err
	}
	h.updating.Lock()
	defer h.updating.Unlock()
	return parallel.Guard(func() error {
		for i, id := range ids {
			k := h.partOf(id)
			to := unsafe.Add(h.parts[k].Address, (id-h.starts[k])*h.parts[k].Stride)
			copy(Bytes(to, 1, h.rowBytes), q.Values[int64(i)*h.rowBytes:])
		}
		return nil
	})
}
