// Package neighbor samples mini-batches for graph neural networks on the CPU: the nodes that seed nodes reach in a few
// hops with limited fan-outs, the sampled edges, and local ids for both. It implements engine.NeighborSampler.
//
// A Sampler owns a relation per relation of the graph and a pool of workspaces. A call borrows a workspace and runs a
// batchBuilder, which expands the hops one relation at a time (expansion, or parallelExpansion on several threads) and writes
// all arrays of the result to one arena.
package neighbor

import (
	"errors"
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
)

// Sampler draws mini-batches from one graph. Calls may run concurrently: each borrows a workspace from a pool, which keeps the
// memory for the next call. Close it before the graph.
//
// The exported fields are for tests. They affect speed only and must be set before the first call.
type Sampler struct {
	NoAVX512 bool // choose edges without AVX-512
	HashIDs  bool // look up local ids in hash maps, regardless of the number of vertices

	graph      *graph.Hetero
	relations  []*relation
	mu         sync.Mutex   // guards workspaces and closed
	workspaces []*workspace // not borrowed
	closed     bool
}

// NewSampler returns a sampler for a graph. It validates the graph and builds its packed records. The caller builds the tables
// for weighted choices. The first temporal batch builds the rows ordered by time.
func NewSampler(h *graph.Hetero) (*Sampler, error) { return newSampler(h, true) }

// newSampler is NewSampler with or without packed records.
func newSampler(h *graph.Hetero, packed bool) (*Sampler, error) {
	if err := h.Validate(nil); err != nil {
		return nil, err
	}
	p := &Sampler{graph: h}
	for r := range h.Relations {
		relation, err := newRelation(h, r, packed)
		if err != nil {
			return nil, err
		}
		p.relations = append(p.relations, relation)
	}
	return p, nil
}

// Sample draws the mini-batch of the seed nodes s on at most threads threads: the nodes and edges of
// app.NeighborSampling.Sample, with edge ids in place of positions. m must be bound to the graph. The arena of the result is
// lent from offheap.Results, and the caller must return it; after an error nothing is lent.
func (p *Sampler) Sample(m *app.NeighborSampling, seed uint64, s app.SeedNodes, threads int, j *job.Job) (output.NeighborBatch, error) {
	return p.SampleTo(output.ResultArenas{}, m, seed, s, threads, j)
}

// SampleTo is Sample with an arena that a lender lends. The caller returns it to the lender.
func (p *Sampler) SampleTo(
	to output.ArenaLender, m *app.NeighborSampling, seed uint64, s app.SeedNodes, threads int, j *job.Job,
) (out output.NeighborBatch, err error) {
	if err := s.Fit(m, p.graph); err != nil {
		return out, err
	}
	w := p.borrow()
	err = parallel.Guard(func() (err error) {
		b := batchBuilder{
			sampler: p, w: w, app: m, seed: seed, seeds: s, threads: threads, job: j,
			layout: layoutOf(m, len(p.relations), len(w.nodes)), arena: arena{from: to},
		}
		out, err = b.build()
		return err
	})
	p.giveBack(w, !errors.Is(err, parallel.ErrPanic))
	return out, err
}

// borrow returns a workspace without entries.
func (p *Sampler) borrow() *workspace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.workspaces) - 1; last >= 0 {
		w := p.workspaces[last]
		p.workspaces = p.workspaces[:last]
		return w
	}
	return newWorkspace(len(p.graph.Counts), len(p.relations), p.NoAVX512)
}

// giveBack returns a workspace to the pool. It frees the workspace instead if it is not clean, because the call
// panicked, or if the sampler is closed.
func (p *Sampler) giveBack(w *workspace, clean bool) {
	p.mu.Lock()
	keep := clean && !p.closed
	if keep {
		p.workspaces = append(p.workspaces, w)
	}
	p.mu.Unlock()
	if !keep {
		w.free()
	}
}

// Close frees the memory outside of Go's heap. A workspace that a call has borrowed is freed when the call ends; no
// temporal call may be in progress.
func (p *Sampler) Close() {
	p.mu.Lock()
	unused := p.workspaces
	p.workspaces, p.closed = nil, true
	p.mu.Unlock()
	for _, w := range unused {
		w.free()
	}
	for _, r := range p.relations {
		r.free()
	}
}
