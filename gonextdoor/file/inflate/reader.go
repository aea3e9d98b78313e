package inflate

import (
	"hash/crc32"
	"io"
)

// Reader gives the content of a gzip file, which may have several members.
type Reader struct {
	stream stream
	sum    uint32 // of the member so far
	size   uint32
	err    error // what comes behind window[given:written]
}

// NewReader gives a Reader of a gzip file. It may read more than the file has.
func NewReader(from io.Reader) *Reader {
	r := &Reader{}
	r.stream.from, r.stream.input = from, make([]byte, inputSize)
	r.err = r.header()
	return r
}

// Read gives the next bytes. What was decoded before an error comes first.
func (r *Reader) Read(p []byte) (int, error) {
	s := &r.stream
	for s.given == s.written {
		if r.err != nil {
			return 0, r.err
		}
		r.err = s.fill()
		r.sum = crc32.Update(r.sum, crc32.IEEETable, s.window[s.given:s.written])
		r.size += uint32(s.written - s.given)
		if r.err == io.EOF {
			r.err = r.trailer()
		}
	}
	n := copy(p, s.window[s.given:s.written])
	s.given += n
	return n, nil
}

// trailer compares what the end of a member says of it, and goes on to the next. It gives io.EOF if there is none.
func (r *Reader) trailer() error {
	r.stream.align()
	sum, err := r.stream.take(32)
	if err != nil {
		return err
	}
	size, err := r.stream.take(32)
	if err != nil {
		return err
	}
	if sum != r.sum || size != r.size {
		return ErrCorrupt
	}
	if r.stream.refill(1); r.stream.at == r.stream.filled && r.stream.failed != nil {
		return r.stream.failed
	}
	r.sum, r.size, r.stream.final, r.stream.first = 0, 0, false, r.stream.written
	return r.header()
}

// header passes the header of a member.
func (r *Reader) header() error {
	var head [10]byte
	for i := range head {
		b, err := r.stream.take(8)
		if err != nil {
			return err
		}
		head[i] = byte(b)
	}
	const checksum, extras, name, comment, reserved = 2, 4, 8, 16, 0xe0
	flags := head[3]
	if head[0] != 0x1f || head[1] != 0x8b || head[2] != 8 || flags&reserved != 0 {
		return ErrCorrupt
	}
	if flags&extras != 0 {
		n, err := r.stream.take(16)
		if err != nil {
			return err
		}
		if err := r.pass(int(n)); err != nil {
			return err
		}
	}
	for _, text := range []byte{name, comment} {
		for b := uint32(1); flags&text != 0 && b != 0; {
			var err error
			if b, err = r.stream.take(8); err != nil {
				return err
			}
		}
	}
	if flags&checksum != 0 {
		return r.pass(2)
	}
	return nil
}

// pass leaves bytes out.
func (r *Reader) pass(n int) error {
	for range n {
		if _, err := r.stream.take(8); err != nil {
			return err
		}
	}
	return nil
}
