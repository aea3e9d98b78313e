package file

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

const (
	blockSize   = 256 << 10 // text that stays in a core's cache from inflating to parsing
	longestLine = 1 << 20
	padding     = 16 // zero bytes behind a block, for loads of eight at once
)

// block is a piece of the text: whole lines, the last one ended with a newline even where the file ends without.
type block struct {
	number int // from 0, in the order of the file
	text   []byte
	buffer []byte // text and the padding behind it
}

// blocks cuts a source at line ends.
type blocks struct {
	source *source
	mu     sync.Mutex
	rest   []byte // the line that the last block ended in
	next   int    // number of the next block
	ended  error  // why there is no further block: io.EOF or what is wrong
}

// Take fills b, whose buffer is used again, with the next block. After an error there are no more blocks; text that
// was read before it comes first.
func (s *blocks) Take(b *block) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.buffer == nil {
		b.buffer = make([]byte, blockSize+padding+1) // one more for a newline
	}
	filled := copy(b.buffer, s.rest)
	for s.ended == nil {
		limit := len(b.buffer) - padding - 1
		if filled == limit {
			if end := bytes.LastIndexByte(b.buffer[:filled], '\n'); end >= 0 {
				return s.cut(b, end+1, filled)
			}
			if filled >= longestLine {
				s.ended = errLong
				break
			}
			grown := make([]byte, 2*limit+padding+1)
			copy(grown, b.buffer[:filled])
			b.buffer = grown
			continue
		}
		n, err := s.source.Read(b.buffer[filled:limit])
		filled += n
		s.ended = err
	}
	return s.last(b, filled)
}

// cut makes the first end bytes of the buffer the block and keeps the others for the next.
func (s *blocks) cut(b *block, end, filled int) error {
	s.rest = append(s.rest[:0], b.buffer[end:filled]...)
	b.text, b.number = b.buffer[:end], s.next
	s.next++
	clear(b.buffer[end : end+padding])
	return nil
}

// last gives out what came before the end. What stands behind the last newline is a line if the file ended in order.
func (s *blocks) last(b *block, filled int) error {
	end := bytes.LastIndexByte(b.buffer[:filled], '\n') + 1
	if s.ended == io.EOF && end < filled {
		b.buffer[filled] = '\n'
		end = filled + 1
		filled = end
	}
	if end == 0 {
		s.rest = append(s.rest[:0], b.buffer[:min(filled, 100)]...) // for the message
		b.text, b.number = nil, s.next
		return s.ended
	}
	return s.cut(b, end, filled)
}

// errLong refuses the line behind the last block.
var errLong = errors.New("a line of more than 1 MB: is this a text file?")
