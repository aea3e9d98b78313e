package file

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/kshedden/gonpy"

	"gonextdoor/gonextdoor/refuse"
)

const (
	npyHeader    = 128     // bytes of a header that we write; the data start at a cache line
	maxNpyHeader = 1 << 16 // bytes of the longest header that we read
	npyPreamble  = 10      // bytes of magic, version and header length
)

// npy is the header of a .npy file with a one-dimensional little-endian array.
type npy struct {
	dtype  string // as in gonpy, without the byte order: u8
	length int64  // elements
	offset int64  // of the data in the file, in bytes
}

// readNpy reads the header of a file of size bytes. gonpy parses it; since gonpy panics on malformed shapes and trusts any
// length, it gets only the bytes of the header, and panics are turned into errors.
func readNpy(path string, f io.ReaderAt, size int64) (h npy, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refuse.Format("%s: malformed npy header: %v", path, p)
		}
	}()
	var preamble [npyPreamble + 2]byte
	n, err := f.ReadAt(preamble[:], 0)
	if err != nil && err != io.EOF {
		return h, err
	}
	if n < len(preamble) || string(preamble[:6]) != "\x93NUMPY" {
		return h, refuse.Format("%s: not a npy file", path)
	}
	h.offset = npyPreamble + int64(binary.LittleEndian.Uint16(preamble[8:]))
	if preamble[6] > 1 {
		h.offset = npyPreamble + 2 + int64(binary.LittleEndian.Uint32(preamble[8:]))
	}
	if h.offset > min(size, maxNpyHeader) {
		return h, refuse.Format("%s: the npy header should have %d bytes, but the file has %d", path, h.offset, size)
	}
	head := make([]byte, h.offset)
	if _, err := f.ReadAt(head, 0); err != nil {
		return h, fmt.Errorf("%s: %w", path, err)
	}
	r, err := gonpy.NewReader(bytes.NewReader(head))
	if err != nil {
		return h, refuse.Format("%s: malformed npy header: %w", path, err)
	}
	if len(r.Shape) != 1 || r.Shape[0] < 0 || r.Endian != binary.LittleEndian {
		return h, refuse.Format("%s: shape %v, byte order %v, expected a one-dimensional little-endian array", path, r.Shape, r.Endian)
	}
	h.dtype, h.length = r.Dtype, int64(r.Shape[0])
	return h, nil
}

// check rejects a header that does not describe an array of length elements, or whose data exceed a file of size bytes.
func (h npy) check(path, dtype string, width, length, size int64) error {
	if h.dtype != dtype || h.length != length {
		return refuse.Format("%s: %d elements of dtype %s, expected %d of dtype %s", path, h.length, h.dtype, length, dtype)
	}
	if over, need := bits.Mul64(uint64(length), uint64(width)); over != 0 || need > uint64(size-h.offset) {
		return refuse.Format("%s: the file is truncated: the header promises %d elements, but the file has room for %d", path, length, (size-h.offset)/width)
	}
	return nil
}

// npyHead returns the header of a file with length elements. Its size is always npyHeader, so that it can be rewritten when
// the length is known. gonpy formats the dictionary; its padding is replaced, because it lacks the final newline.
func npyHead(dtype string, length int) ([]byte, error) {
	var b headBuffer
	w, err := gonpy.NewWriter(&b)
	if err != nil {
		return nil, err
	}
	w.Shape = []int{length}
	switch dtype {
	case "u1":
		err = w.WriteUint8(nil)
	case "u2":
		err = w.WriteUint16(nil)
	case "u4":
		err = w.WriteUint32(nil)
	case "u8":
		err = w.WriteUint64(nil)
	case "i2":
		err = w.WriteInt16(nil)
	case "i4":
		err = w.WriteInt32(nil)
	case "i8":
		err = w.WriteInt64(nil)
	default:
		err = fmt.Errorf("no npy dtype %q", dtype)
	}
	if err != nil {
		return nil, err
	}
	dictionary := bytes.TrimRight(b.Bytes()[npyPreamble:], " ")
	head := append(b.Bytes()[:npyPreamble:npyPreamble], dictionary...)
	binary.LittleEndian.PutUint16(head[8:], npyHeader-npyPreamble)
	for len(head) < npyHeader-1 {
		head = append(head, ' ')
	}
	return append(head, '\n'), nil
}

// headBuffer gives a buffer the Close method that gonpy needs.
type headBuffer struct{ bytes.Buffer }

// Close does nothing.
func (*headBuffer) Close() error { return nil }
