package graph

import (
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

var never atomic.Bool

// full gives a graph that has every array.
func full(t testing.TB, wide bool) *Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(61, 62))
	c, _ := csrOf(t, randomArcs(r, 40, 200), 40, "int64", "int64", "float64")
	ids := make([]int64, c.Indices.Len)
	for i := range ids {
		ids[i] = int64(i) * 5
		if wide {
			ids[i] += 1 << 40
		}
	}
	c.EdgeIDs = ArrayOf(ids)
	g, err := FromCSR(c)
	if err != nil {
		t.Fatal(err)
	}
	g.Names = Names{Text: []byte(strings.Repeat("ab", 40)), Offsets: make([]uint64, 41)}
	for i := range g.Names.Offsets {
		g.Names.Offsets[i] = 2 * uint64(i)
	}
	return g
}

func TestAdoptTakesWhatArraysGives(t *testing.T) {
	live := offheap.Live()
	for _, wide := range []bool{false, true} {
		g := full(t, wide)
		for _, n := range []Numbers{g.Numbers(), {}} {
			h, err := Adopt(g.Arrays(), n)
			if err != nil {
				t.Fatal(err)
			}
			if h.Numbers().Checked != n.Checked {
				t.Error("a graph that was not read through counts as checked")
			}
			if err := h.Validate(); err != nil {
				t.Fatal(err)
			}
			invariants(t, h)
			for u := range uint32(40) {
				first, end := g.Row(u)
				for p := first; p < end; p++ {
					if h.Indices[p] != g.Indices[p] || h.EdgeID(p) != g.EdgeID(p) || h.Weight(u, p) != g.Weight(u, p) ||
						h.Labels[p] != g.Labels[p] || h.Times[p] != g.Times[p] {
						t.Fatalf("position %d differs", p)
					}
				}
			}
			if string(h.Names.Text) != string(g.Names.Text) || h.Names.Offsets[40] != 80 || !h.Numbers().Checked {
				t.Error("names or numbers differ")
			}
			closed := false
			h.OnClose(nil)
			h.OnClose(func() { closed = true })
			if h.Close(); !closed {
				t.Error("OnClose was not called")
			}
		}
		invariants(t, g) // still there
		g.Close()
	}
	if offheap.Live() != live {
		t.Errorf("%d arrays leaked", offheap.Live()-live)
	}
}

func TestAdoptEmptyGraph(t *testing.T) {
	g, err := FromEdges(Edges{Sources: ints(), Targets: ints(), NumVertices: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	h, err := Adopt(g.Arrays(), Numbers{})
	if err == nil {
		err = h.Validate()
	}
	if err != nil || h.NumVertices() != 3 || h.NumEdges() != 0 || !h.HasSinks() {
		t.Fatalf("%v", err)
	}
}

// TestScanRefusesEveryBrokenArray breaks one thing at a time in a graph of unknown origin.
func TestScanRefusesEveryBrokenArray(t *testing.T) {
	for want, damage := range map[string]func(g *Graph){
		"indptr goes from 1 to 200: expected from 0 to 200":             func(g *Graph) { g.Indptr[0] = 1 },
		"indptr goes from 0 to 199: expected from 0 to 200":             func(g *Graph) { g.Indptr[40] = 199 },
		"indptr[10] = 18446744073709551615 after":                       func(g *Graph) { g.Indptr[11] = 0; g.Indptr[10] = ^uint64(0) },
		"expected offsets that do not decrease":                         func(g *Graph) { g.Indptr[20] = 300 },
		"indices ends with 7: expected 4294967295 behind the last edge": func(g *Graph) { g.Indices[:201][200] = 7 },
		"indices[199] = 40: expected a vertex below 40":                 func(g *Graph) { g.Indices[199] = 40 },
		"expected rows in ascending order":                              func(g *Graph) { g.Indices[g.Indptr[5]] = 39 },
		"names_offsets goes from 0 to 81":                               func(g *Graph) { g.Names.Offsets[40] = 81 },
		"names_offsets[8] = 14 after names_offsets[7] = 99":             func(g *Graph) { g.Names.Offsets[7] = 99; g.Names.Offsets[8] = 14 },
	} {
		g := full(t, false)
		damage(g)
		if strings.HasPrefix(want, "indptr[10]") {
			want = "indptr[" // the lowest of two
		}
		h, err := Adopt(g.Arrays(), Numbers{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time is told, not read
			if err := h.Validate(); err == nil || !strings.Contains(err.Error(), want) || refuse.KindOf(err) != refuse.KindFormat {
				t.Errorf("%v, expected %s", err, want)
			}
		}
		g.Close()
	}
}

func TestAdoptRefusesWhatIsNoGraph(t *testing.T) {
	g := full(t, false)
	defer g.Close()
	with := func(name string, change func(a *NamedArray)) []NamedArray {
		var out []NamedArray
		for _, a := range g.Arrays() {
			if a.Name == name {
				change(&a)
			}
			if a.Name != "" {
				out = append(out, a)
			}
		}
		return out
	}
	for want, arrays := range map[string][]NamedArray{
		`array "indptr" of dtype float64 and length 41: not what a graph holds`:    with("indptr", func(a *NamedArray) { a.Dtype = "float64" }),
		`array "indices" of dtype uint32 and length 0: not what a graph holds`:     with("indices", func(a *NamedArray) { a.Length = 0 }),
		`array "labels" of dtype int32 and length -1: not what a graph holds`:      with("labels", func(a *NamedArray) { a.Length = -1 }),
		`array "colour": a graph has no such array`:                                with("labels", func(a *NamedArray) { a.Name = "colour" }),
		"a graph without the arrays indptr and indices":                            with("indptr", func(a *NamedArray) { a.Name = "" }),
		"biases has 5 elements: expected 200 for 40 vertices and 200 edges":        with("biases", func(a *NamedArray) { a.Length = 5 }),
		"scales has 0 elements: expected 40 for 40 vertices and 200 edges":         with("scales", func(a *NamedArray) { a.Name = "" }),
		"edge_ids has 199 elements: expected 200 for 40 vertices and 200 edges":    with("edge_ids", func(a *NamedArray) { a.Length = 199 }),
		"names_offsets has 40 elements: expected 41 for 40 vertices and 200 edges": with("names_offsets", func(a *NamedArray) { a.Length = 40 }),
	} {
		if h, err := Adopt(arrays, Numbers{}); err == nil || err.Error() != want || h != nil {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}
