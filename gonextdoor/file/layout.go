package file

import (
	"bytes"
	"fmt"
	"unicode/utf8"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// layout describes how a line becomes an edge. The first lines of a file determine it for all others.
type layout struct {
	path       string
	delimiter  byte   // between fields; 0: any run of spaces and tabs
	comments   bool   // lines that begin with # or % are skipped
	columns    int    // of every line
	src, dst   int    // the columns of the ids
	weight     int    // the column of the weight, or -1: none is read
	time       int    // of the time, or -1
	label      int    // of the label, or -1
	text       bool   // ids are text, not integers
	base       uint64 // of integer ids
	largest    uint64 // integer id that a narrow pair holds, less base
	size       matrixSize
	undirected string // the words by which the file declares its edges undirected; "": it does not
	said       string // what was decided about columns and header
}

func newLayout(path string) *layout {
	return &layout{path: path, dst: 1, weight: -1, time: -1, label: -1, largest: uint64(graph.None) - 1}
}

// fields cuts a line without quotes into its fields and calls keep with each. It returns their number.
func (l *layout) fields(line []byte, keep func(column int, field []byte)) int {
	if l.delimiter == 0 {
		n := 0
		for f := range bytes.FieldsFuncSeq(line, blank) {
			keep(n, f)
			n++
		}
		return n
	}
	for n := 0; ; n++ {
		field, rest, more := bytes.Cut(line, []byte{l.delimiter})
		keep(n, bytes.TrimFunc(field, l.blank))
		if !more {
			return n + 1
		}
		line = rest
	}
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\v' || r == '\f' }

func (l *layout) blank(r rune) bool { return blank(r) && r != rune(l.delimiter) }

// skipped reports whether a line holds no edge: it is blank or a comment.
func (l *layout) skipped(line []byte) bool {
	line = bytes.TrimLeftFunc(line, blank)
	return len(line) == 0 || l.comments && (line[0] == '#' || line[0] == '%')
}

// cells are the parts of a line that make its edge.
type cells struct{ src, dst, weight, time, label []byte }

// put puts a field in its cell.
func (l *layout) put(c *cells, column int, field []byte) {
	switch column {
	case l.src:
		c.src = field
	case l.dst:
		c.dst = field
	case l.weight:
		c.weight = field
	case l.time:
		c.time = field
	case l.label:
		c.label = field
	}
}

// cells returns the parts of a line without quotes, or why it has none.
func (l *layout) cells(line []byte) (c cells, fault string) {
	n := l.fields(line, func(column int, field []byte) { l.put(&c, column, field) })
	if bytes.IndexByte(bytes.TrimRight(line, "\r"), '\r') >= 0 {
		return c, "it has a carriage return inside: expected the same line ends in the whole file"
	}
	return c, l.check(line, n, &c)
}

// check returns what is wrong with the number of columns and the ids of a line.
func (l *layout) check(line []byte, columns int, c *cells) string {
	switch {
	case bytes.IndexByte(line, 0) >= 0:
		return "it has a NUL byte: is this a text file?"
	case columns != l.columns && l.delimiter == 0:
		return fmt.Sprintf("it has %s, expected %d as in the lines before; if each line lists the neighbours of its first "+
			"vertex, read it with networkx.read_adjlist and use Graph.from_networkx", plural(columns, "column"), l.columns)
	case columns != l.columns:
		return fmt.Sprintf("it has %s, expected %d as in the lines before", plural(columns, "column"), l.columns)
	case len(c.src) == 0 || len(c.dst) == 0:
		return "an id is empty"
	}
	return ""
}

// quotedCells returns the parts of a record with quotes, or why it has none.
func (l *layout) quotedCells(r *records) (c cells, fault string) {
	for i, f := range r.fields {
		l.put(&c, i, unsafe.Slice(unsafe.StringData(f), len(f)))
	}
	return c, l.check(bytes.Join([][]byte{c.src, c.dst}, nil), len(r.fields), &c)
}

// quoted reports whether a text has quoted fields.
func (l *layout) quoted(text []byte) bool { return l.delimiter != 0 && bytes.IndexByte(text, '"') >= 0 }

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

// shortened returns the beginning of a line, for a message.
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
