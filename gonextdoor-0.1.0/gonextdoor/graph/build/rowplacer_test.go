package build

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
)

// streamed is a random list of edges with every attribute.
type streamed struct {
	src, dst []int64
	weights  []float32
	labels   []int8
	times    []int64
}

func newStreamed(edges, vertices int, seed uint64) *streamed {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &streamed{}
	for range edges {
		u := r.IntN(vertices)
		s.src, s.dst = append(s.src, int64(u)), append(s.dst, int64(r.IntN(vertices)))
		w := float32(r.IntN(5)) * float32(math.Exp(4*r.NormFloat64()))
		if u%7 == 3 {
			w = 0 // a row of zeros
		}
		s.weights = append(s.weights, w)
		s.labels, s.times = append(s.labels, int8(r.IntN(256)-128)), append(s.times, r.Int64N(1<<40)-1<<39)
	}
	return s
}

// block returns edges lo ... hi-1 with or without attributes.
func (s *streamed) block(lo, hi int, full bool) EdgeBlock {
	b := EdgeBlock{First: uint64(lo), Sources: graph.ArrayOf(s.src[lo:hi]), Targets: graph.ArrayOf(s.dst[lo:hi])}
	if full {
		b.Weights, b.Labels, b.Times = graph.ArrayOf(s.weights[lo:hi]), graph.ArrayOf(s.labels[lo:hi]), graph.ArrayOf(s.times[lo:hi])
	}
	return b
}

// each calls f with all edges in blocks of the given size.
func (s *streamed) each(size int, full bool, f func(EdgeBlock)) {
	for lo := 0; lo < len(s.src); lo += size {
		f(s.block(lo, min(lo+size, len(s.src)), full))
	}
}

// counted counts the edges in blocks.
func (s *streamed) counted(t *testing.T, size int, full, symmetric bool) *RowCounter {
	t.Helper()
	c := NewRowCounter(s.block(0, 0, full), symmetric, 1<<32)
	t.Cleanup(c.Free)
	s.each(size, full, func(b EdgeBlock) {
		if fits, err := c.Count(b); !fits || err != nil {
			t.Fatal(fits, err)
		}
	})
	if err := c.Number(); err != nil {
		t.Fatal(err)
	}
	return c
}

