package file

import (
	"bytes"
	"unicode/utf8"
)

// textBlock parses a block whose ids are text. Its pair holds the numbers of words, which parser.parseBlock replaces by
// numbers of the dictionary once it is the turn of this block.
type textBlock struct {
	*layout
	words *words
	pair  edgeEnds[uint32]
	attributes
	edges int // parsed so far
	lines int // read so far
}

// parse parses the lines of a block.
func (r *textBlock) parse(text []byte) *fault {
	if r.quoted(text) {
		return r.records(text)
	}
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		r.lines++
		if r.skipped(line) {
			continue
		}
		c, why := r.cells(line)
		if why == "" {
			why = r.edge(&c)
		}
		if why != "" {
			return &fault{line: r.lines, text: line, why: why}
		}
	}
	return nil
}

// records parses a block that has quoted fields.
func (r *textBlock) records(text []byte) *fault {
	all := newRecords(text, r.delimiter)
	for all.next() {
		c, why := r.quotedCells(all)
		if why == "" {
			why = r.edge(&c)
		}
		if why != "" {
			return &fault{line: all.line, text: all.raw(), why: why}
		}
	}
	r.lines = bytes.Count(text, []byte{'\n'})
	return all.fault()
}

// edge adds an edge, or returns the fault of its line.
func (r *textBlock) edge(c *cells) (why string) {
	if !utf8.Valid(c.src) || !utf8.Valid(c.dst) {
		return "an id is not UTF-8"
	}
	if why = r.read(r.edges, c); why == "" {
		r.pair.src[r.edges], r.pair.dst[r.edges] = r.words.number(c.src), r.words.number(c.dst)
		r.edges++
	}
	return why
}
