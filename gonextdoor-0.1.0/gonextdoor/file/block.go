package file

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

const (
	blockSize = 256 << 10 // bytes; small enough that a decompressed block is still in the L2 cache when it is parsed
	maxLine   = 1 << 20   // bytes
	padding   = 16        // zero bytes after a block, so that parsers may load eight bytes anywhere in it
)

// block is a number of complete lines. The last line ends with a newline even if the file does not.
type block struct {
	number int // from 0, in the order of the file
	text   []byte
	buffer []byte // text, followed by padding
}

// blocks cuts the text of a source at line ends. Next may be called by several threads.
type blocks struct {
	source  *source
	mu      sync.Mutex
	rest    []byte // text after the last line end of the previous block
	next    int    // number of the next block
	ended   error  // why there is no further block: io.EOF or a fault
	quoted  bool   // fields may be quoted, so a line end between quotes does not end a record
	decided bool   // whether returns has been determined
	returns bool   // lines end with a carriage return alone
}

// Next fills b with the next block and reuses its buffer. Complete lines read before an error are returned first; then every
// call returns the error.
func (s *blocks) Next(b *block) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.buffer == nil {
		b.buffer = make([]byte, blockSize+padding+1) // one more for a newline
	}
	if need := len(s.rest) + padding + 1; need > len(b.buffer) {
		b.buffer = make([]byte, need)
	}
	filled := copy(b.buffer, s.rest)
	for s.ended == nil {
		limit := len(b.buffer) - padding - 1
		if filled == limit { // the buffer is full: end the block at its last line end, or enlarge the buffer
			s.decide(b.buffer[:filled])
			if end := s.end(b.buffer[:filled]); end > 0 {
				return s.cut(b, end, filled)
			}
			if filled >= maxLine {
				s.ended = errLong
				break
			}
			grown := make([]byte, 2*limit+padding+1)
			copy(grown, b.buffer[:filled])
			b.buffer = grown
			continue
		}
		n, err := s.source.Read(b.buffer[filled:limit])
		if s.returns {
			endWithNewlines(b.buffer[filled : filled+n])
		}
		filled += n
		s.ended = err
	}
	return s.last(b, filled)
}

// cut makes the first end bytes of the buffer the block and stores the others for the next block.
func (s *blocks) cut(b *block, end, filled int) error {
	s.rest = append(s.rest[:0], b.buffer[end:filled]...)
	b.text, b.number = b.buffer[:end], s.next
	s.next++
	clear(b.buffer[end : end+padding])
	return nil
}

// last returns the rest of the text at the end of the file. Text after the last newline counts as a line only if the file
// ended without an error.
func (s *blocks) last(b *block, filled int) error {
	s.decide(b.buffer[:filled])
	end := bytes.LastIndexByte(b.buffer[:filled], '\n') + 1
	if s.ended == io.EOF && end < filled {
		b.buffer[filled] = '\n'
		end = filled + 1
		filled = end
	}
	if end == 0 {
		s.rest = append(s.rest[:0], b.buffer[:min(filled, 100)]...) // the error message quotes it
		b.text, b.number = nil, s.next
		return s.ended
	}
	return s.cut(b, end, filled)
}

// decide determines from the beginning of the text whether lines end with a carriage return alone, as in files of Mac OS 9.
func (s *blocks) decide(text []byte) {
	if s.decided {
		return
	}
	s.decided = true
	if s.returns = bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') >= 0; s.returns {
		endWithNewlines(text)
	}
}

// endWithNewlines replaces carriage returns by newlines, in place.
func endWithNewlines(text []byte) {
	for i, c := range text {
		if c == '\r' {
			text[i] = '\n'
		}
	}
}

// end returns the length of the complete records at the beginning of a text. A record ends at a newline that is preceded by
// an even number of quotes.
func (s *blocks) end(text []byte) int {
	end := bytes.LastIndexByte(text, '\n') + 1
	if !s.quoted {
		return end
	}
	for quotes := bytes.Count(text[:end], quoteMark); quotes%2 == 1; { // this newline is between quotes: try the one before
		previous := bytes.LastIndexByte(text[:end-1], '\n') + 1
		quotes -= bytes.Count(text[previous:end], quoteMark)
		end = previous
	}
	return end
}

var quoteMark = []byte{'"'}

// Quote makes b, the block returned last, and all later blocks end at the end of a record. The sniffer calls it before
// other threads call Next.
func (s *blocks) Quote(b *block) {
	if s.quoted {
		return
	}
	s.quoted = true
	if s.ended != nil && len(s.rest) == 0 {
		return // the last block ends with the text
	}
	end := s.end(b.text)
	s.rest = append(bytes.Clone(b.text[end:]), s.rest...)
	clear(b.text[end:])
	b.text = b.text[:end]
}

// errLong reports a line longer than maxLine after the last block. The caller adds the line number.
var errLong = errors.New("a line of more than 1 MB: is this a text file?")
