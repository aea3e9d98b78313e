package gonextdoor

import (
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
)

// Batches draws mini-batches on a graph, any number at a time; what a draw needs is kept for the next.
type Batches struct {
	graph *graph.Graph
	mu    sync.Mutex
	work  *cpu.Workspaces // nil before the first draw
}

// NewBatches makes a drawer of mini-batches; it allocates nothing before the first.
func NewBatches(g *graph.Graph) *Batches { return &Batches{graph: g} }

// Draw draws the mini-batch of different vertices, less the edges with excluded ids. Its arena is lent from
// offheap.Results. A stopped job ends it soon.
func (b *Batches) Draw(m *app.MiniBatch, seed uint64, batch []uint32, excluded []int64, j *job.Job) (output.Blocks, error) {
	if err := Prepare(b.graph, m, graph.Hands{Job: j}); err != nil {
		return output.Blocks{}, err
	}
	work, err := b.workspaces()
	if err != nil {
		return output.Blocks{}, err
	}
	bound, err := m.Bind(b.graph)
	if err != nil {
		return output.Blocks{}, err
	}
	return work.Blocks(bound, seed, batch, excluded, j)
}

// workspaces gives the workspaces, once there was memory for what they begin with.
func (b *Batches) workspaces() (work *cpu.Workspaces, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.work == nil {
		b.work, err = cpu.NewWorkspaces(b.graph)
	}
	return b.work, err
}

// Close gives the memory back.
func (b *Batches) Close() {
	if b.work != nil {
		b.work.Close()
	}
}
