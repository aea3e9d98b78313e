package walk

import (
	"math"
	"sync"
	"time"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/engine/cpu/run"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// collector puts the pieces of a ragged result together. A piece can be placed once all before it are done, since only
// then is it known where it begins; it waits in its traces until then.
type collector struct {
	run   *run.Run
	app   *app.PPR
	chunk int // samples of a piece

	mu      sync.Mutex
	all     []*traces
	idle    []*traces
	waiting map[int]*traces // by the first sample
	held    int             // traces that wait or are in use
	most    int             // bound of held
	placed  int             // samples that have their place
	end     int             // vertices that have their place
	failed  bool

	growing sync.RWMutex // held for reading while out is written
	out     output.Ragged
}

// newCollector makes the collector for a run in pieces of chunk samples.
func newCollector(r *run.Run, a *app.PPR, chunk int) (*collector, error) {
	n := r.Batch.Roots.Samples()
	c := &collector{run: r, app: a, chunk: chunk, waiting: map[int]*traces{}}
	c.most = plan.TracesPerThread * parallel.Workers(r.Batch.Threads, n, chunk)
	var err error
	c.out, err = output.LendRagged(n, expected(n, a), r.Batch.Edges)
	return c, err
}

// expected gives a number of vertices that the result will hardly pass, so that it is seldom moved: the mean and six
// standard deviations of geometric lengths.
func expected(n int, a *app.PPR) int {
	spread := math.Sqrt(float64(n)) / a.Stop
	guess := float64(n)*(meanSteps(a)+1) + 6*spread + plan.Group
	if a.MaxLength > 0 {
		guess = min(guess, float64(n)*(float64(a.MaxLength)+1))
	}
	return int(min(guess, max(plan.RaggedGuess, 2*float64(n))))
}

// piece has the samples [lo, hi) walked into traces, and places all pieces that can be placed then.
func (c *collector) piece(lo, hi int, walk func(*traces) error) error {
	t, err := c.take(lo)
	if err != nil {
		return err
	}
	done := false
	defer func() { // after a panic too: nobody may wait for a piece that will not come
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

// take gives traces for the piece that begins at lo. While too many are held, it waits, but never for itself: the piece
// before all others goes on.
func (c *collector) take(lo int) (*traces, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.held >= c.most && lo != c.placed && !c.failed {
		if err := c.run.Job.Err(); err != nil {
			return nil, err
		}
		c.mu.Unlock()
		time.Sleep(time.Millisecond) // rare: another thread is far behind
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

func (c *collector) fail() {
	c.mu.Lock()
	c.failed = true
	c.mu.Unlock()
}

// finish places t, unless a piece before it is missing, and all that waited for it.
func (c *collector) finish(t *traces) error {
	c.mu.Lock()
	c.waiting[t.lo] = t
	var ready []*traces
	for c.waiting[c.placed] != nil {
		t := c.waiting[c.placed]
		delete(c.waiting, t.lo)
		t.base = c.end
		c.end += t.total()
		c.placed += t.samples
		ready = append(ready, t)
	}
	err := c.makeRoom()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	c.growing.RLock()
	for _, t := range ready {
		t.write(c.out, c.run)
	}
	c.growing.RUnlock()
	c.mu.Lock()
	c.idle = append(c.idle, ready...)
	c.held -= len(ready)
	c.mu.Unlock()
	return nil
}

// makeRoom moves the result where its vertices no longer fit.
func (c *collector) makeRoom() error {
	if c.end <= len(c.out.Vertices) {
		return nil
	}
	c.growing.Lock()
	defer c.growing.Unlock()
	room := max(2*len(c.out.Vertices), c.end)
	if err := buffer.GrowLent(&c.out.Vertices, room); err != nil || !c.run.Batch.Edges {
		return err
	}
	return buffer.GrowLent(&c.out.Edges, room)
}

// result gives the whole result, or nothing but the error.
func (c *collector) result(err error) (output.Ragged, error) {
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
