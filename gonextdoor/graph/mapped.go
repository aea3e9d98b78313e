package graph

import (
	"errors"
	"hash/crc32"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"gonextdoor/gonextdoor/fault"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// File is a file from which an array of a graph is mapped, as it was when it was opened. The caller of FromArrays keeps the
// descriptor open.
type File struct {
	Path              string
	Descriptor        int
	Device, Inode     uint64
	Size              int64 // bytes
	Modified, Changed int64 // of the contents; of the contents or of mode, owner or links: nanoseconds
	Address           uintptr
	Bytes             int // of the array
	Sum               uint32
}

// Castagnoli is the polynomial of the arrays' checksums.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mapped holds the files of a graph. Other programs may write to them while the graph is in use, and the mapping shows it.
type mapped struct {
	mu      sync.Mutex
	files   []File
	spoiled atomic.Pointer[refuse.Refusal] // set once, for good
}

// Mapped returns the File of an open file from which an array at an address is mapped.
func Mapped(path string, descriptor int, address uintptr, bytes int, sum uint32) (File, error) {
	f := File{Path: path, Descriptor: descriptor, Address: address, Bytes: bytes, Sum: sum}
	st, err := f.status()
	f.Device, f.Inode, f.Size = uint64(st.Dev), st.Ino, st.Size
	f.Modified, f.Changed = st.Mtim.Nano(), st.Ctim.Nano()
	return f, err
}

func (f *File) status() (st syscall.Stat_t, err error) {
	for {
		if err = syscall.Fstat(f.Descriptor, &st); err != syscall.EINTR {
			return st, err
		}
	}
}

// Intact returns an error if a file that the graph is mapped from was cut or written to since it was opened. Then no
// result that was read from it can be trusted, and the graph stays refused. It costs one fstat per file, and nothing for
// a graph in memory.
//
// A write is noticed by the file's size and time of modification. A program that mapped the file for writing before it
// was checked, and keeps writing to the same pages, may go unnoticed.
func (g *Graph) Intact() error {
	for g.base != nil {
		g = g.base
	}
	m := &g.mapped
	if bad := m.spoiled.Load(); bad != nil {
		return bad
	}
	for i := range m.files {
		f := &m.files[i]
		st, err := f.status()
		if err != nil || uint64(st.Dev) != f.Device || st.Ino != f.Inode {
			continue // the descriptor was closed, as daemons do; the mapping remains
		}
		switch {
		case st.Size < f.Size:
			return m.spoil("%s became shorter after it was opened: restore it and open the graph again", f.Path)
		case st.Size != f.Size || st.Mtim.Nano() != f.Modified:
			return m.spoil("%s was written to after it was opened: open the graph again", f.Path)
		case st.Ctim.Nano() != atomic.LoadInt64(&f.Changed): // a new mode, owner or link, or a time that was put back
			if err := m.again(f, st.Ctim.Nano()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Blame returns the error of a call that read the graph: that a file was changed, if one was, since everything else may
// be a consequence; otherwise err. After an internal error the checksums are compared too.
func (g *Graph) Blame(err error) error {
	if bad := g.Intact(); bad != nil {
		return bad
	}
	if errors.Is(err, parallel.ErrPanic) {
		for g.base != nil {
			g = g.base
		}
		for i := range g.mapped.files {
			f := &g.mapped.files[i]
			if bad := g.mapped.again(f, atomic.LoadInt64(&f.Changed)); bad != nil {
				return bad
			}
		}
	}
	return err
}

// again compares a file with its checksum and, if it matches, records the time of its last change.
func (m *mapped) again(f *File, changed int64) error {
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

func (m *mapped) spoil(format string, args ...any) error {
	bad := refuse.Format(format, args...).(*refuse.Refusal)
	m.spoiled.CompareAndSwap(nil, bad)
	return m.spoiled.Load()
}

// watch records the files of an imported graph and arms the handler of memory faults.
func (g *Graph) watch(files []File) {
	if len(files) > 0 {
		fault.Arm()
		g.mapped.files = files
	}
}