// whole builds the graph in one piece.
func (s *streamed) whole(t *testing.T, full, symmetric bool) *graph.Graph {
	t.Helper()
	b := s.block(0, len(s.src), full)
	g, err := FromEdges(Edges{
		Sources: b.Sources, Targets: b.Targets, Weights: b.Weights, Labels: b.Labels, Times: b.Times,
		NumVertices: Unknown, Symmetric: symmetric,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// placed places the rows of some vertices, or all.
func (s *streamed) placed(t *testing.T, c *RowCounter, size int, full bool, vertices []uint32, threads int) *graph.Graph {
	t.Helper()
	p, err := NewRowPlacer(c, vertices)
	if err != nil {
		t.Fatal(err)
	}
	row := map[uint32]uint32{}
	for i, v := range vertices {
		row[v] = uint32(i)
	}
	s.each(size, full, func(b EdgeBlock) {
		err := c.EachArc(b, func(l *ArcList) error {
			if vertices == nil {
				return p.Place(l)
			}
			var mine ArcList
			for i, v := range l.Rows {
				if r, ok := row[v]; ok {
					mine.Append(l, i, r)
				}
			}
			return p.Place(&mine)
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	g, err := p.Finish(vertices != nil, threads, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// sameArrays compares all arrays of two graphs.
func sameArrays(t *testing.T, got, want *graph.Graph) {
	t.Helper()
	for _, x := range []struct {
		name      string
		got, want any
	}{
		{"indptr", got.Indptr, want.Indptr}, {"indices", got.Indices, want.Indices}, {"edge_ids", got.EdgeIDs, want.EdgeIDs},
		{"edge_ids", got.EdgeIDs64, want.EdgeIDs64}, {"biases", got.Biases, want.Biases}, {"scales", got.Scales, want.Scales},
		{"labels", got.Labels, want.Labels}, {"times", got.Times, want.Times},
		{"summary", [2]any{got.MaxDegree(), got.HasSinks()}, [2]any{want.MaxDegree(), want.HasSinks()}},
		{"sentinel", got.Indices[:got.NumEdges()+1][got.NumEdges()], graph.None},
	} {
		if !reflect.DeepEqual(x.got, x.want) {
			t.Errorf("%s is %v, expected %v", x.name, x.got, x.want)
		}
	}
}

func TestStreamedEdgesGiveTheSameGraph(t *testing.T) {
	live := offheap.Live()
	t.Run("all", func(t *testing.T) {
		for _, edges := range []int{0, 1, 300, 20000} {
			s := newStreamed(edges, max(1, edges/20), 7)
			for u := range int64(max(1, edges/20)) { // every vertex occurs
				if edges > 0 {
					s.src[u%int64(edges)] = u
				}
			}
			for _, full := range []bool{false, true} {
				for _, symmetric := range []bool{false, true} {
					want := s.whole(t, full, symmetric)
					for _, size := range []int{max(1, edges/3), 1 << 20} {
						c := s.counted(t, size, full, symmetric)
						if c.Names != nil {
							t.Fatalf("names %v", c.Names)
						}
						for _, threads := range []int{1, 3} {
							sameArrays(t, s.placed(t, c, size, full, nil, threads), want)
						}
					}
				}
			}
		}
	})
	if got := offheap.Live(); got != live {
		t.Errorf("%d arrays were not freed", got-live)
	}
}

// A sorted stream has the positions as ids, which are not listed.
func TestStreamedEdgesInOrder(t *testing.T) {
	s := &streamed{src: []int64{0, 0, 1, 2, 2}, dst: []int64{1, 2, 0, 0, 1}}
	g := s.placed(t, s.counted(t, 2, false, false), 2, false, nil, 1)
	if g.EdgeIDs != nil || g.EdgeIDs64 != nil {
		t.Errorf("ids %v", g.EdgeIDs)
	}
	sameArrays(t, g, s.whole(t, false, false))
}

// Parts of the rows equal those that are selected from the whole graph.
func TestStreamedRows(t *testing.T) {
	s := newStreamed(5000, 97, 3)
	want := s.whole(t, true, true)
	c := s.counted(t, 700, true, true)
	for _, vertices := range [][]uint32{{}, {5}, {0, 1, 2, 96}, {3, 50, 51, 80}} {
		selected, err := Selected(want, vertices, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(selected.Close)
		sameArrays(t, s.placed(t, c, 700, true, vertices, 1), selected)
	}
}

// Ids with gaps are numbered in ascending order.
func TestStreamedNames(t *testing.T) {
	s := newStreamed(400, 30, 5)
	want := s.whole(t, true, true)
	for i := range s.src {
		s.src[i], s.dst[i] = 3*s.src[i]+10, 3*s.dst[i]+10
	}
	c := s.counted(t, 100, true, true)
	for v, name := range c.Names {
		if name != int64(3*v+10) {
			t.Errorf("vertex %d is named %d", v, name)
		}
	}
	if len(c.Names) != want.NumVertices() {
		t.Errorf("%d names", len(c.Names))
	}
	sameArrays(t, s.placed(t, c, 100, true, nil, 1), want)
}

func TestStreamedIdsThatDoNotFit(t *testing.T) {
	for _, id := range []int64{-1, 1000, math.MaxInt64} {
		s := &streamed{src: []int64{1, id}, dst: []int64{0, 1}}
		c := NewRowCounter(s.block(0, 0, false), false, 1000)
		if fits, err := c.Count(s.block(0, 2, false)); fits || err != nil {
			t.Errorf("%d: %t, %v", id, fits, err)
		}
		c.Free()
	}
}

func TestStreamedRefusals(t *testing.T) {
	good := newStreamed(50, 9, 1)
	count := func(b EdgeBlock) error {
		c := NewRowCounter(good.block(0, 0, true), false, 1<<32)
		defer c.Free()
		_, err := c.Count(b)
		return err
	}
	for name, c := range map[string]struct {
		change func(b *EdgeBlock)
		want   string
	}{
		"weight":     {func(b *EdgeBlock) { good.weights[3] = -1 }, "weights[103] = -1: expected a finite number"},
		"nan":        {func(b *EdgeBlock) { good.weights[3] = float32(math.NaN()) }, "weights[103] = NaN"},
		"label":      {func(b *EdgeBlock) { b.Labels = graph.ArrayOf(make64(50, 1<<40)) }, "labels[102] = 1099511627776"},
		"shorter":    {func(b *EdgeBlock) { b.Targets = graph.ArrayOf(good.dst[:49]) }, "targets has 49 elements, but sources has 50"},
		"missing":    {func(b *EdgeBlock) { b.Sources = graph.Array{} }, "sources was not given"},
		"floats":     {func(b *EdgeBlock) { b.Sources = graph.ArrayOf(make([]float64, 50)) }, "sources: dtype float64"},
		"attributes": {func(b *EdgeBlock) { b.Times = graph.Array{} }, "other attributes than the first"},
	} {
		good = newStreamed(50, 9, 1)
		b := good.block(0, 50, true)
		b.First = 100
		c.change(&b)
		if err := count(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
	huge := &streamed{src: []int64{0, 0, 1}, dst: []int64{0, 1, 0}}
	b := huge.block(0, 3, false)
	b.Weights = graph.ArrayOf([]float64{math.MaxFloat64, math.MaxFloat64, 1})
	c := NewRowCounter(b, false, 1<<32)
	defer c.Free()
	if _, err := c.Count(b); err != nil {
		t.Fatal(err)
	}
	if err := c.Number(); err != nil {
		t.Fatal(err)
	}
	p, err := NewRowPlacer(c, nil)
	if err == nil {
		if err = c.EachArc(b, p.Place); err == nil {
			_, err = p.Finish(false, 1, nil)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "the sum of the weights of a vertex exceeds") {
		t.Error(err)
	}
}

// make64 returns zeros with a large value at 2.
func make64(n int, large int64) []int64 {
	s := make([]int64, n)
	s[2] = large
	return s
}

// A second pass over other edges is an error, whatever changed.
func TestStreamThatChanges(t *testing.T) {
	for name, change := range map[string]func(s *streamed){
		"source":  func(s *streamed) { s.src[5] = (s.src[5] + 1) % 9 },
		"beyond":  func(s *streamed) { s.dst[5] = 100 },
		"weight":  func(s *streamed) { s.weights[5] = 1e30 },
		"nan":     func(s *streamed) { s.weights[5] = float32(math.NaN()) },
		"shorter": func(s *streamed) { s.src = s.src[:49] },
	} {
		s := newStreamed(50, 9, 1)
		c := s.counted(t, 20, true, false)
		p, err := NewRowPlacer(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		s.each(20, true, func(b EdgeBlock) {
			if err == nil {
				err = c.EachArc(b, p.Place)
			}
		})
		if err != nil {
			p.Free()
		} else {
			_, err = p.Finish(false, 1, nil)
		}
		if err == nil || !strings.Contains(err.Error(), "the edges changed between the two passes") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStreamIsInterrupted(t *testing.T) {
	s := newStreamed(50, 9, 1)
	c := s.counted(t, 50, false, false)
	p, err := NewRowPlacer(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.EachArc(s.block(0, 50, false), p.Place); err != nil {
		t.Fatal(err)
	}
	if g, err := p.Finish(false, 1, &job.Job{Stop: 1}); err == nil || g != nil {
		t.Error("not interrupted")
	}
}
