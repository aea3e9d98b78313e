package feature

import (
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// Part is consecutive rows of a store, in host memory or in a file. The caller owns the memory, or the open file.
type Part struct {
	Rows      int64
	Address   unsafe.Pointer // of its first row; nil: the rows are in a file
	Stride    int64          // bytes from a row to the next; a row itself is contiguous
	Writeable bool

	File   int    // the descriptor of the open file
	Offset int64  // of the first row in the file
	Name   string // of the file, for errors

	waits int32 // 1 (atomic): the file system has no reads that do not wait, as tmpfs has none
}

// inFile reports whether the rows are in a file.
func (p *Part) inFile() bool { return p.Address == nil }

// check returns an error for a part that cannot be. number is its number in the store.
func (p *Part) check(number int, rowBytes int64) error {
	switch {
	case p.Rows < 0:
		return refuse.Value("part %d: %d rows", number, p.Rows)
	case p.inFile() && p.Rows*rowBytes > 0 && (p.File < 0 || p.Offset < 0):
		return refuse.Value("part %d: %d rows in no memory and no file", number, p.Rows)
	}
	return nil
}

// row returns the memory of a row, which is not in a file.
func (p *Part) row(i, rowBytes int64) []byte {
	return Bytes(unsafe.Add(p.Address, i*p.Stride), 1, rowBytes)
}
