package dialect

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// Fault is a line that is not in the format.
type Fault struct {
	Line int // from 1; 0: the text as a whole
	Text string
	Why  string
}

// Error describes the line.
func (f *Fault) Error() string { return fmt.Sprintf("line %d: %q: %s", f.Line, f.Text, f.Why) }

// longest is the length of a line in bytes that is refused.
const longest = 64 << 20

// lines is a reader of the lines that a function makes of the lines of a text.
type lines struct {
	from      *bufio.Scanner
	line      []byte // the present line, without its end
	number    int    // of the present line, from 1; after the last one, the number of lines
	out       []byte // made, from read on not returned yet
	read      int
	translate func(*lines) error // appends what the present line stands for to out; at the end line is nil
	ended     error
}

func newLines(from io.Reader, translate func(*lines) error) *lines {
	s := bufio.NewScanner(from)
	s.Buffer(make([]byte, 256<<10), longest)
	s.Split(split)
	return &lines{from: s, translate: translate}
}

// split is bufio.ScanLines, but also ends lines at a carriage return alone if a text has no newline.
func split(text []byte, end bool) (int, []byte, error) {
	if bytes.IndexByte(text, '\n') < 0 {
		if i := bytes.IndexByte(text, '\r'); i >= 0 && i < len(text)-1 {
			return i + 1, text[:i], nil
		}
	}
	return bufio.ScanLines(text, end)
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for l.read == len(l.out) {
		if l.ended != nil {
			return 0, l.ended
		}
		l.out, l.read = l.out[:0], 0
		for len(l.out) < len(p) && l.ended == nil {
			l.next()
		}
	}
	n := copy(p, l.out[l.read:])
	l.read += n
	return n, nil
}

// next translates a line, or the end.
func (l *lines) next() {
	if l.from.Scan() {
		l.number++
		l.line = l.from.Bytes()
		if l.number == 1 {
			l.line = bytes.TrimPrefix(l.line, []byte("\xef\xbb\xbf"))
		}
		l.ended = l.translate(l)
		return
	}
	if l.ended = l.from.Err(); l.ended == bufio.ErrTooLong {
		l.ended = &Fault{l.number + 1, "", "a line of more than 64 MB: is this a text file?"}
	}
	if l.ended == nil {
		l.line = nil
		if l.ended = l.translate(l); l.ended == nil {
			l.ended = io.EOF
		}
	}
}

// fault returns an error about the present line.
func (l *lines) fault(format string, args ...any) error {
	text := l.line
	if len(text) > 60 {
		text = text[:60]
	}
	return &Fault{l.number, string(text), fmt.Sprintf(format, args...)}
}

// skip appends a line without an edge, so that later lines keep their numbers.
func (l *lines) skip() error {
	l.out = append(l.out, '\n')
	return nil
}

// blank appends a line without an edge for one that is blank or a comment, and nothing at the end.
func (l *lines) blank() error {
	if l.line == nil {
		return nil
	}
	return l.skip()
}

// edge appends a line of fields.
func (l *lines) edge(fields ...[]byte) error {
	for i, f := range fields {
		if i > 0 {
			l.out = append(l.out, '\t')
		}
		l.out = append(l.out, f...)
	}
	l.out = append(l.out, '\n')
	return nil
}
