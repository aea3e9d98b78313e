package file

import (
	"bytes"
	"unicode/utf8"
)

// phrases is a block being parsed whose ids are text: those of a part are numbers of words until order is known.
type phrases struct {
	*layout
	words *words
	pair  pair[uint32]
	attributes
	edges int
	lines int
}

// parse reads the lines of a block one after the other.
func (r *phrases) parse(text []byte) *fault {
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

// records reads the records of a block with quotes.
func (r *phrases) records(text []byte) *fault {
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

// edge adds an edge, or returns what is wrong with it.
func (r *phrases) edge(c *cells) (why string) {
	if !utf8.Valid(c.src) || !utf8.Valid(c.dst) {
		return "an id is not UTF-8"
	}
	if why = r.read(r.edges, c); why == "" {
		r.pair.src[r.edges], r.pair.dst[r.edges] = r.words.number(c.src), r.words.number(c.dst)
		r.edges++
	}
	return why
}
