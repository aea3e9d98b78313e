package walk

import (
	"math/bits"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// Frontier walks pools in step: their vertices are drawn by sums of degrees that a move changes in a few places.
func Frontier(o run.Options, p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	t, err := o.Tables(p, g, app.No)
	if err != nil {
		return err
	}
	r, n := run.New(t, b, j), b.Roots.Samples()
	group := max(1, min(plan.Pools, plan.PoolVertices/b.Roots.Width))
	chunk := max(1, min(run.ChunkOf(n, b.Threads, plan.Chunk), group*plan.PiecesPerThread))
	workers := make([]*pools, parallel.Workers(b.Threads, n, chunk))
	return parallel.ForWorker(j, b.Threads, n, chunk, func(worker, lo, hi int) error {
		if workers[worker] == nil {
			workers[worker] = newPools(&r, g, out, min(group, hi-lo))
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

// pools are the pools of a group of samples.
type pools struct {
	*run.Run
	graph *graph.Graph
	out   output.Matrix
	room  int     // vertices that a pool has room for, a power of two
	rows  []reach // of the vertices of each pool, one pool behind the other
	sums  []uint64
	keys  []uint64
	at    []int // the place in rows that the step moves
	edge  []uint64
	moved []uint32
}

// reach is the row of a vertex: where its edges begin, and their number.
type reach struct{ first, degree uint64 }

func newPools(r *run.Run, g *graph.Graph, out output.Matrix, group int) *pools {
	room := 1 << bits.Len(uint(r.Batch.Roots.Width-1))
	return &pools{
		Run: r, graph: g, out: out, room: room, rows: make([]reach, group*room), sums: make([]uint64, group*room),
		keys: make([]uint64, group), at: make([]int, group), edge: make([]uint64, group), moved: make([]uint32, group),
	}
}

// walk takes all steps of n samples from row on.
func (p *pools) walk(row, n int) error {
	for i := range n {
		p.keys[i] = p.Key(row + i)
		p.fill(i, p.Batch.Roots.Of(row+i, p.moved[:1]), p.out.Vertices[(row+i)*p.out.Width:])
	}
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

// fill makes pool i of a sample's roots, and writes them to the sample.
func (p *pools) fill(i int, roots, out []uint32) {
	rows, sums := p.rows[i*p.room:][:p.room], p.sums[i*p.room:][:p.room]
	clear(rows)
	clear(sums)
	copy(out, roots)
	p.Tables.Prefetch(roots)
	for k, v := range roots {
		rows[k] = p.of(v)
		raise(sums, k, rows[k].degree)
	}
}

func (p *pools) of(v uint32) reach {
	first, degree := p.Tables.Row(v)
	return reach{first, degree}
}

// draw chooses what each of n samples moves at step s, and the edge that it moves along.
func (p *pools) draw(n int, s uint64) {
	pool, edge := stage.Term(rng.Slot(s, app.PoolTry)), stage.Term(rng.Slot(s, 0))
	for i, key := range p.keys[:n] {
		sums := p.sums[i*p.room:][:p.room]
		p.edge[i] = graph.NoEdge
		if sums[0] == 0 {
			continue
		}
		r, _ := rng.Below(rng.Mix(key^pool), sums[0])
		at := i*p.room + find(sums, r)
		row := p.rows[at]
		index, _ := rng.Below(rng.Mix(key^edge), row.degree)
		p.at[i], p.edge[i] = at, row.first+index
	}
}

// replace puts what was moved into the pools.
func (p *pools) replace(n int) {
	for i, v := range p.moved[:n] {
		if v == graph.None {
			continue
		}
		to := p.of(v)
		from := &p.rows[p.at[i]]
		raise(p.sums[i*p.room:][:p.room], p.at[i]-i*p.room, to.degree-from.degree)
		*from = to
	}
}

// The sums of a pool's degrees are a tree of one element a vertex, their number a power of two: element 0 is the sum of
// all, and element i the sum of the left half of the vertices that node i stands for. Node 1 is the root; below node i are
// nodes 2i and 2i+1, and below the last nodes the vertices.

// raise adds x, modulo 2^64, to the degree of vertex k.
func raise(sums []uint64, k int, x uint64) {
	sums[0] += x
	for node := k + len(sums); node > 1; node >>= 1 {
		left := uint64(node)&1 - 1 // all ones, where the node is its parent's left half
		sums[node>>1] += x & left
	}
}

// find gives the vertex at which the running sum of degrees passes r: what selector.Scan finds by going through them.
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
