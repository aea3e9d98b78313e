package file

import (
	"io"
	"math"

	"gonextdoor/gonextdoor/parallel"
)

// parse parses everything after the lines that the sniffer consumed. The caller must call Close, which frees the parts.
func (o *sniffer) parse(threads int) (*parser, error) {
	p := &parser{layout: o.layout, blocks: o.blocks, first: o.block, lines: o.lines, next: o.block.number}
	if len(o.block.text) == 0 {
		p.next = o.blocks.next
	}
	p.turn.L = &p.mu
	p.workers = make([]worker, parallel.Threads(threads))
	err := parallel.Do(len(p.workers), func(w int) error { return p.work(&p.workers[w]) })
	switch {
	case err != nil:
	case p.err != nil:
		err = p.err
	case p.ended == errLong:
		err = p.refuse(p.lines+1, p.blocks.rest, errLong.Error())
	case p.ended != io.EOF:
		err = p.ended
	case p.size.given && p.size.entries >= 0 && p.edges() != p.size.entries:
		err = p.incomplete(p.edges())
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// work is the loop of a worker: it parses blocks until there are no more or the parser was stopped.
func (p *parser) work(w *worker) error {
	finished := false
	defer func() {
		if !finished { // after a panic no worker may wait for this block to be accepted
			p.stop(nil)
		}
	}()
	for {
		if err := p.nextBlock(&w.block); err != nil {
			p.mu.Lock()
			p.ended = err
			p.mu.Unlock()
			break
		}
		if p.parseBlock(w) {
			break
		}
	}
	finished = true
	return nil
}

// parseBlock parses the block of a worker and appends the part in the order of the blocks. It reports whether the worker
// must end.
func (p *parser) parseBlock(w *worker) (over bool) {
	// 1. Parse the block, in parallel with other workers.
	made, bad, err := p.part(w)
	if err != nil {
		p.stop(err)
		return true
	}
	// 2. Wait until all earlier blocks have been accepted.
	p.mu.Lock()
	for p.next != w.block.number && !p.stopped {
		p.turn.Wait()
	}
	defer p.mu.Unlock()
	defer p.turn.Broadcast()
	if p.stopped {
		return true
	}
	// 3. Accept the part, under the lock.
	var to []uint32
	if bad != nil {
		err = p.refuse(p.lines+bad.line, bad.text, bad.why)
	} else if p.text {
		to, err = p.words.join(&w.words)
	}
	if err != nil {
		p.stopped, p.err = true, err
		return true
	}
	renumber(made.narrow.src, to)
	renumber(made.narrow.dst, to)
	if p.labelText {
		if to, err = p.labels.join(&w.labels); err != nil {
			p.stopped, p.err = true, err
			return true
		}
		for i, label := range made.labels {
			made.labels[i] = int32(to[label])
		}
	}
	p.next, p.lines, p.parts = p.next+1, p.lines+made.lines, append(p.parts, made)
	return false
}

// part parses the block of a worker into its arenas. It reserves memory for the largest number of edges that the block can
// hold, and keeps what was used. A block with a wide id is parsed a second time.
func (p *parser) part(w *worker) (made part, bad *fault, err error) {
	most := len(w.block.text)/minLine + 1
	to, err := w.attributes.Reserve(p.layout, most)
	if err != nil {
		return part{}, nil, err
	}
	if p.labelText {
		to.words = &w.labels
	}
	w.labels.reset()
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
	w.labels.reset()
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
	keepEdges(arenas, &r.pair, r.edges)
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
	keepEdges(&w.narrow, &r.pair, r.edges)
	return part{edges: r.edges, lines: r.lines, narrow: r.pair}, bad, nil
}

// minLine is the length of the shortest line with an edge, in bytes, newline included: "0 1\n".
const minLine = 4

// renumber replaces the word numbers of a block by those of the dictionary. A nil map changes nothing.
func renumber(ids []uint32, to []uint32) {
	if to == nil {
		return
	}
	for i, v := range ids {
		ids[i] = to[v]
	}
}
