// Package inflate decompresses gzip files (RFC 1951 and 1952), about twice as fast as compress/gzip: reading a graph from
// such a file takes mostly inflating.
//
// The bits of the stream are kept in 64, words of up to 11 bits are looked up in one table, and matches are copied eight
// bytes at a time into a window that is read from directly.
package inflate

import (
	"errors"
	"io"
)

// ErrCorrupt is what a stream gives that does not follow the format.
var ErrCorrupt = errors.New("corrupt stream")

const (
	inputSize  = 256 << 10
	history    = 32 << 10 // the longest distance
	outputSize = 256 << 10
	longest    = 258 // match
	fullAt     = history + outputSize - longest
	slack      = 32 // bytes behind the output that a copy of eight bytes at a time may touch
)

// stream is a sequence of deflate blocks being decompressed.
type stream struct {
	from   io.Reader
	input  []byte // input[at:filled] was not looked at yet
	at     int
	filled int
	failed error // of from

	bits  uint64 // not used yet, the next one lowest
	count uint   // of them

	window  [history + outputSize + slack]byte
	given   int // window[given:written] was not read yet
	written int
	first   int // distances may reach back to here

	inside func(*stream) error // what decodes the rest of the block; nil: between blocks
	final  bool
	stored int // bytes left of a stored block
	lens   [lengthEntries]uint32
	dists  [distanceEntries]uint32
}

// refill reads more input when fewer than n bytes are there. It gives an error only if there are none at all.
func (s *stream) refill(n int) error {
	for s.filled-s.at < n && s.failed == nil {
		keep := min(s.at, 8) // bytes that align may give back
		s.filled = copy(s.input, s.input[s.at-keep:s.filled])
		s.at = keep
		k, err := s.from.Read(s.input[s.filled:])
		s.filled += k
		s.failed = err
	}
	if s.at == s.filled {
		if s.failed == io.EOF {
			return io.ErrUnexpectedEOF
		}
		return s.failed
	}
	return nil
}

// need makes sure that n bits are there, at most 32.
func (s *stream) need(n uint) error {
	for s.count < n {
		if s.at == s.filled {
			if err := s.refill(1); err != nil {
				return err
			}
		}
		s.bits |= uint64(s.input[s.at]) << s.count
		s.at++
		s.count += 8
	}
	return nil
}

// take gives the next n bits, at most 32.
func (s *stream) take(n uint) (uint32, error) {
	if err := s.need(n); err != nil {
		return 0, err
	}
	v := uint32(s.bits & (1<<n - 1))
	s.bits >>= n
	s.count -= n
	return v, nil
}

// align drops the bits up to the next byte and gives whole bytes back to the input.
func (s *stream) align() {
	s.at -= int(s.count / 8)
	s.bits, s.count = 0, 0
}

// fill decodes until the window is full or the stream ends, and gives io.EOF at its end.
func (s *stream) fill() error {
	keep := min(s.written, history)
	copy(s.window[:], s.window[s.written-keep:s.written])
	s.first = max(s.first-(s.written-keep), 0)
	s.written, s.given = keep, keep
	for s.written <= fullAt {
		if s.inside == nil {
			if s.final {
				return io.EOF
			}
			if err := s.begin(); err != nil {
				return err
			}
		}
		if err := s.inside(s); err != nil {
			return err
		}
	}
	return nil
}

// begin reads the header of a block.
func (s *stream) begin() error {
	head, err := s.take(3)
	if err != nil {
		return err
	}
	s.final = head&1 != 0
	switch head >> 1 {
	case 0:
		s.align()
		size, err := s.take(16)
		if err != nil {
			return err
		}
		inverse, err := s.take(16)
		if err != nil {
			return err
		}
		if size != inverse^0xffff {
			return ErrCorrupt
		}
		s.align()
		s.stored, s.inside = int(size), (*stream).copyStored
		return nil
	case 1:
		s.lens, s.dists = fixed.lens, fixed.dists
	case 2:
		if err := s.codes(); err != nil {
			return err
		}
	default:
		return ErrCorrupt
	}
	s.inside = (*stream).decode
	return nil
}

// copyStored copies bytes of a stored block.
func (s *stream) copyStored() error {
	for s.stored > 0 && s.written <= fullAt {
		if err := s.refill(1); err != nil {
			return err
		}
		n := min(s.stored, s.filled-s.at, fullAt+1-s.written)
		copy(s.window[s.written:], s.input[s.at:s.at+n])
		s.written, s.at, s.stored = s.written+n, s.at+n, s.stored-n
	}
	if s.stored == 0 {
		s.inside = nil
	}
	return nil
}
