package file

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// layout says how a line becomes an edge. It is settled by the first lines of a file and holds for all others.
type layout struct {
	path      string
	delimiter byte   // between fields; 0: any run of spaces and tabs
	comments  bool   // lines that begin with # or % are skipped
	columns   int    // of every line
	src, dst  int    // the columns of the ids
	weight    int    // and of the weight, or -1: none is read
	text      bool   // ids are text, not integers
	base      uint64 // of integer ids
	largest   uint64 // integer id that a narrow pair holds, less base
	size      matrixSize
}

func newLayout(path string) *layout {
	return &layout{path: path, dst: 1, weight: -1, largest: uint64(graph.None) - 1}
}

// fields cuts a line into its fields and calls keep with each. It gives their number, or why there is none.
func (l *layout) fields(line []byte, keep func(column int, field []byte)) (int, string) {
	if l.delimiter == 0 {
		n := 0
		for f := range bytes.FieldsFuncSeq(line, blank) {
			keep(n, f)
			n++
		}
		return n, ""
	}
	for n := 0; ; n++ {
		field, rest, more, fault := l.field(line)
		if fault != "" {
			return 0, fault
		}
		keep(n, field)
		if !more {
			return n + 1, ""
		}
		line = rest
	}
}

// field cuts off the first field of a delimited line.
func (l *layout) field(line []byte) (field, rest []byte, more bool, fault string) {
	start := bytes.TrimLeftFunc(line, l.blank)
	if len(start) == 0 || start[0] != '"' {
		field, rest, more = bytes.Cut(line, []byte{l.delimiter})
		return bytes.TrimFunc(field, l.blank), rest, more, ""
	}
	end, doubled := 1, false
	for ; end < len(start) && (start[end] != '"' || end+1 < len(start) && start[end+1] == '"'); end++ {
		if start[end] == '"' {
			end++
			doubled = true
		}
	}
	if end >= len(start) {
		return nil, nil, false, "a quoted field does not end on its line"
	}
	field = start[1:end]
	if doubled {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	}
	between, rest, more := bytes.Cut(start[end+1:], []byte{l.delimiter})
	if len(bytes.TrimFunc(between, l.blank)) > 0 {
		return nil, nil, false, "there is text behind a closing quote"
	}
	return field, rest, more, ""
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\v' || r == '\f' }

func (l *layout) blank(r rune) bool { return blank(r) && r != rune(l.delimiter) }

// skipped says whether a line holds no edge: it is blank or a comment.
func (l *layout) skipped(line []byte) bool {
	line = bytes.TrimLeftFunc(line, blank)
	return len(line) == 0 || l.comments && (line[0] == '#' || line[0] == '%')
}

// cells are the parts of a line that make its edge.
type cells struct{ src, dst, weight []byte }

// cells gives the parts of a line, or why it has none.
func (l *layout) cells(line []byte) (c cells, fault string) {
	n, fault := l.fields(line, func(column int, field []byte) {
		switch column {
		case l.src:
			c.src = field
		case l.dst:
			c.dst = field
		case l.weight:
			c.weight = field
		}
	})
	switch {
	case fault != "":
		return c, fault
	case bytes.IndexByte(line, 0) >= 0:
		return c, "it has a NUL byte: is this a text file?"
	case n != l.columns:
		return c, fmt.Sprintf("it has %s, expected %d as in the lines before", plural(n, "column"), l.columns)
	case len(c.src) == 0 || len(c.dst) == 0:
		return c, "an id is empty"
	}
	return c, ""
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// refuse makes the error about a line.
func (l *layout) refuse(line int, text []byte, fault string) error {
	return refuse.Format("%s, line %d: %q: %s", l.path, line, shortened(text), fault)
}

// shortened gives the beginning of a line, fit for a message.
func shortened(text []byte) string {
	const most = 60
	text = bytes.TrimRight(text, "\r\n")
	if len(text) <= most {
		return string(text)
	}
	text = text[:most]
	for len(text) > most-utf8.UTFMax && !utf8.Valid(text) {
		text = text[:len(text)-1]
	}
	return string(text) + "..."
}

var (
	sourceNames = []string{"source", "src", "from", "u"}
	targetNames = []string{"target", "dst", "to", "v"}
	weightNames = []string{"weight", "weights", "w", "value"}
)

// column gives the place of the first of the names in a header, or -1.
func column(header []string, names []string) int {
	for _, name := range names {
		for i, h := range header {
			if strings.EqualFold(h, name) {
				return i
			}
		}
	}
	return -1
}
