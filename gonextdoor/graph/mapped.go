package graph

import (
	"cmp"
	"errors"
	"hash/crc32"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"gonextdoor/gonextdoor/internal/fault"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// File describes the state, at opening, of a file from which an array of a graph is mapped. The caller of FromArrays keeps
// the descriptor open until Graph.Close.
type File struct {
	Path              string
	Descriptor        int
	Device, Inode     uint64
	Size              int64   // bytes
	Modified, Changed int64   // mtime and ctime in nanoseconds
	Address           uintptr // of the array
	Bytes             int     // of the array
	Sum               uint32  // CRC-32C of the array
}

// Castagnoli is the table of CRC-32C, with which checksums of arrays are computed.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mapped holds the files of a graph. Other programs may write to them while the graph is in use, which changes the arrays.
type mapped struct {
	mu      sync.Mutex // guards rechecks
	files   []File
	spoiled atomic.Pointer[refuse.Refusal] // the change that was detected first; never reset
}

// Mapped returns the File of an open file from which the array at an address is mapped.
func Mapped(path string, descriptor int, address uintptr, bytes int, sum uint32) (File, error) {
	f := File{Path: path, Descriptor: descriptor, Address: address, Bytes: bytes, Sum: sum}
	st, err := f.status()
	f.Device, f.Inode, f.Size = uint64(st.Dev), st.Ino, st.Size
	f.Modified, f.Changed = st.Mtim.Nano(), st.Ctim.Nano()
	return f, err
}

// status returns the metadata of the open file.
func (f *File) status() (st syscall.Stat_t, err error) {
	for {
		if err = syscall.Fstat(f.Descriptor, &st); err != syscall.EINTR {
			return st, err
		}
	}
}

// files returns the files of the graph, or of that whose arrays it shares.
func (g *Graph) files() *mapped {
	for g.base != nil || g.shared != nil {
		g = cmp.Or(g.base, g.shared)
	}
	return &g.mapped
}

// Intact returns an error if a file of a mapped graph was truncated or written to since it was opened. Results that were read
// from it cannot be trusted, so every later call returns the error too. It costs one fstat per file, and nothing for a graph
// in memory.
//
// Changes are detected by the size and the modification time. Writes through a mapping that another program created before
// the check may not change the time and are then not detected.
func (g *Graph) Intact() error {
	m := g.files()
	if bad := m.spoiled.Load(); bad != nil {
		return bad
	}
	for i := range m.files {
		f := &m.files[i]
		st, err := f.status()
		if err != nil || uint64(st.Dev) != f.Device || st.Ino != f.Inode {
			continue // the descriptor was closed, for example by a process that became a daemon; the mapping still exists
		}
		switch {
		case st.Size < f.Size:
			return m.spoil("%s became shorter after it was opened: restore it and open the graph again", f.Path)
		case st.Size != f.Size || st.Mtim.Nano() != f.Modified:
			return m.spoil("%s was written to after it was opened: open the graph again", f.Path)
		case st.Ctim.Nano() != atomic.LoadInt64(&f.Changed): // mode, owner or links changed, or the mtime was reset
			if err := m.recheck(f, st.Ctim.Nano()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Blame returns the error to report for a call that read the graph and ended with err. If a file was changed, that is the
// error, since err may be a consequence; otherwise it is err. After an internal error Blame also compares the checksums.
func (g *Graph) Blame(err error) error {
	if bad := g.Intact(); bad != nil {
		return bad
	}
	if errors.Is(err, parallel.ErrPanic) {
		m := g.files()
		for i := range m.files {
			f := &m.files[i]
			if bad := m.recheck(f, atomic.LoadInt64(&f.Changed)); bad != nil {
				return bad
			}
		}
	}
	return err
}

// recheck compares a file with its checksum and, if it matches, stores changed as the time of its last change. It reads the
// whole array.
func (m *mapped) recheck(f *File, changed int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := ^f.Sum
	err := parallel.Do(1, func(int) error {
		sum = crc32.Checksum(unsafe.Slice((*byte)(pointer(f.Address)), f.Bytes), Castagnoli)
		return nil
	})
	if err != nil || sum != f.Sum {
		return m.spoil("%s was written to after it was opened: open the graph again", f.Path)
	}
	atomic.StoreInt64(&f.Changed, changed)
	return nil
}

// spoil records a change and returns the error for the first one.
func (m *mapped) spoil(format string, args ...any) error {
	bad := refuse.Format(format, args...).(*refuse.Refusal)
	m.spoiled.CompareAndSwap(nil, bad)
	return m.spoiled.Load()
}

// watch records the files of an imported graph and installs the handler of memory faults.
func (g *Graph) watch(files []File) {
	if len(files) > 0 {
		fault.Arm()
		g.mapped.files = files
	}
}
