package build

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// RMAT describes a recursive-matrix graph (Chakrabarti, Zhan & Faloutsos, SDM'04) of 2^Scale vertices, as in Graph500. Each of
// EdgeFactor * 2^Scale edges descends Scale times into a quadrant of the adjacency matrix, with probabilities A, B, C and
// 1-A-B-C. Then the vertices are permuted pseudo-randomly, self-loops are removed, and equal edges are merged. All numbers are
// functions of the seed, so the graph is the same on every machine.
type RMAT struct {
	Scale      int
	EdgeFactor int
	A, B, C    float64 // all 0: Graph500's 0.57, 0.19, 0.19
	Low, High  float64 // weights are uniform in [Low, High), the same in both directions; both 0: no weights
	Symmetric  bool    // add the reverse of every edge
	Seed       uint64
	Threads    int      // below 1: all
	Job        *job.Job // counts Work(parts) units
}

// Work returns the units that a graph in the given number of parts adds to the job: one per edge, and arrangeWork per edge and
// part.
func (r RMAT) Work(parts int) int64 { return int64(r.EdgeFactor<<r.Scale) * int64(1+arrangeWork*parts) }

// Limits of R-MAT graphs.
const (
	MaxScale      = 31
	MaxEdgeFactor = 1 << 16
)

// Check returns an error for invalid parameters.
func (r *RMAT) Check() error {
	if r.Scale < 0 || r.Scale > MaxScale {
		return refuse.Value("scale = %d: expected 0 to %d", r.Scale, MaxScale)
	}
	if r.EdgeFactor < 0 || r.EdgeFactor > MaxEdgeFactor {
		return refuse.Value("edge_factor = %d: expected 0 to %d", r.EdgeFactor, MaxEdgeFactor)
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"a", r.A}, {"b", r.B}, {"c", r.C}} {
		if !(p.value >= 0 && p.value <= 1) {
			return refuse.Value("%s = %v: expected a probability from 0 to 1", p.name, p.value)
		}
	}
	if sum := r.A + r.B + r.C; sum > 1+1e-9 {
		return refuse.Value("a + b + c = %v: expected at most 1", sum)
	}
	if !(r.Low >= 0 && r.Low <= r.High && r.High <= math.MaxFloat64) {
		return refuse.Value("weights from %v to %v: expected finite numbers, 0 <= low <= high", r.Low, r.High)
	}
	return nil
}

// weighted reports whether edges have weights.
func (r *RMAT) weighted() bool { return r.High > 0 }

// rmatStream is the stream of the generated edges of an R-MAT graph. It computes edge i from i alone.
type rmatStream struct {
	n          int
	scale      uint
	a, ab, abc int64 // cumulative probabilities of the quadrants, in units of 2^-32
	edges      rng.Stream
	order      scramble
}

// chances returns the probabilities of the first three quadrants.
func (r *RMAT) chances() (a, b, c float64) {
	if r.A == 0 && r.B == 0 && r.C == 0 {
		return 0.57, 0.19, 0.19
	}
	return r.A, r.B, r.C
}

// stream returns the stream of edges.
func (r *RMAT) stream() *rmatStream {
	a, b, c := r.chances()
	bound := func(p float64) int64 { return min(1<<32, int64(math.RoundToEven(p*(1<<32)))) }
	return &rmatStream{
		n: r.EdgeFactor << r.Scale, scale: uint(r.Scale), a: bound(a), ab: bound(a + b), abc: bound(a + b + c),
		edges: rng.NewStream(r.Seed, rng.Edges), order: newScramble(r.Seed, uint(r.Scale)),
	}
}

func (s *rmatStream) free() {}

func (s *rmatStream) len() int { return s.n }

// read generates edges. Level k of edge i uses 32 bits: the high or the low half of NewStream(seed, Edges).Key(i).Word(k/2).
func (s *rmatStream) read(lo int, src, dst []uint32) {
	for i := range src {
		u, v := s.quadrants(s.edges.Key(uint64(lo + i)))
		src[i], dst[i] = s.order.of(u), s.order.of(v)
	}
}

