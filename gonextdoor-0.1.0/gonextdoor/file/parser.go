package file

import "sync"

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
