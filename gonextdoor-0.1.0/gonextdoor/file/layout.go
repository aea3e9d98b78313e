package file

import (
	"bytes"
	"fmt"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// layout describes how to parse a line into an edge. The sniffer determines it from the first lines; after that it is
// read-only and shared by all workers.
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
	largest    uint64 // the largest integer id, less base, that a narrow pair can hold
	size       matrixSize
	undirected string // quotes the declaration that the edges are undirected; "": there is none
	said       string // the decisions about columns and header, for the report
}

// matrixSize is the size line of a Matrix Market file; given is false for all other files.
type matrixSize struct {
	vertices int
	entries  int
	given    bool
}

func newLayout(path string) *layout {
	return &layout{path: path, dst: 1, weight: -1, time: -1, label: -1, largest: uint64(graph.None) - 1}
}

// fields splits a line without quotes, calls keep with each field, and returns the number of fields.
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

// blank reports whether r is white space and not the delimiter.
func (l *layout) blank(r rune) bool { return blank(r) && r != rune(l.delimiter) }

// skipped reports whether a line holds no edge: it is blank or a comment.
func (l *layout) skipped(line []byte) bool {
	line = bytes.TrimLeftFunc(line, blank)
	return len(line) == 0 || l.comments && (line[0] == '#' || line[0] == '%')
}

// cells are the fields of a line that are read. They point into the line.
type cells struct{ src, dst, weight, time, label []byte }

// put stores a field in the cell of its column, if the column is read.
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

// cells returns the cells of a line without quotes, or the fault of the line.
func (l *layout) cells(line []byte) (c cells, fault string) {
	n := l.fields(line, func(column int, field []byte) { l.put(&c, column, field) })
	if bytes.IndexByte(bytes.TrimRight(line, "\r"), '\r') >= 0 {
		return c, "it has a carriage return inside: expected the same line ends in the whole file"
	}
	return c, l.check(line, n, &c)
}

// check returns the fault of a line's number of columns or ids, or "".
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

// quotedCells returns the cells of a record with quotes, or the fault of the record.
func (l *layout) quotedCells(r *records) (c cells, fault string) {
	for i, f := range r.fields {
		l.put(&c, i, unsafe.Slice(unsafe.StringData(f), len(f)))
	}
	return c, l.check(bytes.Join([][]byte{c.src, c.dst}, nil), len(r.fields), &c)
}

// quoted reports whether a text may have quoted fields.
func (l *layout) quoted(text []byte) bool { return l.delimiter != 0 && bytes.IndexByte(text, '"') >= 0 }

// refuse returns a format error that names the file and quotes the line.
func (l *layout) refuse(line int, text []byte, fault string) error {
	return refuse.Format("%s, line %d: %q: %s", l.path, line, shortened(text), fault)
}

// incomplete returns the error for a number of entries other than that of the size line.
func (l *layout) incomplete(entries int) error {
	if entries < l.size.entries {
		return refuse.Format("%s: the file ends after %d of %d entries: an interrupted download?", l.path, entries, l.size.entries)
	}
	return refuse.Format("%s: the file has %d entries, but its size line has %d", l.path, entries, l.size.entries)
}
