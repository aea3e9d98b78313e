package file

import "math"

// part holds the edges of a parsed block. Its arrays are in the arenas of the worker that parsed it.
type part struct {
	edges  int
	lines  int
	narrow pair[uint32] // ids from 0 to largest; for text ids, their numbers
	wide   pair[int64]  // used instead of narrow if an id is negative or needs more than 32 bits
	attributes
	largest uint32
}

// pair holds both ends of a number of edges.
type pair[T any] struct{ src, dst []T }

// fault describes the first bad line of a block.
type fault struct {
	line int // from 1 within the block
	text []byte
	why  string
	wide bool // the line is valid, but an id needs a wide pair
}

// minLine is the length of the shortest line with an edge, in bytes, newline included: "0 1\n".
const minLine = 4

// part parses the block of a worker into its arenas. It reserves memory for the largest number of edges that the block can
// hold, and keeps what was used. A block with a wide id is parsed a second time.
func (p *parser) part(w *worker) (made part, bad *fault, err error) {
	most := len(w.block.text)/minLine + 1
	to, err := w.attributes.Reserve(p.layout, most)
	if err != nil {
		return part{}, nil, err
	}
	switch {
	case p.text:
		made, bad, err = p.textBlock(w, most, to)
	case w.needsWide:
		made, bad, err = p.wide(w, most, to)
	default:
		var r integerBlock[uint32]
		r, bad, err = integers(p, w, &w.narrow, most, to)
		made = part{edges: r.edges, lines: r.lines, narrow: r.pair, largest: r.largest}
		if bad != nil && bad.wide {
			w.needsWide = true // a file with one wide id usually has more
			made, bad, err = p.wide(w, most, to)
		}
	}
	if err == nil {
		made.attributes = w.attributes.Keep(to, made.edges)
	}
	return made, bad, err
}

// wide parses a block whose ids need 64 bits.
func (p *parser) wide(w *worker, most int, to attributes) (part, *fault, error) {
	r, bad, err := integers(p, w, &w.wide, most, to)
	return part{edges: r.edges, lines: r.lines, wide: r.pair}, bad, err
}

// integers parses a block whose ids are integers.
func integers[T uint32 | int64](p *parser, w *worker, arenas *[2]arena[T], most int, to attributes) (integerBlock[T], *fault, error) {
	text := w.block.text
	r := integerBlock[T]{layout: p.layout, text: text[:len(text)+padding], end: len(text), attributes: to, limit: math.MaxInt64}
	if r.narrow() || p.size.given {
		r.limit = p.largest
	}
	var err error
	if r.pair, err = reserve(arenas, most); err != nil {
		return r, nil, err
	}
	bad := r.parse()
	keep(arenas, &r.pair, r.edges)
	return r, bad, nil
}

// textBlock parses a block whose ids are text.
func (p *parser) textBlock(w *worker, most int, to attributes) (part, *fault, error) {
	w.words.reset()
	r := textBlock{layout: p.layout, words: &w.words, attributes: to}
	var err error
	if r.pair, err = reserve(&w.narrow, most); err != nil {
		return part{}, nil, err
	}
	bad := r.parse(w.block.text)
	keep(&w.narrow, &r.pair, r.edges)
	return part{edges: r.edges, lines: r.lines, narrow: r.pair}, bad, nil
}

// reserve returns a pair with buffers for a number of edges.
func reserve[T any](arenas *[2]arena[T], most int) (ends pair[T], err error) {
	if ends.src, err = arenas[0].Reserve(most); err == nil {
		ends.dst, err = arenas[1].Reserve(most)
	}
	return ends, err
}

// keep keeps the first edges of a pair from reserve in the arenas, and shortens the pair to them.
func keep[T any](arenas *[2]arena[T], ends *pair[T], edges int) {
	arenas[0].Keep(edges)
	arenas[1].Keep(edges)
	ends.src, ends.dst = ends.src[:edges], ends.dst[:edges]
}
