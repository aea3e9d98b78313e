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
	npyHeader   = 128     // bytes of the headers that are written, so that the data begin at a cache line
	npyLongest  = 1 << 16 // bytes of the longest header that is read
	npyPreamble = 10      // magic, version, length of the rest
)

// npy is the header of a .npy file with a one-dimensional little-endian array.
type npy struct {
	dtype  string // as gonpy has it, without the byte order: u8
	length int64
	offset int64 // of the data in the file
}

// readNpy reads the header of a file of so many bytes. The parser is gonpy's, which panics on malformed shapes and
// believes any length: it only gets to see as many bytes as the header has.
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
	if h.offset > min(size, npyLongest) {
		return h, refuse.Format("%s: the npy header is said to have %d bytes, the file has %d", path, h.offset, size)
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

// check refuses a header that does not announce an array of length elements, all of them in the file of so many bytes.
func (h npy) check(path, dtype string, width, length, size int64) error {
	if h.dtype != dtype || h.length != length {
		return refuse.Format("%s: %d elements of dtype %s, expected %d of dtype %s", path, h.length, h.dtype, length, dtype)
	}
	if over, need := bits.Mul64(uint64(length), uint64(width)); over != 0 || need > uint64(size-h.offset) {
		return refuse.Format("%s: the file is truncated: %d elements are announced, there is room for %d", path, length, (size-h.offset)/width)
	}
	return nil
}

// npyHead returns the header of a file with a number of elements, always of the same size: it is written again when the
// number is known. The dictionary is gonpy's, whose own padding leaves out the newline at the end.
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

type headBuffer struct{ bytes.Buffer }

func (*headBuffer) Close() error { return nil }
