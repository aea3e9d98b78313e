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
	padding     = 16 // zero bytes after a block, for loads of eight bytes
)

// block is a piece of the text: whole lines. The last one ends with a newline even if the file does not.
type block struct {
	number int // from 0, in the order of the file
	text   []byte
	buffer []byte // text and the padding after it
}

// blocks cuts a source at line ends.
type blocks struct {
	source  *source
	mu      sync.Mutex
	rest    []byte // the line that the last block ended in
	next    int    // number of the next block
	ended   error  // why there is no further block: io.EOF or what is wrong
	quoted  bool   // fields may be quoted, so a line end between quotes does not end a record
	decided bool   // whether lines end with a carriage return alone is known
	returns bool   // they do
}

// Take fills b, whose buffer is used again, with the next block. After an error there are no more blocks; text that
// was read before it comes first.
func (s *blocks) Take(b *block) error {
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
		if filled == limit {
			s.decide(b.buffer[:filled])
			if end := s.end(b.buffer[:filled]); end > 0 {
				return s.cut(b, end, filled)
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
		if s.returns {
			endWithNewlines(b.buffer[filled : filled+n])
		}
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

// last returns the rest of the text at the end of the file. Text after the last newline is a line if the file ended without
// an error.
func (s *blocks) last(b *block, filled int) error {
	s.decide(b.buffer[:filled])
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

// decide finds out from the beginning of the text whether lines end with a carriage return alone.
func (s *blocks) decide(text []byte) {
	if s.decided {
		return
	}
	s.decided = true
	if s.returns = bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') >= 0; s.returns {
		endWithNewlines(text)
	}
}

// endWithNewlines replaces carriage returns by newlines.
func endWithNewlines(text []byte) {
	for i, c := range text {
		if c == '\r' {
			text[i] = '\n'
		}
	}
}

// end returns the length of the whole records at the beginning of a text.
func (s *blocks) end(text []byte) int {
	end := bytes.LastIndexByte(text, '\n') + 1
	if !s.quoted {
		return end
	}
	for quotes := bytes.Count(text[:end], quoteMark); quotes%2 == 1; { // the newline at the end is between quotes
		before := bytes.LastIndexByte(text[:end-1], '\n') + 1
		quotes -= bytes.Count(text[before:end], quoteMark)
		end = before
	}
	return end
}

var quoteMark = []byte{'"'}

// Quote makes b, the last block that was taken, and all later ones end where a record does.
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

// errLong is the error for the line after the last block.
var errLong = errors.New("a line of more than 1 MB: is this a text file?")
