package gonextdoor

import (
	"fmt"
	"sync"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// Batches draws mini-batches on a graph, any number at a time; what a draw needs is kept for the next.
type Batches struct {
	Graph *graph.Hetero
	mu    sync.Mutex
	work  *cpu.Workspaces // nil before the first draw

	onDevice map[int]*gpu.Neighborhoods // by the GPUs' numbers
}

// NewBatches makes a drawer of mini-batches; it allocates nothing before the first.
func NewBatches(h *graph.Hetero) *Batches { return &Batches{Graph: h} }

// Draw draws the mini-batch of a word. Its arena is lent from offheap.Results. A stopped job ends it soon.
func (b *Batches) Draw(m *app.MiniBatch, word uint64, s app.Seeds, j *job.Job) (output.Blocks, error) {
	all, err := b.DrawMany(m, []uint64{word}, []app.Seeds{s}, 1, j)
	if err != nil {
		return output.Blocks{}, err
	}
	return all[0], nil
}

// DrawMany draws the mini-batches of several words, on so many threads (0: all); each is what Draw gives. A refusal is
// that of the first batch that is refused, and nothing stays lent then.
func (b *Batches) DrawMany(m *app.MiniBatch, words []uint64, seeds []app.Seeds, threads int, j *job.Job) (all []output.Blocks, err error) {
	if len(words) != len(seeds) {
		return nil, refuse.Value("words has %d elements: expected %d, one a batch", len(words), len(seeds))
	}
	var work *cpu.Workspaces
	err = b.Graph.Blame(parallel.Do(1, func(int) (err error) { // a mapped graph may fault
		work, err = b.prepare(m, j)
		return err
	}))
	if err != nil {
		return nil, err
	}
	all = make([]output.Blocks, len(words))
	each := max(1, parallel.Threads(threads)/max(1, len(words))) // on one batch, where there are fewer than threads
	err = parallel.For(j, threads, len(words), 1, func(i, _ int) error {
		s, err := seeds[i].Timed(m, b.Graph)
		if err == nil {
			all[i], err = work.BlocksOn(each, m, words[i], s, j)
		}
		return OfBatch(i, len(words), err)
	})
	if err = b.Graph.Blame(err); err != nil {
		for _, blocks := range all {
			blocks.Return()
		}
		return nil, err
	}
	return all, nil
}

// OfBatch gives a refusal the number of the batch that it is about, where there are several.
func OfBatch(i, batches int, err error) error {
	if kind := refuse.KindOf(err); batches > 1 && kind != "" && kind != refuse.KindInterrupted {
		return &refuse.Refusal{Kind: kind, Text: fmt.Sprintf("batch %d: %v", i, err), Err: err}
	}
	return err
}

// prepare makes what the app's choices need of the graph.
func (b *Batches) prepare(m *app.MiniBatch, j *job.Job) (*cpu.Workspaces, error) {
	for _, r := range b.Graph.Relations {
		if err := r.Graph.ValidateWith(graph.Options{Job: j}); err != nil {
			return nil, err
		}
	}
	if err := m.BuildTables(b.Graph, graph.Options{Job: j}); err != nil {
		return nil, err
	}
	if err := m.Bind(b.Graph); err != nil {
		return nil, err
	}
	return b.workspaces()
}

// workspaces gives the workspaces, once there was memory for what they begin with.
func (b *Batches) workspaces() (work *cpu.Workspaces, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.work == nil {
		b.work, err = cpu.NewWorkspaces(b.Graph)
	}
	return b.work, err
}

// Close gives the memory back.
func (b *Batches) Close() {
	if b.work != nil {
		b.work.Close()
	}
}
