package neighbor

import (
	"sync"

	"gonextdoor/gonextdoor/engine/cpu/rowaccess"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Workspaces keeps the memory that the mini-batches of one graph need while they are drawn: calls borrow it and do not
// wait for each other. Close it before the graph.
type Workspaces struct {
	Narrow bool // for tests: choose without AVX-512
	Sparse bool // for tests: number vertices in hash tables, however few there are

	h         *graph.Hetero
	relations []*relation
	mu        sync.Mutex
	free      []*workspace // clean ones
	done      bool
}

// workspace is what one call borrows.
type workspace struct {
	narrow   bool
	choices  rowaccess.Choices
	met      []met      // by type
	excluded []excluded // by relation
	places   [plan.BlockEdges]int64
	roots    [plan.BlockEdges]uint32
	block    block
	origins  []uint32    // the tree of each edge of a hop, where trees are disjoint
	hands    []workspace // of several threads that draw a hop together: their choices and blocks
	learned  []int       // words that each list of the last call's arena had in use
}

// block holds the transits that are expanded together.
type block struct {
	keys           [plan.Turn]rng.Key
	first, degrees [plan.Turn]uint64
	ends, moments  [plan.Turn]int64
}

// NewWorkspaces makes an empty pool for a graph.
func NewWorkspaces(h *graph.Hetero) (*Workspaces, error) { return newWorkspaces(h, true) }

func newWorkspaces(h *graph.Hetero, packed bool) (*Workspaces, error) {
	if err := h.Validate(nil); err != nil {
		return nil, err
	}
	p := &Workspaces{h: h}
	for r := range h.Relations {
		relation, err := newRelation(h, r, packed)
		if err != nil {
			return nil, err
		}
		p.relations = append(p.relations, relation)
	}
	return p, nil
}

func (p *Workspaces) borrow() *workspace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		w := p.free[last]
		p.free = p.free[:last]
		return w
	}
	return &workspace{narrow: p.Narrow, met: make([]met, len(p.h.Counts)), excluded: make([]excluded, len(p.relations))}
}

// giveBack takes a clean workspace; that of a call that panicked is freed instead.
func (p *Workspaces) giveBack(w *workspace, clean bool) {
	p.mu.Lock()
	keep := clean && !p.done
	if keep {
		p.free = append(p.free, w)
	}
	p.mu.Unlock()
	if !keep {
		w.release()
	}
}

// Close frees what is not lent, and what is as soon as it comes back.
func (p *Workspaces) Close() {
	p.mu.Lock()
	free := p.free
	p.free, p.done = nil, true
	p.mu.Unlock()
	for _, w := range free {
		w.release()
	}
	for _, r := range p.relations {
		r.free()
	}
}

func (w *workspace) release() {
	for i := range w.met {
		w.met[i].free()
	}
}
