package file

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// mapping is a file that is mapped read-only, followed by at least one readable element.
type mapping struct {
	file   *os.File // open as long as the mapping, since graph.File reports its descriptor
	path   string
	name   string // of the array
	region []byte // the pages of the file and one anonymous page after them
	offset int64  // of the array in region, in bytes
	bytes  int64  // of the array
}

// mapFile maps the array of bytes bytes at offset in an open file, and writes tail after it. The tail is written to a
// private copy of the file's last page or to the page after it; the file never changes.
//
// On success the mapping owns the file and its Close closes both.
func mapFile(f *os.File, offset, bytes int64, tail []byte) (m mapping, err error) {
	page := int64(os.Getpagesize())
	length := (offset+bytes+page-1)/page*page + page
	if length < 0 || offset+bytes < 0 {
		return m, refuse.Format("%s: %d bytes of data do not fit into memory", f.Name(), bytes)
	}
	// 1. Reserve addresses for the file and one page more. Writable mappings would count as memory that the system must have, so
	// that it would refuse arrays larger than its memory.
	region, err := unix.Mmap(-1, 0, int(length), unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return m, refuse.Memory("%s: the system could not reserve %d bytes of addresses: %w", f.Name(), length, err)
	}
	m = mapping{file: f, path: f.Name(), region: region, offset: offset, bytes: bytes}
	defer func() {
		if err != nil {
			unix.Munmap(region)
		}
	}()
	// 2. Map the file over the beginning of them.
	if _, err = unix.MmapPtr(int(f.Fd()), 0, unsafe.Pointer(unsafe.SliceData(region)), uintptr(offset+bytes),
		unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_FIXED); err != nil {
		return m, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	// 3. Write the tail to its pages, which are writable meanwhile.
	if len(tail) > 0 {
		pages := region[(offset+bytes)/page*page:]
		if err = unix.Mprotect(pages, unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return m, err
		}
		if err = catchFault(func() { copy(region[offset+bytes:], tail) }); err != nil {
			return m, refuse.Format("%s: the file became shorter while it was opened", f.Name())
		}
		return m, unix.Mprotect(pages, unix.PROT_READ)
	}
	return m, nil
}

// array returns the bytes of the mapped array. They are valid until Close.
func (m mapping) array() []byte { return m.region[m.offset:][:m.bytes] }

// graphFile describes the file to the graph; sum is the CRC-32C of the array from the record.
func (m mapping) graphFile(sum uint32) (graph.File, error) {
	data := m.array()
	return graph.Mapped(m.path, int(m.file.Fd()), uintptr(unsafe.Pointer(unsafe.SliceData(data))), len(data), sum)
}

// Close unmaps the array and closes the file. Nothing may read the array afterwards.
func (m mapping) Close() {
	if m.region != nil {
		unix.Munmap(m.region)
		m.file.Close()
	}
}

// mapped describes a mapping to graph.FromArrays. The mapping must outlive the result.
func (a *array) mapped(m mapping) graph.NamedArray {
	n := graph.NamedArray{
		Name: a.name, Dtype: a.dtype, Address: uintptr(unsafe.Pointer(unsafe.SliceData(m.array()))), Length: int(m.bytes / a.width),
	}
	if a.name == "indices" {
		n.Length++ // the sentinel that mapFile writes after the file
	}
	return n
}
