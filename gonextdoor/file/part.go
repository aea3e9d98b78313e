package file

import "math"

// part is what a block became.
type part struct {
	edges  int
	lines  int
	narrow pair[uint32] // ids from 0 to largest; for text ids, their numbers
	wide   pair[int64]  // instead of narrow, if an id is negative or has more than 32 bits
	attributes
	largest uint32
}

// pair is the two ends of edges.
type pair[T any] struct{ src, dst []T }

// fault is the first bad line of a block.
type fault struct {
	line int // from 1 within the block
	text []byte
	why  string
	wide bool // nothing is wrong, but an id needs a wide pair
}

// shortestLine is the least number of bytes that an edge takes, newline included.
const shortestLine = 4

// part parses the block of a worker into its arenas.
func (p *parser) part(w *worker) (made part, bad *fault, err error) {
	most := len(w.block.text)/shortestLine + 1
	to, err := w.attributes.Room(p.layout, most)
	if err != nil {
		return part{}, nil, err
	}
	switch {
	case p.text:
		made, bad, err = p.phrases(w, most, to)
	case w.met:
		made, bad, err = p.wide(w, most, to)
	default:
		var r rows[uint32]
		r, bad, err = integers(p, w, &w.narrow, most, to)
		made = part{edges: r.edges, lines: r.lines, narrow: r.pair, largest: r.largest}
		if bad != nil && bad.wide {
			w.met = true // large ids seldom come alone
			made, bad, err = p.wide(w, most, to)
		}
	}
	if err == nil {
		made.attributes = w.attributes.Keep(to, made.edges)
	}
	return made, bad, err
}

func (p *parser) wide(w *worker, most int, to attributes) (part, *fault, error) {
	r, bad, err := integers(p, w, &w.wide, most, to)
	return part{edges: r.edges, lines: r.lines, wide: r.pair}, bad, err
}

// integers parses a block whose ids are integers.
func integers[T uint32 | int64](p *parser, w *worker, arenas *[2]arena[T], most int, to attributes) (rows[T], *fault, error) {
	text := w.block.text
	r := rows[T]{layout: p.layout, text: text[:len(text)+padding], end: len(text), attributes: to, limit: math.MaxInt64}
	if r.narrow() || p.size.given {
		r.limit = p.largest
	}
	var err error
	if r.pair, err = room(arenas, most); err != nil {
		return r, nil, err
	}
	bad := r.parse()
	keep(arenas, &r.pair, r.edges)
	return r, bad, nil
}

// phrases parses a block whose ids are text.
func (p *parser) phrases(w *worker, most int, to attributes) (part, *fault, error) {
	w.words.reset()
	r := phrases{layout: p.layout, words: &w.words, attributes: to}
	var err error
	if r.pair, err = room(&w.narrow, most); err != nil {
		return part{}, nil, err
	}
	bad := r.parse(w.block.text)
	keep(&w.narrow, &r.pair, r.edges)
	return part{edges: r.edges, lines: r.lines, narrow: r.pair}, bad, nil
}

// room returns a pair with capacity for a number of edges.
func room[T any](arenas *[2]arena[T], most int) (ends pair[T], err error) {
	if ends.src, err = arenas[0].Room(most); err == nil {
		ends.dst, err = arenas[1].Room(most)
	}
	return ends, err
}

// keep makes the first edges of a pair from room lasting.
func keep[T any](arenas *[2]arena[T], ends *pair[T], edges int) {
	arenas[0].Keep(edges)
	arenas[1].Keep(edges)
	ends.src, ends.dst = ends.src[:edges], ends.dst[:edges]
}
