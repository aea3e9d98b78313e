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
	once  sync.Once
	work  *cpu.Workspaces
	err   error
}

// NewBatches makes a drawer of mini-batches; it allocates nothing before the first.
func NewBatches(g *graph.Graph) *Batches { return &Batches{graph: g} }

// Draw draws the mini-batch of different vertices, less the edges with excluded ids. Its arena is lent from
// offheap.Results. A stopped job ends it soon.
func (b *Batches) Draw(m *app.MiniBatch, seed uint64, batch []uint32, excluded []int64, j *job.Job) (output.Blocks, error) {
	b.once.Do(func() {
		if b.err = b.graph.Validate(); b.err == nil {
			b.work, b.err = cpu.NewWorkspaces(b.graph)
		}
	})
	if b.err != nil {
		return output.Blocks{}, b.err
	}
	bound, err := m.Bind(b.graph)
	if err != nil {
		return output.Blocks{}, err
	}
	return b.work.Blocks(bound, seed, batch, excluded, j)
}

// Close gives the memory back.
func (b *Batches) Close() {
	b.once.Do(func() {})
	if b.work != nil {
		b.work.Close()
	}
}
