package feature

import (
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Host is rows in host memory and in files: the rows of its parts, in their order.
type Host struct {
	parts    []Part
	starts   []int64 // the id of the first row of each part, and the number of rows
	rowBytes int64
	files    bool         // some rows are in files
	updating sync.RWMutex // held for writing by updates

	reads, hostRows, fileRows atomic.Int64
}

// New returns the store of parts, each with rows of rowBytes bytes.
func New(parts []Part, rowBytes int64) (*Host, error) {
	h := &Host{parts: parts, starts: make([]int64, 1, len(parts)+1), rowBytes: rowBytes}
	if rowBytes < 0 {
		return nil, refuse.Value("rows of %d bytes: expected at least 0", rowBytes)
	}
	for i := range parts {
		if err := parts[i].check(i, rowBytes); err != nil {
			return nil, err
		}
		h.starts = append(h.starts, h.starts[i]+parts[i].Rows)
	}
	h.files = rowBytes > 0 && slices.ContainsFunc(parts, func(p Part) bool { return p.inFile() && p.Rows > 0 })
	return h, nil
}

// Rows returns the number of rows.
func (h *Host) Rows() int64 { return h.starts[len(h.parts)] }

// RowBytes returns the bytes of a row.
func (h *Host) RowBytes() int64 { return h.rowBytes }

// Counts returns what has been read so far.
func (h *Host) Counts() Counts {
	return Counts{Reads: h.reads.Load(), HostRows: h.hostRows.Load(), FileRows: h.fileRows.Load()}
}

const piece = 1 << 20 // bytes of memory that a thread copies at a time

// Read copies rows, on several threads.
func (h *Host) Read(q Request) error {
	if err := h.check(q); err != nil {
		return err
	}
	h.updating.RLock()
	defer h.updating.RUnlock()
	gather, chunk := h.gather, max(1, piece/max(h.rowBytes, 8))
	if h.files {
		gather, chunk = h.gatherFiles, max(1, min(window, windowBytes/max(h.rowBytes, 1)))
	}
	h.reads.Add(1)
	return parallel.For(q.Job, q.Threads, int(q.IDs.Count), int(chunk), func(lo, hi int) error {
		return guarded(func() error { return gather(q, lo, hi) })
	})
}

// check returns an error if the memory of the values is not as large as the rows.
func (h *Host) check(q Request) error {
	if int64(len(q.Values)) != q.IDs.Count*h.rowBytes {
		return fmt.Errorf("%d bytes for %d rows of %d", len(q.Values), q.IDs.Count, h.rowBytes)
	}
	return nil
}

// guarded calls f and converts a memory fault to an error of the caller: the array that he opened is a mapped file that was
// truncated. A fault of the library itself would be at one of the same addresses, which its tests exclude.
func guarded(f func() error) (err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		fault, ok := p.(interface{ Addr() uintptr })
		if !ok {
			panic(p)
		}
		err = refuse.Format("no memory at %#x: the array of the features is a mapped file that was truncated; open the file by "+
			"its path instead", fault.Addr())
	}()
	return f()
}

// gather copies the rows of the ids at positions lo to hi from memory.
func (h *Host) gather(q Request, lo, hi int) error {
	var from [block]uintptr
	large := len(q.Values) >= streamResult
	h.hostRows.Add(int64(hi - lo))
	for ; lo < hi; lo += block {
		n := min(block, hi-lo)
		if err := h.locate(q.IDs, lo, from[:n]); err != nil {
			return err
		}
		copyRows(q.Values[int64(lo)*h.rowBytes:int64(lo+n)*h.rowBytes], from[:n], int(h.rowBytes), large)
	}
	return nil
}

// locate computes the addresses of the rows of the ids from position lo on.
func (h *Host) locate(ids IDs, lo int, to []uintptr) error {
	if len(h.parts) == 1 {
		p := &h.parts[0]
		return ids.locate(lo, to, p.Rows, uintptr(p.Address), uintptr(p.Stride))
	}
	if err := ids.locate(lo, to, h.Rows(), 0, 1); err != nil {
		return err
	}
	for i, id := range to {
		p, row := h.part(int64(id))
		to[i] = uintptr(p.Address) + uintptr(row)*uintptr(p.Stride)
	}
	return nil
}

// part returns the part that has a row, and the number of the row within it.
func (h *Host) part(id int64) (*Part, int64) {
	k := sort.Search(len(h.parts)-1, func(k int) bool { return id < h.starts[k+1] })
	return &h.parts[k], id - h.starts[k]
}

// Update copies rows to the store. It takes one thread, so that of equal ids the last one counts.
func (h *Host) Update(q Request) error {
	if err := h.check(q); err != nil {
		return err
	}
	for i := range h.parts {
		if !h.parts[i].Writeable {
			return refuse.Value("part %d of the features is read-only", i)
		}
	}
	ids := make([]int64, q.IDs.Count)
	if err := q.IDs.Copy(0, ids, h.Rows()); err != nil || h.rowBytes == 0 {
		return err
	}
	h.updating.Lock()
	defer h.updating.Unlock()
	if err := h.checkFiles(ids); err != nil {
		return err
	}
	return parallel.For(q.Job, 1, len(ids), block, func(lo, hi int) error {
		return guarded(func() error { return h.write(ids[lo:hi], q.Values[int64(lo)*h.rowBytes:]) })
	})
}

// checkFiles returns an error if a file that has rows of the ids was truncated.
func (h *Host) checkFiles(ids []int64) error {
	if !h.files {
		return nil
	}
	var last *Part
	checked := map[*Part]bool{}
	for _, id := range ids {
		p, _ := h.part(id)
		if p == last || !p.inFile() || checked[p] {
			continue
		}
		if err := p.whole(h.rowBytes); err != nil {
			return err
		}
		checked[p], last = true, p
	}
	return nil
}

// write copies consecutive rows of values to the rows of ids.
func (h *Host) write(ids []int64, values []byte) error {
	for i, id := range ids {
		p, row := h.part(id)
		from := values[int64(i)*h.rowBytes:][:h.rowBytes]
		if p.inFile() {
			if err := p.writeFile(row, from); err != nil {
				return err
			}
			continue
		}
		copy(p.row(row, h.rowBytes), from)
	}
	return nil
}