// quadrants returns the ends of an edge before the permutation. It is
//
//	for each level { switch { case r < a: u, v get bits 0, 0; case r < ab: 0, 1; case r < abc: 1, 0; default: 1, 1 } }
//
// without branches, which would be unpredictable.
func (s *rmatStream) quadrants(key rng.Key) (u, v uint32) {
	both := uint64(0) // u in the upper half, v in the lower
	slot, levels := uint64(0), s.scale
	for ; levels >= 2; levels -= 2 {
		word := key.Word(slot)
		both = s.descend(both, int64(word>>32))
		both = s.descend(both, int64(uint32(word)))
		slot++
	}
	if levels > 0 {
		both = s.descend(both, int64(key.Word(slot)>>32))
	}
	return uint32(both >> 32), uint32(both)
}

// descend appends the bits of one level, which the 32 random bits r select, to both ends.
func (s *rmatStream) descend(both uint64, r int64) uint64 {
	a, ab, abc := uint64(r-s.a)>>63, uint64(r-s.ab)>>63, uint64(r-s.abc)>>63 // 1: r is below
	return both<<1 | (ab^1)<<32 | (a ^ ab ^ abc ^ 1)
}

// weight returns the weight of the edge between u and v: Low + (High-Low) * a 53-bit fraction of the word of the pair.
func (r *RMAT) weight(stream rng.Stream, u, v uint32) float64 {
	pair := uint64(min(u, v))<<32 | uint64(max(u, v))
	fraction := float64(stream.Key(pair).Word(0)>>11) * 0x1p-53
	return r.Low + float64((r.High-r.Low)*fraction)
}

// Graph builds the complete graph. The ids of its edges are their positions. The caller must Close it.
func (r RMAT) Graph() (*graph.Graph, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	s := r.stream()
	if err := offheap.Check(r.expected()); err != nil {
		return nil, err // early: generating the edges of a large graph takes minutes
	}
	buffered, err := buffer(s, r.Threads, r.Job)
	if err != nil {
		return nil, err
	}
	if buffered == nil {
		r.Job.Add(int64(s.len()))
		return r.rows(s, 0, 1<<r.Scale)
	}
	defer buffered.free()
	return r.rows(buffered, 0, 1<<r.Scale)
}

// expected returns the approximate number of bytes for sorting all edges: a source and a target per arc, without self-loops. A
// path through the quadrants ends at a self-loop if it stays on the diagonal.
func (r *RMAT) expected() int64 {
	_, b, c := r.chances()
	arcs := float64(int64(r.EdgeFactor)<<r.Scale) * (1 - math.Pow(max(0, 1-b-c), float64(r.Scale)))
	if r.Symmetric {
		arcs *= 2
	}
	return int64(arcs*(4+4)) + 8<<r.Scale
}

// rows builds the rows first ... end-1. Row i of the graph is that of vertex first+i.
func (r *RMAT) rows(s stream, first, end int) (g *graph.Graph, err error) {
	n := 1 << r.Scale
	a := arrangement{
		edges: s, merge: true, targets: n, threads: r.Threads, job: r.Job,
		filter: filter{
			mirror: r.Symmetric, dropLoops: true, first: uint32(first), rows: end - first, all: end-first == n,
		},
	}
	sorted, err := a.run()
	if err != nil {
		return nil, err
	}
	g = sorted.graph()
	if err = g.Summarize(r.Threads, r.Job); err == nil && r.weighted() {
		err = r.weigh(g, uint32(first))
	}
	if err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// weigh sets the weights of g, whose row i is that of vertex first+i.
func (r *RMAT) weigh(g *graph.Graph, first uint32) error {
	stream := rng.NewStream(r.Seed, rng.Weights)
	return weigh(g, r.Job, r.Threads, func(lo int, dst []float64) {
		u := g.Source(uint64(lo))
		for i := range dst {
			for uint64(lo+i) >= g.Indptr[u+1] {
				u++
			}
			dst[i] = r.weight(stream, first+u, g.Indices[lo+i])
		}
	})
}
