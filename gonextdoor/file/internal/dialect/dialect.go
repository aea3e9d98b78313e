// Package dialect recognises text formats of graphs that are not lists of edges in columns. Those that are common and small
// are translated to such a list while they are read; the others are refused, with the tool that converts them.
package dialect

import (
	"bytes"
	"io"
	"strings"
)

// HeadSize is the number of bytes at the beginning of a text that decide its format.
const HeadSize = 64 << 10

// mostRows is the number of lines that are looked at.
const mostRows = 100

// Head is the beginning of a text.
type Head struct {
	lines  []string // without line ends; at most mostRows of those that are neither blank nor comments
	whole  bool     // there are no other lines
	suffix string   // of the file's name, in lower case, without that of a compression
}

// NewHead returns the head of a text. whole reports whether text is all of it.
func NewHead(text []byte, whole bool, suffix string) *Head {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(text, '\n') < 0 {
		text = bytes.ReplaceAll(text, []byte{'\r'}, []byte{'\n'})
	}
	if !whole {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	h := &Head{whole: whole, suffix: suffix}
	for line := range strings.Lines(string(text)) {
		h.lines = append(h.lines, strings.TrimRight(line, "\r\n"))
	}
	return h
}

// Format is a text format other than a list of edges in columns.
type Format struct {
	Name       string
	Refusal    string   // why it is not read, and what to do; "": it is read
	Line       int      // the line that Refusal quotes, from 1
	Text       string   // of the line
	Columns    []string // names of the columns of the translation, of which the first two are the ids
	Integers   bool     // whether the third and later columns are integers; otherwise they are numbers
	Vertices   int      // vertices are 1 to Vertices in the file, and 0 to Vertices-1 in the graph; 0: ids are names
	Undirected string   // what says that edges have no direction; "": nothing does
	Warning    string   // what a user may not expect, unless the direction is chosen; "": nothing
	translate  func(from *lines) error
}

// Recognise returns the format of a text, or nil if it may be a list of edges in columns. asked is "", or the name of a format
// that the caller requires.
func Recognise(h *Head, asked string) *Format {
	switch asked {
	case "dimacs":
		if f := dimacs(h); f != nil {
			return f
		}
		return h.refused("DIMACS", "it is not a file of DIMACS, which has a line such as \"p sp 3 2\" before the edges")
	case "metis":
		if f := metisHeader(h); f != nil {
			return f.Format
		}
		return h.refused("METIS", "it is not a file of METIS, whose first line has the numbers of vertices and of edges")
	}
	if asked == "mtx" {
		return nil
	}
	if asked != "" { // columns, which other formats only resemble
		return foreign(h)
	}
	for _, recognise := range []func(*Head) *Format{foreign, dimacs, tagged, rdf, metis, dictionaries, arrows} {
		if f := recognise(h); f != nil {
			return f
		}
	}
	return nil
}

// refused returns a format that is refused at the first line that is neither blank nor a comment.
func (h *Head) refused(name, why string) *Format {
	f := &Format{Name: name, Refusal: why, Line: 1}
	for i, line := range h.lines {
		if content(line) {
			f.Line, f.Text = i+1, line
			break
		}
	}
	return f
}

// rows returns the fields of the first lines that are neither blank nor comments, separated by blanks.
func (h *Head) rows() [][]string {
	var rows [][]string
	for _, line := range h.lines {
		if content(line) {
			rows = append(rows, strings.Fields(line))
		}
		if len(rows) == mostRows {
			break
		}
	}
	return rows
}

// content reports whether a line is neither blank nor a comment.
func content(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '#' && line[0] != '%'
}

// integer reports whether a field is a decimal integer that is not negative.
func integer(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// integers reports whether all fields are integers.
func integers(fields []string) bool {
	for _, f := range fields {
		if !integer(f) {
			return false
		}
	}
	return true
}

// Translate returns a reader of the list of edges that a text in this format stands for: fields separated by tabs. Line i of
// the translation is made of line i of the text, except in METIS. Its errors are *Fault, or those of from.
func (f *Format) Translate(from io.Reader) io.Reader {
	if f.translate == nil {
		return from
	}
	return newLines(from, f.translate)
}
