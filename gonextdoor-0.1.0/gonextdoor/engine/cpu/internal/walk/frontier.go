package walk

import (
	"math/bits"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Frontier runs multi-dimensional walks. Each sample is a pool of vertices. A step draws one of them by degree and moves it
// along an edge drawn uniformly at random. A tree of sums draws and updates in O(log width) per step.
func Frontier(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	t, err := o.Tables(p, g, app.No)
	if err != nil {
		return err
	}
	r, n := run.New(t, b, j), b.Roots.Samples()
	group := max(1, min(plan.Pools, plan.PoolVertices/b.Roots.Width))
	chunk := max(1, min(run.ChunkOf(n, b.Threads, plan.Chunk), group*plan.PiecesPerThread))
	workers := make([]*poolGroup, parallel.Workers(b.Threads, n, chunk))
	return parallel.ForWorker(j, b.Threads, n, chunk, func(worker, lo, hi int) error {
		if workers[worker] == nil {
			workers[worker] = newPoolGroup(&r, g, out, min(group, hi-lo))
		}
		for at := lo; at < hi; at += group {
			if err := workers[worker].walk(at, min(group, hi-at)); err != nil {
				return err
			}
		}
		j.Add(int64(hi - lo))
		return nil
	})
}

// poolGroup holds the pools of a group of samples, which advance in lockstep. It serves one thread.
type poolGroup struct {
	*run.Run
	graph    *graph.Graph
	out      output.Matrix
	capacity int        // elements per pool, a power of two
	rows     []rowRange // of the vertices of each pool, pool by pool
	sums     []uint64   // tree of each pool, pool by pool
	keys     []uint64   // per sample: rng.Key
	at       []int      // per sample: index in rows of the vertex that the step moves
	edge     []uint64   // per sample: position of the drawn edge, or graph.NoEdge
	moved    []uint32   // per sample: the vertex moved to
}

// rowRange is the row of a vertex: the position of its first edge, and its degree.
type rowRange struct{ first, degree uint64 }

// newPoolGroup returns the pools of up to group samples.
func newPoolGroup(r *run.Run, g *graph.Graph, out output.Matrix, group int) *poolGroup {
	capacity := 1 << bits.Len(uint(r.Batch.Roots.Width-1))
	return &poolGroup{
		Run: r, graph: g, out: out, capacity: capacity, rows: make([]rowRange, group*capacity), sums: make([]uint64, group*capacity),
		keys: make([]uint64, group), at: make([]int, group), edge: make([]uint64, group), moved: make([]uint32, group),
	}
}

// walk runs the walks of n samples from row on.
func (p *poolGroup) walk(row, n int) error {
	// 1. Fill the pools with the roots.
	for i := range n {
		p.keys[i] = p.Key(row + i)
		p.fill(i, p.Batch.Roots.Of(row+i, p.moved[:1]), p.out.Vertices[(row+i)*p.out.Width:])
	}
	// 2. Per step: draw an edge per pool, read its end point, update the pool.
	roots := p.Batch.Roots.Width
	for s := range p.out.Width - roots {
		if s%run.StepsPerPoll == run.StepsPerPoll-1 {
			if err := p.Job.Err(); err != nil {
				return err
			}
		}
		p.draw(n, uint64(s))
		stage.PrefetchIndices(&p.graph.Indices[:1][0], p.edge[:n])
		for i, position := range p.edge[:n] {
			v := graph.None
			if position != graph.NoEdge {
				v = p.graph.Indices[position]
			}
			p.moved[i] = v
			p.out.Vertices[(row+i)*p.out.Width+roots+s] = v
		}
		p.Tables.Prefetch(p.moved[:n])
		if p.Batch.Edges {
			for i, position := range p.edge[:n] {
				p.out.Edges[(row+i)*(p.out.Width-roots)+s] = p.Tables.ID(position)
			}
		}
		p.replace(n)
	}
	return nil
}

// fill fills pool i with a sample's roots and writes them to the sample.
func (p *poolGroup) fill(i int, roots, out []uint32) {
	rows, sums := p.rows[i*p.capacity:][:p.capacity], p.sums[i*p.capacity:][:p.capacity]
	clear(rows)
	clear(sums)
	copy(out, roots)
	p.Tables.Prefetch(roots)
	for k, v := range roots {
		rows[k] = p.of(v)
		addDegree(sums, k, rows[k].degree)
	}
}

// of returns the row of v.
func (p *poolGroup) of(v uint32) rowRange {
	first, degree := p.Tables.Row(v)
	return rowRange{first, degree}
}

// draw draws for each of n samples the vertex to move at step s, by degree, and the edge, uniformly at random. If no vertex of
// the pool has edges, the edge is graph.NoEdge.
func (p *poolGroup) draw(n int, s uint64) {
	pool, edge := stage.Term(rng.Slot(s, program.PoolTry)), stage.Term(rng.Slot(s, 0))
	for i, key := range p.keys[:n] {
		sums := p.sums[i*p.capacity:][:p.capacity]
		p.edge[i] = graph.NoEdge
		if sums[0] == 0 {
			continue
		}
		r, _ := rng.Below(rng.Mix(key^pool), sums[0])
		at := i*p.capacity + find(sums, r)
		row := p.rows[at]
		index, _ := rng.Below(rng.Mix(key^edge), row.degree)
		p.at[i], p.edge[i] = at, row.first+index
	}
}

// replace updates the pools with the moved vertices.
func (p *poolGroup) replace(n int) {
	for i, v := range p.moved[:n] {
		if v == graph.None {
			continue
		}
		to := p.of(v)
		from := &p.rows[p.at[i]]
		addDegree(p.sums[i*p.capacity:][:p.capacity], p.at[i]-i*p.capacity, to.degree-from.degree)
		*from = to
	}
}

// The sums of a pool are a binary tree with as many elements as the pool, a power of two. Element 0 is the sum of all degrees;
// element i > 0 is the sum of the left half of the vertices below node i. Node 1 is the root. The children of node i are
// 2i and 2i+1; those of the last nodes are the vertices.

// addDegree adds x modulo 2^64 to the degree of vertex k.
func addDegree(sums []uint64, k int, x uint64) {
	sums[0] += x
	for node := k + len(sums); node > 1; node >>= 1 {
		left := uint64(node)&1 - 1 // all ones if the node is the left child
		sums[node>>1] += x & left
	}
}

// find returns the vertex at which the running sum of degrees exceeds r: the result of selector.Scan, in O(log n).
func find(sums []uint64, r uint64) int {
	node := 1
	for node < len(sums) {
		rest, less := bits.Sub64(r, sums[node], 0)
		if less == 0 {
			r = rest
		}
		node = 2*node + 1 - int(less)
	}
	return node - len(sums)
}
