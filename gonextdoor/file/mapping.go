package file

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// mapping is a file mapped into memory, with at least one readable element after its end.
type mapping struct {
	file   *os.File
	path   string
	name   string // of the array
	whole  []byte // the file and the memory after it
	offset int64  // of the array
	bytes  int64  // of the array
}

// mapFile maps the array that begins at offset in an open file, and writes tail after it: to a private copy of the last page
// of the file, or to the page after it. The file never changes.
func mapFile(f *os.File, offset, bytes int64, tail []byte) (m mapping, err error) {
	page := int64(os.Getpagesize())
	length := (offset+bytes+page-1)/page*page + page
	if length < 0 || offset+bytes < 0 {
		return m, refuse.Format("%s: %d bytes of data do not fit into memory", f.Name(), bytes)
	}
	whole, err := unix.Mmap(-1, 0, int(length), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return m, refuse.Memory("%s: %d bytes of addresses could not be had from the system: %w", f.Name(), length, err)
	}
	m = mapping{file: f, path: f.Name(), whole: whole, offset: offset, bytes: bytes}
	defer func() {
		if err != nil {
			unix.Munmap(whole)
		}
	}()
	if _, err = unix.MmapPtr(int(f.Fd()), 0, unsafe.Pointer(unsafe.SliceData(whole)), uintptr(offset+bytes),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED); err != nil {
		return m, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	if len(tail) > 0 {
		if err = touched(func() { copy(whole[offset+bytes:], tail) }); err != nil {
			return m, refuse.Format("%s: the file became shorter while it was opened", f.Name())
		}
	}
	return m, unix.Mprotect(whole, unix.PROT_READ)
}

// array returns the mapped array.
func (m mapping) array() []byte { return m.whole[m.offset:][:m.bytes] }

// graphFile describes the file to the graph, given the checksum of the array.
func (m mapping) graphFile(sum uint32) (graph.File, error) {
	data := m.array()
	return graph.Mapped(m.path, int(m.file.Fd()), uintptr(unsafe.Pointer(unsafe.SliceData(data))), len(data), sum)
}

// Close ends the mapping, and closes the file.
func (m mapping) Close() {
	if m.whole != nil {
		unix.Munmap(m.whole)
		m.file.Close()
	}
}
