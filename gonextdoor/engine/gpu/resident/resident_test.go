package resident_test

import (
	"slices"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/kernels"
)

// on runs f on the first GPU, real or emulated, with a stream. It skips the test if there is no GPU.
func on(t *testing.T, f func(d *cuda.Device, s cuda.Stream)) {
	t.Helper()
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	if _, err := kernels.Image("layouts"); err != nil {
		t.Skip(err)
	}
	d, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Do(func() error {
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		f(d, s)
		return s.Destroy()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read copies n elements of an array in GPU memory to the host.
func read[T any](t *testing.T, d *cuda.Device, s cuda.Stream, at uint64, n int) []T {
	t.Helper()
	out := make([]T, n)
	if n == 0 {
		return out
	}
	if at == 0 {
		t.Fatal("the array does not exist")
	}
	if err := d.CopyOut(unsafe.Pointer(&out[0]), uintptr(at), int64(n)*int64(unsafe.Sizeof(out[0])), s); err != nil {
		t.Fatal(err)
	}
	if err := s.Synchronize(); err != nil {
		t.Fatal(err)
	}
	return out
}

// random returns a graph with rows of up to 300 edges. Most biases are from 0 to 4; the others are any 32-bit number.
func random(vertices, edges int, seed uint64) *graph.Graph {
	list := make([]graphtest.Edge, edges)
	key := rng.NewStream(seed, rng.Choices).Key(0)
	for i := range list {
		w := key.Word(uint64(i))
		bias := uint32(w >> 40 % 5)
		if w&7 == 0 {
			bias = uint32(w >> 32)
		}
		list[i] = graphtest.Edge{From: uint32(w>>3%uint64(vertices)) / 3, To: uint32(w >> 20 % uint64(vertices)), Bias: bias}
	}
	return graphtest.Make(vertices, true, list)
}

// wideIDs gives a graph edge ids of 64 bits.
func wideIDs(g *graph.Graph) *graph.Graph {
	g.EdgeIDs64 = make([]uint64, g.NumEdges())
	for i := range g.EdgeIDs64 {
		g.EdgeIDs64[i] = uint64(i)<<33 + 7
	}
	g.EdgeIDs = nil
	return g
}

// noIDs removes the edge ids, so that the positions are the ids.
func noIDs(g *graph.Graph) *graph.Graph {
	g.EdgeIDs = nil
	return g
}

// graphs returns weighted graphs with labels.
func graphs() map[string]*graph.Graph {
	steep, _ := graphtest.Steep()
	view, err := index.ByDegree(graphtest.Diamond(true), graph.Options{})
	if err != nil {
		panic(err)
	}
	all := map[string]*graph.Graph{
		"thicket": graphtest.Thicket(true), "diamond": graphtest.Diamond(true), "one way": wideIDs(graphtest.OneWay(true)),
		"star": noIDs(graphtest.Star(500, true)), "fan": graphtest.Fan(1000, true), "crumbs": graphtest.Crumbs(700), "steep": steep,
		"lonely": graphtest.Lonely(true), "circle": graphtest.Circle(true), "random": random(700, 9000, 1), "view": view,
	}
	for _, g := range all {
		graphtest.Labelled(g.Base())
		g.Labels = g.Base().Labels
	}
	many := random(90, 3000, 2) // more labels than a warp has lanes, some of them negative
	many.Labels = make([]int32, many.NumEdges())
	for i := range many.Labels {
		many.Labels[i] = int32(i*i%101)*1000 - 50000
	}
	all["many labels"] = many
	return all
}

const everything = resident.Rows | resident.Packed | resident.Wide | resident.Biases | resident.Alias | resident.WideAlias |
	resident.Labels | resident.IDs | resident.ByLabel | resident.Bloom | resident.Weights | resident.Largest | resident.Prefix |
	resident.PackedLabels | resident.Slim | resident.Segments

func TestLayoutsEqualTheTablesOfTheGraph(t *testing.T) {
	for name, g := range graphs() {
		t.Run(name, func(t *testing.T) {
			on(t, func(d *cuda.Device, s cuda.Stream) {
				defer g.Base().Close()
				at, release, err := resident.Of(g, d).Hold(everything, s, graph.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer release()
				checkRows(t, g, at, d, s)
				checkSlim(t, g, at, d, s)
				checkAlias(t, g, at, d, s)
				checkEdges(t, g, at, d, s)
				checkLabels(t, g, at, d, s)
				checkBloom(t, g, at, d, s)
				checkWeights(t, g, at, d, s)
				checkSegments(t, g, at, d, s)
				checkLabelWeights(t, g, d, s)
			})
		})
	}
}

func checkSegments(t *testing.T, g *graph.Graph, at kernels.Graph, d *cuda.Device, s cuda.Stream) {
	want, err := index.SegmentsOf(g, graph.Options{})
	if got := read[uint64](t, d, s, at.Totals, g.NumVertices()); err != nil || !slices.Equal(got, want.Totals) {
		t.Errorf("totals %v, expected %v, %v", got, want.Totals, err)
	}
	if got := read[uint64](t, d, s, at.Segments, len(want.Sums)); !slices.Equal(got, want.Sums) {
		t.Errorf("sums %v, expected %v", got, want.Sums)
	}
}

// checkLabelWeights holds the weights of rows by label, which take the place of those of rows.
func checkLabelWeights(t *testing.T, g *graph.Graph, d *cuda.Device, s cuda.Stream) {
	at, release, err := resident.Of(g, d).Hold(resident.PackedLabels|resident.LabelWeights, s, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	rows, err := index.LabelRowsOf(g, g.NumEdges(), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := index.LabelWeightsOf(g, rows, graph.Options{})
	if err != nil || want.Totals == nil { // too many labels for the table of the host
		return
	}
	if got := read[uint32](t, d, s, at.Biases, len(want.Biases)); !slices.Equal(got, want.Biases) {
		t.Errorf("biases by label %v, expected %v", got, want.Biases)
	}
	if got := read[uint64](t, d, s, at.Totals, len(want.Totals)); !slices.Equal(got, want.Totals) {
		t.Errorf("totals by label %v, expected %v", got, want.Totals)
	}
	if got := read[uint64](t, d, s, at.Segments, len(want.Sums)); !slices.Equal(got, want.Sums) {
		t.Errorf("sums by label %v, expected %v", got, want.Sums)
	}
}

type quad [4]uint32

// row returns the begin and the degree of a row, as records store them.
func row(g *graph.Graph, v uint32) [2]uint32 {
	if v == graph.None {
		return [2]uint32{}
	}
	return [2]uint32{uint32(g.Indptr[v]), uint32(g.Degree(v))}
}

func checkSlim(t *testing.T, g *graph.Graph, at kernels.Graph, d *cuda.Device, s cuda.Stream) {
	slim := read[[2]uint64](t, d, s, at.Slim, (g.NumEdges()+4)/5)
	for i, v := range g.Indices {
		bit, record := uint(i%5*25), slim[i/5]
		got := record[0]>>bit | record[1]<<(64-bit) // shifts by 64 or more yield 0; 64-bit wraps around to a large number
		if bit >= 64 {
			got = record[1] >> (bit - 64)
		}
		if uint32(got)&(1<<25-1) != v {
			t.Fatalf("the slim end point of edge %d is %d, expected %d", i, uint32(got)&(1<<25-1), v)
		}
	}
}

func checkRows(t *testing.T, g *graph.Graph, at kernels.Graph, d *cuda.Device, s cuda.Stream) {
	n, m := g.NumVertices(), g.NumEdges()
	if at.Vertices != uint64(n) || at.Edges != uint64(m) {
		t.Errorf("%d vertices, %d edges", at.Vertices, at.Edges)
	}
	if !slices.Equal(read[uint64](t, d, s, at.Indptr, n+1), g.Indptr) {
		t.Error("indptr differs")
	}
	indices := read[uint32](t, d, s, at.Indices, m+1)
	if !slices.Equal(indices[:m], g.Indices) || indices[m] != graph.None {
		t.Error("indices differ, or None does not follow them")
	}
	packed := read[quad](t, d, s, at.Packed, (n+3)/4)
	for v := range n {
		q := packed[v/4]
		degrees := [4]uint32{q[1] & 0xffffff, q[1]>>24 | q[2]&0xffff<<8, q[2]>>16 | q[3]&0xff<<16, q[3] >> 8}
		first := q[0]
		for _, before := range degrees[:v%4] {
			first += before
		}
		if [2]uint32{first, degrees[v%4]} != row(g, uint32(v)) {
			t.Fatalf("the packed row of %d is %d, %d", v, first, degrees[v%4])
		}
	}
}

func checkEdges(t *testing.T, g *graph.Graph, at kernels.Graph, d *cuda.Device, s cuda.Stream) {
	m := g.NumEdges()
	switch {
	case g.EdgeIDs != nil:
		if at.IDSize != 4 || !slices.Equal(read[uint32](t, d, s, at.IDs, m), g.EdgeIDs) {
			t.Error("ids of 4 bytes differ")
		}
	case g.EdgeIDs64 != nil:
		if at.IDSize != 8 || !slices.Equal(read[uint64](t, d, s, at.IDs, m), g.EdgeIDs64) {
			t.Error("ids of 8 bytes differ")
		}
	case at.IDs != 0:
		t.Error("the layout has edge ids, but the graph does not")
	}
	for p, q := range read[quad](t, d, s, at.Wide, m) {
		r, id := row(g, g.Indices[p]), uint32(g.EdgeID(uint64(p)))
		if g.EdgeIDs64 != nil {
			id = 0
		}
		if q != (quad{g.Indices[p], r[0], r[1], id}) {
			t.Fatalf("the wide record of edge %d is %v", p, q)
		}
	}
}

func checkAlias(t *testing.T, g *graph.Graph, at kernels.Graph, d *cuda.Device, s cuda.Stream) {
	m := g.NumEdges()
	if !slices.Equal(read[uint32](t, d, s, at.Biases, m), g.Biases) {
		t.Error("biases differ")
	}
	want := make([]index.AliasSlot, m)
	for v := range uint32(g.NumVertices()) {
		first, end := g.Row(v)
		index.BuildAliasRow(g.Indices[first:end], g.Biases[first:end], want[first:end])
	}
	got := read[index.AliasSlot](t, d, s, at.Alias, m)
	wide := read[[2]quad](t, d, s, at.WideAlias, m)
	for p, slot := range want {
		if got[p] != slot {
			t.Fatalf("slot %d is %v, expected %v", p, got[p], slot)
		}
		own, other := row(g, slot.Vertex), row(g, slot.AliasVertex)
		if wide[p] != [2]quad{
			{slot.Threshold, slot.Vertex, own[0], own[1]}, {slot.AliasVertex, other[0], other[1], slot.AliasPosition},
		} {
			t.Fatalf("the wide record of slot %d is %v", p, wide[p])
		}
	}
}

func checkBloom(t *testing.T, g *graph.Graph, at kernels.Graph, d *cuda.Device, s cuda.Stream) {
	symmetric, err := index.Symmetric(g.Base(), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if (at.Mirrored == 1) != symmetric {
		t.Errorf("mirrored %d, expected %v", at.Mirrored, symmetric)
	}
	want := make([]uint32, at.BloomMask+1)
	for u := range uint32(g.NumVertices()) {
		for _, v := range g.Neighbors(u) {
			other := uint32(0x7F4A7C15)
			if symmetric {
				other = 0x9E3779B9
			}
			pair := uint64(u^0x9E3779B9) * uint64(v^other)
			x := uint64(uint32(pair)^0xBF58476D) * uint64(uint32(pair>>32)^0x94D049BB)
			want[x>>32&at.BloomMask] |= 1<<(x&31) | 1<<(x>>5&31) | 1<<(x>>10&31)
		}
	}
	if !slices.Equal(read[uint32](t, d, s, at.Bloom, len(want)), want) {
		t.Error("the bitmap of edges differs")
	}
}

func checkWeights(t *testing.T, g *graph.Graph, at kernels.Graph, d *cuda.Device, s cuda.Stream) {
	for _, c := range []struct {
		name string
		at   uint64
		make func(*graph.Graph, graph.Options) ([]float64, error)
	}{{"weights", at.Weights, index.RealWeights}, {"largest", at.Largest, index.LargestWeights}, {"prefix", at.Prefix, index.PrefixWeights}} {
		want, err := c.make(g, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := read[float64](t, d, s, c.at, len(want)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", c.name, got[:min(5, len(got))], want[:min(5, len(want))])
		}
	}
}
