package neighbor

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// parallelExpansion runs one expansion on several threads. The frontier is cut into pieces of plan.ParallelPiece nodes. The
// number of edges of each piece, and thus its place in the arrays, follows from the degrees in advance. All threads choose and
// read pieces in any order. Thread 0 also numbers the end points in the order of the pieces, on which local ids depend, and
// chooses pieces while the next one in order is not ready.
type parallelExpansion struct {
	x       *expansion
	threads []edgeScratch // by thread
	starts  []int         // index of the first edge of each piece; the last element is the number of edges
	done    []bool        // pieces whose edges are read; only thread 0 uses it
	ready   chan int      // pieces that another thread has finished, or noPiece from a thread that failed
	next    atomic.Int64  // the next piece to choose
	failed  atomic.Bool   // a thread failed; the others stop
}

// noPiece means that no piece is left, or that a thread has failed.
const noPiece = -1

// canRunParallel reports whether runParallel applies: to a large frontier, and if degrees alone determine the number of
// edges.
func (x *expansion) canRunParallel(threads int) bool {
	choices := &x.chooser.choices
	exact := choices.Dated == nil && !choices.Weighted() && !x.chooser.unbounded() && x.chooser.excluded.empty()
	return threads > 1 && exact && len(x.chooser.vertices) >= plan.ParallelNodes
}

// runParallel is run with several threads, at most plan.ParallelThreads.
func (x *expansion) runParallel(w *workspace, threads int, j *job.Job) (int, error) {
	pieces := (len(x.chooser.vertices) + plan.ParallelPiece - 1) / plan.ParallelPiece
	threads = min(threads, pieces, plan.ParallelThreads)
	p := &parallelExpansion{
		x: x, threads: w.forThreads(threads), starts: make([]int, pieces+1), done: make([]bool, pieces),
		ready: make(chan int, pieces+threads), // no thread ever waits to send
	}
	// 1. Count the edges of each piece.
	if err := p.count(j); err != nil {
		return 0, err
	}
	// 2. Reserve memory for all of them.
	x.chooser.begin()
	x.arrays.locate()
	if total := p.starts[pieces]; total+expandSlack > len(x.arrays.ends) {
		if err := x.arrays.lists.reserve(0, total+expandSlack); err != nil {
			return 0, err
		}
		x.arrays.locate()
	}
	if x.arrays.indptr != nil {
		x.arrays.indptr[0] = 0
	}
	// 3. Choose and read pieces on all threads, and number them on thread 0.
	err := parallel.Do(threads, func(thread int) (err error) {
		complete := false
		defer func() {
			if !complete { // an error or a panic
				p.failed.Store(true)
				p.ready <- noPiece
			}
		}()
		if thread == 0 {
			err = p.numberPieces(j)
		} else {
			err = p.choosePieces(thread, j)
		}
		complete = err == nil
		return err
	})
	return p.starts[pieces], err
}

// count computes starts from the degrees.
func (p *parallelExpansion) count(j *job.Job) error {
	c, pieces := &p.x.chooser, len(p.done)
	err := parallel.For(j, len(p.threads), pieces, 1, func(i, _ int) error {
		first, end := p.piece(i)
		p.starts[i+1] = c.choices.Most(c.rows, c.fanout, c.vertices[first:end])
		return nil
	})
	for i := range pieces {
		p.starts[i+1] = min(p.starts[i]+p.starts[i+1], maxCapacity)
	}
	return err
}

// piece returns the range of the frontier that piece i is.
func (p *parallelExpansion) piece(i int) (first, end int) {
	first = i * plan.ParallelPiece
	return first, min(first+plan.ParallelPiece, len(p.x.chooser.vertices))
}

// choosePieces chooses pieces until none is left.
func (p *parallelExpansion) choosePieces(thread int, j *job.Job) error {
	for {
		i, err := p.chooseNext(thread, j)
		if i == noPiece || err != nil {
			return err
		}
		p.ready <- i
	}
}

// chooseNext chooses the next piece and returns its index, or noPiece.
func (p *parallelExpansion) chooseNext(thread int, j *job.Job) (int, error) {
	i := int(p.next.Add(1) - 1)
	if i >= len(p.done) || p.failed.Load() {
		return noPiece, nil
	}
	if err := j.Err(); err != nil {
		return noPiece, err
	}
	p.choosePiece(&p.threads[thread], i)
	return i, nil
}

// choosePiece chooses the edges of piece i, reads their ends and writes their ids. It works on a copy of the expansion
// that is restricted to the piece, so that no two threads write the same word.
func (p *parallelExpansion) choosePiece(scratch *edgeScratch, i int) {
	first, end := p.piece(i)
	x := *p.x
	c, a := &x.chooser, &x.arrays
	// 1. Restrict.
	c.edgeScratch, c.frontier = scratch, c.slice(first, end)
	if a.indptr != nil {
		a.indptr = a.indptr[first : end+1]
	}
	if a.destinations != nil {
		a.destinations = a.destinations[:p.starts[i+1]]
	}
	x.chosen, x.gathered = p.starts[i], p.starts[i]
	// 2. Choose and read.
	c.prefetchFirst()
	for done := 0; done < len(c.vertices); done += plan.NodeGroup {
		c.rows.Prefetch(c.group(done + plan.RowsAhead))
		x.choose(done)
		x.read(x.chosen - plan.Lag)
	}
	x.read(x.chosen)
}

// numberPieces numbers the ends of all pieces in order. It returns without an error if another thread reports one.
func (p *parallelExpansion) numberPieces(j *job.Job) error {
	for i := range p.done {
		for !p.done[i] {
			at, err := p.await(j)
			if at == noPiece || err != nil {
				return err
			}
			p.done[at] = true
		}
		if err := p.x.numberGathered(p.starts[i], p.starts[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// await returns a piece whose edges have been read. It prefers a piece that another thread has finished, then chooses one on
// this thread, and otherwise waits for the next piece to be finished.
func (p *parallelExpansion) await(j *job.Job) (int, error) {
	select {
	case i := <-p.ready:
		return i, nil
	default:
	}
	if i, err := p.chooseNext(0, j); i != noPiece || err != nil {
		return i, err
	}
	return <-p.ready, nil
}
