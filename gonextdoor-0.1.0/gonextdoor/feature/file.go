package feature

import (
	"errors"
	"io/fs"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/refuse"
)

// Rows of files are read by pread and not from mapped memory: a file that is truncated is then an error of the call, and a
// row that is not in the page cache delays no other row.

const (
	window      = 4096    // rows that a thread requests before it waits for the first of them
	windowBytes = 8 << 20 // bytes of them, about
)

// extent is rows that are consecutive both in a part and in the result.
type extent struct {
	part *Part
	row  int64  // the first one, within the part
	to   []byte // memory of the result
}

// gatherFiles copies the rows of the ids at positions lo to hi, some of which are in files. Rows in the page cache are copied
// at once. The kernel is asked for all others before the first of them is waited for, so that the device has as many requests
// as there are such rows.
func (h *Host) gatherFiles(q Request, lo, hi int) error {
	ids := make([]int64, hi-lo)
	if err := q.IDs.Copy(lo, ids, h.Rows()); err != nil {
		return err
	}
	var missed []extent
	for i := 0; i < len(ids); {
		p, row := h.part(ids[i])
		n := int64(1)
		for p.Stride == h.rowBytes && i+int(n) < len(ids) && ids[i+int(n)] == ids[i]+n && row+n < p.Rows {
			n++
		}
		e := extent{p, row, q.Values[(int64(lo)+int64(i))*h.rowBytes:][:n*h.rowBytes]}
		switch {
		case !p.inFile():
			copy(e.to, Bytes(unsafe.Add(p.Address, row*p.Stride), n, h.rowBytes))
			h.hostRows.Add(n)
		case !e.readCached():
			missed = append(missed, e)
			fallthrough
		default:
			h.fileRows.Add(n)
		}
		i += int(n)
	}
	for _, e := range missed {
		if err := e.read(); err != nil {
			return err
		}
	}
	return nil
}

// offset returns the position of the rows in the file.
func (e extent) offset() int64 { return e.part.Offset + e.row*e.part.Stride }

// readCached reads the rows if they are in the page cache. Otherwise it asks the kernel to read them and returns false.
func (e extent) readCached() bool {
	if atomic.LoadInt32(&e.part.waits) != 0 {
		return false
	}
	at := e.offset()
	n, err := readNow(e.part.File, e.to, at)
	switch {
	case n == len(e.to):
		return true
	case err == unix.EOPNOTSUPP:
		atomic.StoreInt32(&e.part.waits, 1)
		return false
	}
	_ = unix.Fadvise(e.part.File, at, int64(len(e.to)), unix.FADV_WILLNEED) // advice, which a file may not support
	return false
}

// readNow reads at most len(to) bytes at an offset without waiting for the device, and returns how many it has read.
func readNow(file int, to []byte, at int64) (int, syscall.Errno) {
	vector := unix.Iovec{Base: unsafe.SliceData(to)}
	vector.SetLen(len(to))
	n, _, errno := unix.Syscall6(unix.SYS_PREADV2, uintptr(file), uintptr(unsafe.Pointer(&vector)), 1, uintptr(at), 0, unix.RWF_NOWAIT)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// read reads the rows and waits for them.
func (e extent) read() error {
	at := e.offset()
	for to := e.to; len(to) > 0; {
		n, err := syscall.Pread(e.part.File, to, at)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return &fs.PathError{Op: "read", Path: e.part.Name, Err: err}
		case n == 0:
			return e.part.truncated()
		}
		to, at = to[n:], at+int64(n)
	}
	return nil
}

// truncated returns the error for a file that ends before its rows.
func (p *Part) truncated() error {
	var facts syscall.Stat_t
	if err := syscall.Fstat(p.File, &facts); err != nil {
		return &fs.PathError{Op: "stat", Path: p.Name, Err: err}
	}
	return refuse.Format("%s ends at byte %d, before the end of its rows: it was truncated after it was opened", p.Name, facts.Size)
}

// whole returns an error if the file is shorter than its rows. A write past its end would fill the gap with zeros, which reads
// would then return as rows.
func (p *Part) whole(rowBytes int64) error {
	var facts syscall.Stat_t
	if err := syscall.Fstat(p.File, &facts); err != nil {
		return &fs.PathError{Op: "stat", Path: p.Name, Err: err}
	}
	if p.Rows > 0 && facts.Size < p.Offset+(p.Rows-1)*p.Stride+rowBytes {
		return p.truncated()
	}
	return nil
}

// writeFile writes a row.
func (p *Part) writeFile(row int64, from []byte) error {
	at := p.Offset + row*p.Stride
	for len(from) > 0 {
		n, err := syscall.Pwrite(p.File, from, at)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return &fs.PathError{Op: "write", Path: p.Name, Err: err}
		}
		from, at = from[n:], at+int64(n)
	}
	return nil
}
