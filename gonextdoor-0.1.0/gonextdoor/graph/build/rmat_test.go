package build

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

func rmatGraph(t testing.TB, r RMAT) *graph.Graph {
	t.Helper()
	g, err := r.Graph()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// digest returns a hash of the arrays of a graph.
func digest(g *graph.Graph) uint64 {
	h := fnv.New64a()
	write := func(p unsafe.Pointer, n int) { h.Write(unsafe.Slice((*byte)(p), n)) }
	write(unsafe.Pointer(&g.Indptr[0]), 8*len(g.Indptr))
	write(unsafe.Pointer(unsafe.SliceData(g.Indices)), 4*len(g.Indices)+4)
	if g.Weighted() {
		write(unsafe.Pointer(unsafe.SliceData(g.Biases)), 4*len(g.Biases))
		write(unsafe.Pointer(unsafe.SliceData(g.Scales)), 2*len(g.Scales))
	}
	return h.Sum64()
}

// TestRMATIsOneGraphEverywhere checks digests: the graph of a seed is the same on every machine and in every release.
func TestRMATIsOneGraphEverywhere(t *testing.T) {
	for _, c := range []struct {
		r    RMAT
		want uint64
	}{
		{RMAT{Scale: 0, EdgeFactor: 3}, 0xe6e8f6b545572291},
		{RMAT{Scale: 5, EdgeFactor: 8, Symmetric: true, Seed: 7}, 0xee9820b1611b0c25},
		{RMAT{Scale: 12, EdgeFactor: 16, Symmetric: true, Low: 1, High: 5}, 0x5f6e28b1f6b0bb60},
		{RMAT{Scale: 13, EdgeFactor: 9, A: 0.25, B: 0.25, C: 0.25, Seed: math.MaxUint64}, 0xf9a28da55b7b4e91},
	} {
		for _, threads := range []int{1, 2, 4} {
			c.r.Threads = threads
			g := rmatGraph(t, c.r)
			invariants(t, g)
			if got := digest(g); got != c.want {
				t.Errorf("%+v: digest %#x, expected %#x", c.r, got, c.want)
			}
		}
	}
}

// TestRMATEqualsItsDefinition compares the edges with a simple implementation that handles one level at a time.
func TestRMATEqualsItsDefinition(t *testing.T) {
	for _, symmetric := range []bool{false, true} {
		r := RMAT{Scale: 9, EdgeFactor: 12, A: 0.5, B: 0.1, C: 0.3, Symmetric: symmetric, Seed: 5, Low: 2, High: 3}
		order := newScramble(r.Seed, 9)
		var arcs []arc
		for i := range r.EdgeFactor << r.Scale {
			key := rng.NewStream(r.Seed, rng.Edges).Key(uint64(i))
			var u, v uint32
			for level := range 9 {
				word := key.Word(uint64(level / 2))
				x := float64(word>>32) / (1 << 32)
				if level%2 == 1 {
					x = float64(uint32(word)) / (1 << 32)
				}
				u, v = 2*u, 2*v
				switch {
				case x < 0.5:
				case x < 0.6:
					v++
				case x < 0.9:
					u++
				default:
					u++
					v++
				}
			}
			arcs = append(arcs, arc{src: int64(order.of(u)), dst: int64(order.of(v))})
		}
		want := naive(arcs, symmetric, true, true)
		g := rmatGraph(t, r)
		for i := range want {
			want[i].id = int64(i)
		}
		same(t, graph.NewView(g), 512, want, false, false, false)
		lonely := slices.ContainsFunc(want, func(a arc) bool { return !g.HasEdge(uint32(a.dst), uint32(a.src)) })
		if lonely == symmetric {
			t.Errorf("symmetric = %v, and an edge without its reverse: %v", symmetric, lonely)
		}
		for p, a := range want {
			w := r.weight(rng.NewStream(r.Seed, rng.Weights), uint32(a.src), uint32(a.dst))
			if got := g.Weight(uint32(a.src), uint64(p)); math.Abs(got-w) > 0x1p-32*4 || w < 2 || w >= 3 {
				t.Fatalf("weight %v of %v, expected %v", got, a, w)
			}
			if w != r.weight(rng.NewStream(r.Seed, rng.Weights), uint32(a.dst), uint32(a.src)) {
				t.Fatal("the weights of both directions differ")
			}
		}
	}
}

func TestScrambleIsABijection(t *testing.T) {
	for bits := range uint(13) {
		for seed := range uint64(20) {
			s := newScramble(seed, bits)
			seen := make([]bool, 1<<bits)
			for x := range uint32(1 << bits) {
				if y := s.of(x); seen[y] {
					t.Fatalf("%d bits: %d has two origins", bits, y)
				} else {
					seen[y] = true
				}
			}
		}
	}
}

// TestRMATQuadrants compares the edges with the probabilities of Graph500 by chi-square tests: the four quadrants of each level
// (3 degrees of freedom), and the independence of each pair of levels (9 degrees of freedom). The false-alarm probability is
// 1e-12 per test (limits 58.9 and 76.0). Power: with 2^20 edges, a probability that is off by 0.004 is detected with
// probability above 0.99.
func TestRMATQuadrants(t *testing.T) {
	const n, scale = 1 << 20, 10
	s := (&RMAT{Scale: scale, EdgeFactor: n >> scale, Seed: 3}).stream()
	p := [4]float64{0.57, 0.19, 0.19, 1 - 0.57 - 0.19 - 0.19}
	var single [scale][4]float64
	var pairs [scale][scale][16]float64
	for i := range uint64(n) {
		u, v := s.quadrants(s.edges.Key(i))
		var q [scale]uint32
		for l := range q {
			q[l] = u>>l&1<<1 | v>>l&1
			single[l][q[l]]++
			for k := range l {
				pairs[k][l][q[k]<<2|q[l]]++
			}
		}
	}
	for l := range scale {
		if x := chiSquare(single[l][:], func(i int) float64 { return n * p[i] }); x > 58.9 {
			t.Errorf("level %d: chi-square %.1f, quadrants %v", l, x, single[l])
		}
		for k := range l {
			x := chiSquare(pairs[k][l][:], func(i int) float64 { return single[k][i>>2] * single[l][i&3] / n })
			if x > 76.0 {
				t.Errorf("levels %d and %d: chi-square %.1f", k, l, x)
			}
		}
	}
}

func chiSquare(got []float64, want func(i int) float64) (sum float64) {
	for i, x := range got {
		d := x - want(i)
		sum += d * d / want(i)
	}
	return sum
}

// TestRMATSkew compares the degrees with those of the recursion: a vertex with b one-bits before scrambling is the source of an
// edge with probability 0.76^(scale-b) * 0.24^b. It compares the out-degrees with repeated edges, grouped by b, by a chi-square
// test with 16 degrees of freedom and a false-alarm probability of 1e-12 (limit 92.2).
func TestRMATSkew(t *testing.T) {
	const n, scale = 1 << 20, 16
	s := (&RMAT{Scale: scale, EdgeFactor: n >> scale, Seed: 9}).stream()
	var ones [scale + 1]float64
	for i := range uint64(n) {
		u, _ := s.quadrants(s.edges.Key(i))
		b := 0
		for ; u > 0; u >>= 1 {
			b += int(u & 1)
		}
		ones[b]++
	}
	choose := 1.0
	want := make([]float64, scale+1)
	for b := range want {
		want[b] = n * choose * math.Pow(0.76, float64(scale-b)) * math.Pow(0.24, float64(b))
		choose = choose * float64(scale-b) / float64(b+1)
	}
	last := len(want) - 1 // pool rare groups
	for ; want[last] < 20; last-- {
		want[last-1] += want[last]
		ones[last-1] += ones[last]
	}
	if x := chiSquare(ones[:last+1], func(i int) float64 { return want[i] }); x > 92.2 {
		t.Errorf("chi-square %.1f: %v, expected %v", x, ones[:last+1], want[:last+1])
	}
}

func TestRMATPartsAreTheGraph(t *testing.T) {
	live := offheap.Live()
	for _, r := range []RMAT{
		{Scale: 13, EdgeFactor: 8, Symmetric: true, Low: 1, High: 2, Seed: 4},
		{Scale: 14, EdgeFactor: 4, Seed: 4},
		{Scale: 3, EdgeFactor: 4, Seed: 4},
	} {
		g := rmatGraph(t, r)
		for _, budget := range []int64{100_000, 400_000, 1 << 30} {
			var indptr = []uint64{0}
			var indices, biases []uint32
			var scales []int16
			parts := 0
			err := r.Parts(budget, func(p Part) error {
				if p.First != len(indptr)-1 {
					t.Fatalf("part begins with %d, expected %d", p.First, len(indptr)-1)
				}
				base := indptr[len(indptr)-1]
				for _, x := range p.Rows.Indptr[1:] {
					indptr = append(indptr, base+x)
				}
				indices, biases = append(indices, p.Rows.Indices...), append(biases, p.Rows.Biases...)
				scales = append(scales, p.Rows.Scales...)
				parts++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(indptr, g.Indptr) || !slices.Equal(indices, g.Indices) || !slices.Equal(biases, g.Biases) || !slices.Equal(scales, g.Scales) {
				t.Errorf("scale %d, budget %d: the parts are not the graph", r.Scale, budget)
			}
			if budget < 200_000 && r.Scale > 5 && parts < 4 {
				t.Errorf("scale %d, budget %d: %d parts", r.Scale, budget, parts)
			}
		}
		err := r.Parts(10, func(Part) error { return nil })
		if refuse.KindOf(err) != refuse.KindMemory {
			t.Errorf("budget of 10 bytes: %v", err)
		}
		if err := r.Parts(1<<30, func(Part) error { return refuse.ErrInterrupted }); err != refuse.ErrInterrupted {
			t.Errorf("the caller's error is lost: %v", err)
		}
		g.Close()
	}
	if offheap.Live() != live {
		t.Errorf("%d arrays leaked", offheap.Live()-live)
	}
}

func TestRMATRefusals(t *testing.T) {
	for want, r := range map[string]RMAT{
		"scale = 32: expected 0 to 31":                                      {Scale: 32},
		"scale = -1: expected 0 to 31":                                      {Scale: -1},
		"edge_factor = -1: expected 0 to 65536":                             {EdgeFactor: -1},
		"a = 1.5: expected a probability from 0 to 1":                       {A: 1.5},
		"c = NaN: expected a probability from 0 to 1":                       {C: math.NaN()},
		"a + b + c = 1.5: expected at most 1":                               {A: 0.5, B: 0.5, C: 0.5},
		"weights from 3 to 2: expected finite numbers, 0 <= low <= high":    {Low: 3, High: 2},
		"weights from -1 to 2: expected finite numbers, 0 <= low <= high":   {Low: -1, High: 2},
		"weights from 0 to +Inf: expected finite numbers, 0 <= low <= high": {High: math.Inf(1)},
	} {
		if g, err := r.Graph(); g != nil || err == nil || err.Error() != want || refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%v, expected %s", err, want)
		}
		if err := r.Parts(1<<20, nil); err == nil || err.Error() != want {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

func TestRMATJob(t *testing.T) {
	var complete, parts job.Job
	r := RMAT{Scale: 12, EdgeFactor: 5, Symmetric: true, Job: &complete}
	rmatGraph(t, r)
	if complete.Done != r.Work(1) {
		t.Errorf("%d units done, expected %d", complete.Done, r.Work(1))
	}
	r.Job, complete.Stop = nil, 1
	r.Job = &parts
	n := 0
	if err := r.Parts(200_000, func(Part) error { n++; return nil }); err != nil || parts.Done != r.Work(n) || n < 2 {
		t.Errorf("%d units done in %d parts, expected %d; %v", parts.Done, n, r.Work(n), err)
	}
	r.Job = &complete
	if _, err := r.Graph(); err != refuse.ErrInterrupted {
		t.Errorf("stopped: %v", err)
	}
	if err := r.Parts(1<<30, nil); err != refuse.ErrInterrupted {
		t.Errorf("stopped: %v", err)
	}
}

// TestRMATTooLarge checks that a graph larger than any memory is refused before its edges are generated.
func TestRMATTooLarge(t *testing.T) {
	r := RMAT{Scale: MaxScale, EdgeFactor: MaxEdgeFactor, Symmetric: true, Job: &job.Job{}}
	g, err := r.Graph()
	if refuse.KindOf(err) != refuse.KindMemory || g != nil || !strings.Contains(fmt.Sprint(err), "GB needed") || r.Job.Done != 0 {
		t.Errorf("%v, %v, after %d units", g, err, r.Job.Done)
	}
}

// TestRMATMemory bounds the peak memory. The edges are buffered while they are sorted, which is faster than generating them
// twice.
func TestRMATMemory(t *testing.T) {
	before := offheap.Used()
	offheap.ResetPeak()
	g := rmatGraph(t, RMAT{Scale: 17, EdgeFactor: 8, Symmetric: true})
	peak, size := offheap.Peak()-before, offheap.Used()-before
	t.Logf("peak %.2f of the graph, which has %d of %d edges left", float64(peak)/float64(size), g.NumEdges(), 16<<17)
	if peak > 4*size {
		t.Errorf("peak of %d bytes for a graph of %d", peak, size)
	}
}
