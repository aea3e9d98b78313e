package file

import (
	"bytes"
	"unicode/utf8"
)

// phrases is a block being parsed whose ids are text: those of a part are numbers of words until order is known.
type phrases struct {
	*layout
	words   *words
	pair    pair[uint32]
	weights []float64
	edges   int
	lines   int
}

// parse reads the lines of a block one after the other.
func (r *phrases) parse(text []byte) *fault {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		r.lines++
		if r.skipped(line) {
			continue
		}
		c, why := r.cells(line)
		if why == "" && (!utf8.Valid(c.src) || !utf8.Valid(c.dst)) {
			why = "an id is not UTF-8"
		}
		if why == "" && r.weight >= 0 {
			r.weights[r.edges], why = number(c.weight)
		}
		if why != "" {
			return &fault{line: r.lines, text: line, why: why}
		}
		r.pair.src[r.edges], r.pair.dst[r.edges] = r.words.number(c.src), r.words.number(c.dst)
		r.edges++
	}
	return nil
}
