package neighbor

import (
	"sync/atomic"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/rowaccess"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// crew draws one hop on several threads. The nodes are cut into pieces, whose numbers of edges are known before they are
// chosen. Threads take pieces, choose their edges and read their ends; one of them numbers the ends, piece after piece,
// as soon as they are there, and takes pieces while it would have to wait.
type crew struct {
	x      *expansion
	hands  []workspace // what each thread chooses with
	starts []int       // where the edges of each piece begin, and where the last end
	done   []bool      // which pieces are chosen, as the thread that numbers knows
	ready  chan int    // pieces that other threads have chosen, or none
	next   atomic.Int64
	failed atomic.Bool
}

// none stands for no piece; a thread that has failed sends it.
const none = -1

// crowded says whether several threads draw the hop: where there is enough for them, and it is known beforehand how many
// edges a node takes.
func (x *expansion) crowded(threads int) bool {
	c := &x.w.choices
	known := c.Dated == nil && !c.Weighted() && x.excluded.empty()
	return threads > 1 && known && len(x.nodes) >= plan.CrewNodes
}

// runTogether is run on several threads.
func (x *expansion) runTogether(threads int, j *job.Job) (int, error) {
	pieces := (len(x.nodes) + plan.CrewPiece - 1) / plan.CrewPiece
	threads = min(threads, pieces, plan.CrewThreads)
	c := &crew{
		x: x, hands: x.w.crew(threads), starts: make([]int, pieces+1), done: make([]bool, pieces),
		ready: make(chan int, pieces+threads),
	}
	err := parallel.For(j, threads, pieces, 1, func(i, _ int) error {
		c.starts[i+1] = x.w.choices.Most(&x.relation.rows, x.fanout, c.nodes(i))
		return nil
	})
	if err != nil {
		return 0, err
	}
	for i := range pieces {
		c.starts[i+1] = min(c.starts[i]+c.starts[i+1], rowaccess.Unbounded)
	}
	x.widen()
	x.look()
	if total := c.starts[pieces]; total+spare > len(x.ends) {
		if err := x.lay.extend(0, total+spare); err != nil {
			return 0, err
		}
		x.look()
	}
	if x.indptr != nil {
		x.indptr[0] = 0
	}
	err = parallel.Do(threads, func(thread int) (err error) {
		complete := false
		defer func() {
			if !complete {
				c.failed.Store(true)
				c.ready <- none
			}
		}()
		if thread == 0 {
			err = c.number(j)
		} else {
			err = c.choose(thread, j)
		}
		complete = err == nil
		return err
	})
	return c.starts[pieces], err
}

// nodes gives those of a piece.
func (c *crew) nodes(i int) []uint32 {
	first := i * plan.CrewPiece
	return c.x.nodes[first:min(first+plan.CrewPiece, len(c.x.nodes))]
}

// choose takes pieces until there are no more.
func (c *crew) choose(thread int, j *job.Job) error {
	for {
		i, err := c.one(thread, j)
		if i == none || err != nil {
			return err
		}
		c.ready <- i
	}
}

// one takes a piece and gives its number, or none.
func (c *crew) one(thread int, j *job.Job) (int, error) {
	i := int(c.next.Add(1) - 1)
	if i >= len(c.done) || c.failed.Load() {
		return none, nil
	}
	if err := j.Err(); err != nil {
		return none, err
	}
	c.piece(&c.hands[thread], i)
	return i, nil
}

// piece chooses the edges of a piece, reads their ends and writes their ids.
func (c *crew) piece(hand *workspace, i int) {
	first := i * plan.CrewPiece
	x := *c.x
	x.w, x.nodes, x.first = hand, c.nodes(i), c.x.first+first
	if x.trees != nil {
		x.trees, hand.origins = x.trees[first:first+len(x.nodes)], c.x.w.origins
	}
	if x.indptr != nil {
		x.indptr = x.indptr[first : first+len(x.nodes)+1]
	}
	if x.destinations != nil {
		x.destinations = x.destinations[:c.starts[i+1]]
	}
	x.chosen, x.gathered = c.starts[i], c.starts[i]
	x.relation.rows.Prefetch(x.nodes[:min(plan.RowsAhead, len(x.nodes))])
	if !x.wide {
		x.prepare(0)
	}
	for done := 0; done < len(x.nodes); done += plan.Turn {
		x.relation.rows.Prefetch(x.turn(done + plan.RowsAhead))
		x.choose(done)
		x.read(x.chosen - plan.Lag)
	}
	x.read(x.chosen)
}

// read writes the ends and the ids of the edges before end.
func (x *expansion) read(end int) {
	if x.gathered >= end {
		return
	}
	positions, ends := x.positions[x.gathered:end], x.ends[x.gathered:end]
	for i, at := range positions {
		ends[i] = int64(*(*uint32)(unsafe.Add(unsafe.Pointer(x.endings.indices), at*4)))
	}
	x.endings.ids.Replace(positions)
	x.gathered = end
}

// number gives the ends of all pieces their local numbers, in order.
func (c *crew) number(j *job.Job) error {
	for i := range c.done {
		for !c.done[i] {
			at, err := c.await(j)
			if at == none || err != nil {
				return err // or another thread has it
			}
			c.done[at] = true
		}
		if err := c.x.numberAll(c.starts[i], c.starts[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// await gives a piece that is chosen now: by another thread, or by this one.
func (c *crew) await(j *job.Job) (int, error) {
	select {
	case i := <-c.ready:
		return i, nil
	default:
	}
	if i, err := c.one(0, j); i != none || err != nil {
		return i, err
	}
	return <-c.ready, nil
}

// numberAll gives ends that were read their local numbers.
func (x *expansion) numberAll(first, end int) error {
	ask := func(from int) {
		if to := min(from+plan.Lag, end); from < to {
			x.met.numbers.Prefetch(x.ends[from:to], x.treesOf(from, to))
		}
	}
	for ask(first); first < end; first += plan.Lag {
		ask(first + plan.Lag)
		next := min(first+plan.Lag, end)
		if err := x.met.numbers.Number(x.ends[first:next], x.treesOf(first, next), &x.met.Nodes); err != nil {
			return err
		}
	}
	return nil
}

// crew gives what so many threads choose with, each by itself, as this workspace does.
func (w *workspace) crew(threads int) []workspace {
	for len(w.hands) < threads {
		w.hands = append(w.hands, workspace{})
	}
	for i := range w.hands {
		hand := &w.hands[i]
		scratch := hand.choices.Scratch
		hand.choices, hand.narrow = w.choices, w.narrow
		hand.choices.Scratch = scratch
	}
	return w.hands[:threads]
}
