package file

import (
	"io"
	"sync"

	"gonextdoor/gonextdoor/parallel"
)

// parser turns the blocks of a text into parts, on several threads.
type parser struct {
	*layout
	blocks  *blocks
	workers []worker

	mu      sync.Mutex
	first   block     // left over by the opening
	turn    sync.Cond // parts are handed in in the order of the file, so the first fault met is the first of the file
	next    int       // number of the block whose turn it is
	lines   int       // before it
	parts   []part
	words   dictionary
	stopped bool
	err     error // why it was stopped
	ended   error // why there are no more blocks: io.EOF or the error after the last one
}

// worker is what one thread keeps from block to block.
type worker struct {
	block      block
	narrow     [2]arena[uint32]
	wide       [2]arena[int64]
	words      words
	attributes attributeArenas
	met        bool // an id that needs the wide arenas
}

// parse reads everything after the opening. Close frees the parts.
func (o *opening) parse(threads int) (*parser, error) {
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
	case p.size.given && p.edges() != p.size.entries:
		err = p.incomplete(p.edges())
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// edges returns the number of edges that were read.
func (p *parser) edges() (n int) {
	for _, part := range p.parts {
		n += part.edges
	}
	return n
}

// Close frees the parts and the words.
func (p *parser) Close() {
	for i := range p.workers {
		w := &p.workers[i]
		for k := range 2 {
			w.narrow[k].Free()
			w.wide[k].Free()
		}
		w.attributes.Free()
	}
	p.words.Free()
	p.parts = nil
}

// work parses blocks until there are no more.
func (p *parser) work(w *worker) error {
	orderly := false
	defer func() {
		if !orderly { // a panic: no worker may wait for the turn of this block
			p.stop(nil)
		}
	}()
	for {
		if err := p.take(&w.block); err != nil {
			p.mu.Lock()
			p.ended = err
			p.mu.Unlock()
			break
		}
		if p.parseBlock(w) {
			break
		}
	}
	orderly = true
	return nil
}

// take returns the next block, starting with that of the opening.
func (p *parser) take(b *block) error {
	p.mu.Lock()
	if len(p.first.text) > 0 {
		*b, p.first = p.first, block{}
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	return p.blocks.Take(b)
}

// stop lets all workers end, those too that wait for their turn.
func (p *parser) stop(err error) {
	p.mu.Lock()
	if !p.stopped {
		p.stopped, p.err = true, err
	}
	p.turn.Broadcast()
	p.mu.Unlock()
}

// parseBlock parses the block of a worker and delivers the result in the order of the blocks. It reports whether the worker
// is done.
func (p *parser) parseBlock(w *worker) (over bool) {
	made, bad, err := p.part(w)
	if err != nil {
		p.stop(err)
		return true
	}
	p.mu.Lock()
	for p.next != w.block.number && !p.stopped {
		p.turn.Wait()
	}
	defer p.mu.Unlock()
	defer p.turn.Broadcast()
	if p.stopped {
		return true
	}
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
	p.next, p.lines, p.parts = p.next+1, p.lines+made.lines, append(p.parts, made)
	renumber(made.narrow.src, to)
	renumber(made.narrow.dst, to)
	return false
}

// renumber turns a block's numbers of words into those of the file.
func renumber(ids []uint32, to []uint32) {
	if to == nil {
		return
	}
	for i, v := range ids {
		ids[i] = to[v]
	}
}
