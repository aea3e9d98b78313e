package cpu

import (
	"sync"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// Workspaces keeps the memory that the mini-batches of one graph need while they are drawn: calls borrow it and do not
// wait for each other. Close it before the graph.
type Workspaces struct {
	h    *graph.Hetero
	g    *graph.Graph // of the first relation
	rows rows
	mu   sync.Mutex
	free []*workspace // clean ones
	done bool
}

// workspace is what one call borrows.
type workspace struct {
	choices  choices
	locals   locals
	nodes    []uint32               // the vertices met, by local number
	places   [plan.BlockEdges]int64 // of the batch's vertices
	block    block
	excluded excluded
	last     int // words of the arena that the last call needed
}

// NewWorkspaces makes an empty pool for a graph.
func NewWorkspaces(h *graph.Hetero) (*Workspaces, error) {
	if !h.Alone() {
		return &Workspaces{h: h}, h.Validate(nil)
	}
	g := h.Relations[0].Graph
	if err := g.Validate(); err != nil {
		return nil, err
	}
	r, err := newRows(g, g.CanPack())
	if err != nil {
		return nil, err
	}
	return &Workspaces{h: h, g: g, rows: r}, nil
}

func (p *Workspaces) borrow() (*workspace, error) {
	p.mu.Lock()
	if last := len(p.free) - 1; last >= 0 {
		w := p.free[last]
		p.free = p.free[:last]
		p.mu.Unlock()
		return w, nil
	}
	p.mu.Unlock()
	l, err := newLocals(p.g)
	if err != nil {
		return nil, err
	}
	return &workspace{locals: l}, nil
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
		w.locals.free()
	}
}

// Close frees what is not lent, and what is as soon as it comes back.
func (p *Workspaces) Close() {
	p.mu.Lock()
	free := p.free
	p.free, p.done = nil, true
	p.mu.Unlock()
	for _, w := range free {
		w.locals.free()
	}
}
