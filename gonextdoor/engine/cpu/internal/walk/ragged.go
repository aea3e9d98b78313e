package walk

import (
	"math"
	"sync"
	"time"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// assembler assembles a ragged result from pieces that threads finish in any order. The start of a piece in the result is
// known once all earlier pieces are finished; until then the piece stays in its traces. The number of such pieces is bounded.
// piece may be called by several threads.
type assembler struct {
	run   *run.Run
	app   app.Stopper
	chunk int // samples per piece

	mu      sync.Mutex // guards the fields up to failed
	all     []*traces
	idle    []*traces
	waiting map[int]*traces // finished pieces, by first sample
	held    int             // traces that are waiting or in use
	limit   int             // upper bound of held
	next    int             // samples of the pieces that are placed
	end     int             // vertices of the pieces that are placed
	failed  bool

	growing sync.RWMutex // held for reading while out is written, for writing while its arrays are replaced
	out     output.Ragged
}

// newAssembler returns the assembler of a run in pieces of chunk samples. The result is lent from offheap.Results; the caller
// must call result.
func newAssembler(r *run.Run, a app.Stopper, chunk int) (*assembler, error) {
	n := r.Batch.Roots.Samples()
	c := &assembler{run: r, app: a, chunk: chunk, waiting: map[int]*traces{}}
	c.limit = plan.TracesPerThread * parallel.Workers(r.Batch.Threads, n, chunk)
	var err error
	c.out, err = output.LendRagged(n, expected(n, a), r.Batch.Edges)
	return c, err
}

// expected returns a capacity that the result rarely exceeds, so that it is rarely moved: the mean number of vertices plus six
// standard deviations of geometric lengths.
func expected(n int, a app.Stopper) int {
	deviation := math.Sqrt(float64(n)) * (1 << 32) / float64(a.Threshold())
	guess := float64(n)*(a.MeanSteps()+1) + 6*deviation + plan.Group
	if a.MostSteps() > 0 {
		guess = min(guess, float64(n)*(float64(a.MostSteps())+1))
	}
	return int(min(guess, max(plan.RaggedGuess, 2*float64(n))))
}

// piece calls walk to write the samples [lo, hi) to traces, and then copies all pieces whose start is known to the result.
func (c *assembler) piece(lo, hi int, walk func(*traces) error) error {
	t, err := c.acquire(lo)
	if err != nil {
		return err
	}
	done := false
	defer func() { // also after a panic, so that no thread waits for this piece
		if !done {
			c.fail()
		}
	}()
	if err := t.begin(lo, hi); err != nil {
		return err
	}
	if err := walk(t); err != nil {
		return err
	}
	err = c.finish(t)
	done = err == nil
	return err
}

// acquire returns traces for the piece that starts at sample lo. It waits while too many traces are held, except for the piece
// on which all others depend, the next in order.
func (c *assembler) acquire(lo int) (*traces, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.held >= c.limit && lo != c.next && !c.failed {
		if err := c.run.Job.Err(); err != nil {
			return nil, err
		}
		c.mu.Unlock()
		time.Sleep(time.Millisecond) // rare: another thread is much slower
		c.mu.Lock()
	}
	c.held++
	if n := len(c.idle); n > 0 {
		t := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return t, nil
	}
	t := newTraces(c.chunk, c.run.Batch.Edges)
	c.all = append(c.all, t)
	return t, nil
}

// fail releases all threads that wait in acquire.
func (c *assembler) fail() {
	c.mu.Lock()
	c.failed = true
	c.mu.Unlock()
}

// finish marks t as finished. If all earlier pieces are finished, it copies t and the pieces that waited for it to the result.
func (c *assembler) finish(t *traces) error {
	// 1. Find the pieces that can be placed, and their starts.
	c.mu.Lock()
	c.waiting[t.lo] = t
	var ready []*traces
	for c.waiting[c.next] != nil {
		t := c.waiting[c.next]
		delete(c.waiting, t.lo)
		t.base = c.end
		c.end += t.total()
		c.next += t.samples
		ready = append(ready, t)
	}
	// 2. Grow the result, then copy. Copies of several threads overlap; growth excludes them.
	err := c.reserve()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	c.growing.RLock()
	for _, t := range ready {
		t.write(c.out, c.run)
	}
	c.growing.RUnlock()
	// 3. Make the traces available to further pieces.
	c.mu.Lock()
	c.idle = append(c.idle, ready...)
	c.held -= len(ready)
	c.mu.Unlock()
	return nil
}

// reserve moves the result to larger arrays if its vertices no longer fit.
func (c *assembler) reserve() error {
	if c.end <= len(c.out.Vertices) {
		return nil
	}
	c.growing.Lock()
	defer c.growing.Unlock()
	capacity := max(2*len(c.out.Vertices), c.end)
	if err := buffer.GrowLent(&c.out.Vertices, capacity, c.run.Job); err != nil || !c.run.Batch.Edges {
		return err
	}
	return buffer.GrowLent(&c.out.Edges, capacity, c.run.Job)
}

// result frees the traces and returns the result. If err is not nil, it frees the result as well and returns err.
func (c *assembler) result(err error) (output.Ragged, error) {
	for _, t := range c.all {
		t.free()
	}
	if err != nil {
		c.out.Return()
		return output.Ragged{}, err
	}
	c.out.Offsets[len(c.out.Offsets)-1] = int64(c.end)
	c.out.Vertices = c.out.Vertices[:c.end]
	if c.run.Batch.Edges {
		c.out.Edges = c.out.Edges[:c.end]
	}
	return c.out, nil
}
