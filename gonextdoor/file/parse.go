package file

import (
	"io"
	"sync"

	"gonextdoor/gonextdoor/parallel"
)

// parser turns the blocks of a text into parts, on several threads. Blocks are parsed in parallel and their parts accepted in
// the order of the file: the first fault that is accepted is then the first of the file, and text ids are numbered by first
// appearance.
type parser struct {
	*layout
	blocks  *blocks
	workers []worker

	mu      sync.Mutex // guards everything below
	first   block      // the rest of the block that the sniffer has read
	turn    sync.Cond  // signals a change of next or stopped
	next    int        // number of the block to be accepted next
	lines   int        // lines before that block
	parts   []part     // accepted so far
	words   dictionary // of text ids
	stopped bool
	err     error // reason for stopping; nil after a panic
	ended   error // why there are no more blocks: io.EOF or the error after the last one
}

// worker is the state of one thread. Its arenas hold the values of all its parts.
type worker struct {
	block      block
	narrow     [2]arena[uint32]
	wide       [2]arena[int64]
	words      words // of the current block
	attributes attributeArenas
	needsWide  bool // an id did not fit into the narrow arenas; later blocks use the wide ones at once
}

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
	case p.size.given && p.edges() != p.size.entries:
		err = p.incomplete(p.edges())
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// edges returns the number of edges in all parts.
func (p *parser) edges() (n int) {
	for _, part := range p.parts {
		n += part.edges
	}
	return n
}

// Close frees the parts and the dictionary.
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

// nextBlock fills b with the next block. The first is the rest of the block that the sniffer has read.
func (p *parser) nextBlock(b *block) error {
	p.mu.Lock()
	if len(p.first.text) > 0 {
		*b, p.first = p.first, block{}
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	return p.blocks.Next(b)
}

// stop ends all workers, including those that wait for their turn. Only the first call sets the error.
func (p *parser) stop(err error) {
	p.mu.Lock()
	if !p.stopped {
		p.stopped, p.err = true, err
	}
	p.turn.Broadcast()
	p.mu.Unlock()
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
	p.next, p.lines, p.parts = p.next+1, p.lines+made.lines, append(p.parts, made)
	renumber(made.narrow.src, to)
	renumber(made.narrow.dst, to)
	return false
}

// renumber replaces the word numbers of a block by those of the dictionary. A nil map changes nothing.
func renumber(ids []uint32, to []uint32) {
	if to == nil {
		return
	}
	for i, v := range ids {
		ids[i] = to[v]
	}
}
